"""Lines that a regular expression matches."""

from __future__ import annotations

import contextlib
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfreview.errors import ToolError
from selfreview.reviewers.command.pattern import parse
from selfreview.reviewers.tools.results import Reported, Span, Spot

GCC = re.compile(
    r"^(?P<file>.+?):(?P<line>\d+)(:(?P<column>\d+))?: (?P<severity>\w+): (?P<message>.*?)( \[(?P<code>[\w-]+)\])?$"
)


def read(text: str | bytes, pattern: re.Pattern[str] = GCC) -> list[Reported]:
    """Parse output."""
    return parse(text if isinstance(text, bytes) else text.encode(), "t", pattern).results


def test_every_line_that_matches_is_a_result_and_others_are_passed_over() -> None:
    text = "In function main:\nsrc/a.c:3:5: warning: odd thing [-Wodd]\nsrc/b.c:7: error: worse\n1 error\n"
    assert read(text) == [
        Reported(
            message="odd thing", spot=Spot("src/a.c", Span(line=3, column=5, end_line=3)), level="warning", rule="-Wodd"
        ),
        Reported(message="worse", spot=Spot("src/b.c", Span(line=7, end_line=7)), level="error"),
    ]


def test_a_carriage_return_ends_no_message() -> None:
    assert read("a.c:1: error: bad [x]\r\nb.c:2: error: bad\r\n")[0].rule == "x"


def test_a_last_line_needs_no_line_feed() -> None:
    assert [r.spot.path for r in read("a.c:1: error: m\nb.c:2: error: n")] == ["a.c", "b.c"]


def test_it_may_match_anywhere_in_a_line() -> None:
    pattern = re.compile(r"at (?P<file>\S+) line (?P<line>\d+)")
    assert read("Oops: at x.pl line 7.", pattern)[0].message == "Oops: at x.pl line 7."


@pytest.mark.parametrize(
    ("pattern", "line", "span"),
    [
        (r"(?P<file>\w+)", "a", Span()),
        (r"(?P<file>\w+):(?P<line>\d*)", "a:", Span()),
        (r"(?P<file>\w+):(?P<line>\d+)-(?P<end_line>\d+)", "a:3-5", Span(line=3, end_line=5)),
        (r"(?P<file>\w+):(?P<line>\d+)-(?P<end_line>\d+)", "a:3-1", Span(line=3, end_line=3)),
        (r"(?P<file>\w+):(?P<line> *\d+)", "a:  3", Span(line=3, end_line=3)),
    ],
)
def test_numbers_may_be_missing(pattern: str, line: str, span: Span) -> None:
    assert read(line, re.compile(pattern))[0].spot == Spot("a", span)


def test_a_rule_is_called_code_or_rule() -> None:
    for name in ("code", "rule"):
        assert read("a:1 E1", re.compile(rf"(?P<file>\w+):(?P<line>\d+) (?P<{name}>\w+)"))[0].rule == "E1"


@pytest.mark.parametrize("number", ["x", "-1", "1.5", "٣", "1" * 10, "1" * 5000])
def test_what_is_no_number_is_a_failure(number: str) -> None:
    with pytest.raises(ToolError, match="line number"):
        read(f"a:{number}", re.compile(r"(?P<file>\w+):(?P<line>.+)"))


def test_a_name_that_is_not_utf8_survives() -> None:
    assert read(b"a\xff.c:1: error: m")[0].spot.path == "a\udcff.c"


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_bytes_are_results_or_a_failure(data: bytes) -> None:
    for pattern in (GCC, re.compile(r"(?P<file>[^:]*):?(?P<line>[^:]*):?(?P<column>.*)")):
        with contextlib.suppress(ToolError):
            read(data, pattern)


@settings(deadline=None)
@given(st.lists(st.sampled_from([b"a.c:1: error: m", b"noise", b"", b"\xff"])), st.sampled_from([b"\n", b"\r\n"]))
def test_results_are_as_many_as_matching_lines(lines: list[bytes], end: bytes) -> None:
    assert len(read(end.join(lines))) == lines.count(b"a.c:1: error: m")
