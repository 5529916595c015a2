"""Output of commands: lines that a regular expression matches, and reviewdog's diagnostics."""

from __future__ import annotations

import contextlib
import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfreview.errors import ToolError
from selfreview.reviewers.command import parse_pattern, parse_rdjson, parse_rdjsonl
from selfreview.reviewers.tools.results import Change, Reported, Span, Spot, ToolReport

GCC = re.compile(
    r"^(?P<file>.+?):(?P<line>\d+)(:(?P<column>\d+))?: (?P<severity>\w+): (?P<message>.*?)( \[(?P<code>[\w-]+)\])?$"
)


def read(text: str | bytes, pattern: re.Pattern[str] = GCC) -> list[Reported]:
    """Parse output."""
    return parse_pattern(text if isinstance(text, bytes) else text.encode(), "t", pattern).results


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


def diagnostic(**extra: Any) -> dict[str, Any]:
    """Make a diagnostic at line 3 of ``a.go``."""
    where = {"path": "a.go", "range": {"start": {"line": 3, "column": 5}, "end": {"line": 3, "column": 9}}}
    return {"message": "do not", "location": where, "severity": "WARNING", "code": {"value": "X1"}, **extra}


def document(*diagnostics: Any, **extra: Any) -> bytes:
    """Make a whole report."""
    return json.dumps({"source": {"name": "t"}, "diagnostics": list(diagnostics), **extra}).encode()


def one(found: dict[str, Any], **extra: Any) -> Reported:
    """Return the only result of a document with one diagnostic."""
    (result,) = parse_rdjson(document(found, **extra), "t").results
    return result


WHOLE = Reported(
    message="do not",
    spot=Spot("a.go", Span(line=3, column=5, end_line=3, end_column=9)),
    level="WARNING",
    rule="X1",
)


def test_a_diagnostic_is_read_and_columns_count_bytes() -> None:
    assert parse_rdjson(document(diagnostic()), "t") == ToolReport(results=[WHOLE], unit="byte")


def test_so_is_one_on_each_line() -> None:
    data = "\n".join(json.dumps(diagnostic(message=text)) for text in ("a", "b")) + "\n\n"
    assert [r.message for r in parse_rdjsonl(data.encode(), "t").results] == ["a", "b"]


def test_no_lines_are_no_results_and_no_document_is_a_failure() -> None:
    assert parse_rdjsonl(b"", "t").results == []
    with pytest.raises(ToolError, match="nothing"):
        parse_rdjson(b"", "t")


@pytest.mark.parametrize(
    ("own", "all_", "level"),
    [
        ("ERROR", "INFO", "ERROR"),
        (None, "INFO", "INFO"),
        ("UNKNOWN_SEVERITY", "INFO", "INFO"),
        (1, None, "ERROR"),
        (3, None, "INFO"),
        (0, 2, "WARNING"),
        (99, None, None),
        (None, None, None),
        ("odd", None, "odd"),
    ],
)
def test_a_level_comes_from_the_diagnostic_or_the_document(own: Any, all_: Any, level: str | None) -> None:
    assert one(diagnostic(severity=own), severity=all_).level == level


@pytest.mark.parametrize(
    ("location", "spot"),
    [
        (None, Spot()),
        ({}, Spot()),
        ({"path": ""}, Spot()),
        ({"path": "a"}, Spot("a")),
        ({"path": "a", "range": {}}, Spot("a", Span())),
        ({"path": "a", "range": {"start": {"line": 2}}}, Spot("a", Span(line=2, end_line=2))),
        ({"path": "a", "range": {"start": {"line": 2}, "end": {"line": 1}}}, Spot("a", Span(line=2, end_line=2))),
        ({"path": "a", "range": {"start": {"line": 2}, "end": {"line": 4}}}, Spot("a", Span(line=2, end_line=4))),
    ],
)
def test_a_location_may_lack_anything(location: Any, spot: Spot) -> None:
    assert one(diagnostic(location=location)).spot == spot


@pytest.mark.parametrize("name", ["relatedLocations", "related_locations"])
def test_both_spellings_of_a_name_are_read(name: str) -> None:
    related = [{"message": "here", "location": {"path": "b.go", "range": {"start": {"line": 1}}}}, {"location": {}}]
    assert one(diagnostic(**{name: related})).related == (Spot("b.go", Span(line=1, end_line=1), "here"),)


def test_one_suggestion_is_a_fix_and_two_are_a_choice() -> None:
    suggestion = {"range": {"start": {"line": 3, "column": 5}, "end": {"line": 3, "column": 9}}, "text": "new"}
    fix = Change(Span(line=3, column=5, end_line=3, end_column=9), "new")
    assert one(diagnostic(suggestions=[suggestion])).changes == (fix,)
    assert one(diagnostic(suggestions=[suggestion, suggestion])).changes == ()


@pytest.mark.parametrize(
    "data",
    [
        b"null",
        b"[]",
        b"{}",
        b'{"diagnostics": null}',
        b'{"diagnostics": [{}]}',
        b'{"diagnostics": [{"message": 1}]}',
        b'{"diagnostics": [{"message": "m", "location": []}]}',
        b'{"diagnostics": [{"message": "m", "location": {"range": {"start": {"line": -1}}}}]}',
        b'{"diagnostics": [{"message": "m", "location": {"range": {"start": {"line": 1.5}}}}]}',
        b'{"diagnostics": []} extra',
    ],
)
def test_what_is_no_report_is_a_failure(data: bytes) -> None:
    with pytest.raises(ToolError):
        parse_rdjson(data, "t")


def test_a_line_that_is_no_diagnostic_is_a_failure() -> None:
    with pytest.raises(ToolError):
        parse_rdjsonl(json.dumps(diagnostic()).encode() + b"\nwarning: something\n", "t")


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_bytes_are_a_report_or_a_failure(data: bytes) -> None:
    for reader in (parse_rdjson, parse_rdjsonl):
        with contextlib.suppress(ToolError):
            reader(data, "t")


@settings(deadline=None)
@given(st.integers(min_value=0))
def test_a_part_of_a_document_is_a_failure(length: int) -> None:
    data = document(diagnostic())
    with pytest.raises(ToolError):
        parse_rdjson(data[: length % len(data)], "t")


@settings(deadline=None)
@given(st.integers(min_value=1))
def test_a_part_of_a_line_is_a_failure(length: int) -> None:
    line = json.dumps(diagnostic()).encode()
    with pytest.raises(ToolError):
        parse_rdjsonl(line + b"\n" + line[: length % (len(line) - 1) + 1], "t")
