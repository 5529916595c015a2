"""Reviewdog's diagnostics, as a document and line by line."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfreview.errors import ToolError
from selfreview.reviewers.command.rdjson import parse, parse_lines
from selfreview.reviewers.tools.results import Change, Reported, Span, Spot, ToolReport


def diagnostic(**extra: Any) -> dict[str, Any]:
    """Make a diagnostic at line 3 of ``a.go``."""
    where = {"path": "a.go", "range": {"start": {"line": 3, "column": 5}, "end": {"line": 3, "column": 9}}}
    return {"message": "do not", "location": where, "severity": "WARNING", "code": {"value": "X1"}, **extra}


def document(*diagnostics: Any, **extra: Any) -> bytes:
    """Make a whole report."""
    return json.dumps({"source": {"name": "t"}, "diagnostics": list(diagnostics), **extra}).encode()


def one(found: dict[str, Any], **extra: Any) -> Reported:
    """Return the only result of a document with one diagnostic."""
    (result,) = parse(document(found, **extra), "t").results
    return result


WHOLE = Reported(
    message="do not",
    spot=Spot("a.go", Span(line=3, column=5, end_line=3, end_column=9)),
    level="WARNING",
    rule="X1",
)


def test_a_diagnostic_is_read_and_columns_count_bytes() -> None:
    assert parse(document(diagnostic()), "t") == ToolReport(results=[WHOLE], unit="byte")


def test_so_is_one_on_each_line() -> None:
    data = "\n".join(json.dumps(diagnostic(message=text)) for text in ("a", "b")) + "\n\n"
    assert [r.message for r in parse_lines(data.encode(), "t").results] == ["a", "b"]


def test_no_lines_are_no_results_and_no_document_is_a_failure() -> None:
    assert parse_lines(b"", "t").results == []
    with pytest.raises(ToolError, match="nothing"):
        parse(b"", "t")


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
        parse(data, "t")


def test_a_line_that_is_no_diagnostic_is_a_failure() -> None:
    with pytest.raises(ToolError):
        parse_lines(json.dumps(diagnostic()).encode() + b"\nwarning: something\n", "t")


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_bytes_are_a_report_or_a_failure(data: bytes) -> None:
    for reader in (parse, parse_lines):
        with contextlib.suppress(ToolError):
            reader(data, "t")


@settings(deadline=None)
@given(st.integers(min_value=0))
def test_a_part_of_a_document_is_a_failure(length: int) -> None:
    data = document(diagnostic())
    with pytest.raises(ToolError):
        parse(data[: length % len(data)], "t")


@settings(deadline=None)
@given(st.integers(min_value=1))
def test_a_part_of_a_line_is_a_failure(length: int) -> None:
    line = json.dumps(diagnostic()).encode()
    with pytest.raises(ToolError):
        parse_lines(line + b"\n" + line[: length % (len(line) - 1) + 1], "t")
