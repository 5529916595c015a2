"""reviewdog's format: places in bytes, whole fixes as one suggestion, and nothing that a comment would act on."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfreview.api import Edit, Side
from selfreview.model.result import Result, ResultStatus
from selfreview.reporters import formats
from selfreview.reviewers.command import Document

from .builders import Texts, incomplete, issue, render, result
from .samples import CONTEXT, SAMPLES
from .schemas import check_json
from .test_hostile import context_of, outcomes

CODE = "名前 = undefined + 1\nx = '𐐀' + y\n    pass\n"


def report(outcome, context=CONTEXT):
    return check_json("rdjson.schema.json", render(formats.rdjson, outcome, context))["diagnostics"]


def applied(text, suggestion):
    """Return what a text becomes, as reviewdog's documentation says it: bytes, from 1, the end exclusive."""
    lines = [line.encode() for line in text.split("\n")]
    offsets = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines) + 1)]
    start, end = (suggestion["range"][name] for name in ("start", "end"))
    raw = text.encode()
    first = offsets[start["line"] - 1] + start["column"] - 1
    last = offsets[end["line"] - 1] + end["column"] - 1
    return (raw[:first] + suggestion["text"].encode() + raw[last:]).decode()


@pytest.mark.parametrize("name", SAMPLES)
def test_report(name, snapshot):
    text = render(formats.rdjson, SAMPLES[name], CONTEXT)
    check_json("rdjson.schema.json", text)
    assert text == snapshot


@settings(deadline=None, max_examples=60)
@given(outcome=outcomes)
def test_any_result_makes_a_valid_document(outcome):
    diagnostics = report(outcome, context_of(outcome))
    missing = outcome.error is not None or outcome.status in (ResultStatus.ERROR, ResultStatus.INCOMPLETE)
    assert len(diagnostics) == len(outcome.open_issues) + missing
    for diagnostic in diagnostics:
        message = diagnostic["message"]
        assert not re.search(r"@\w|!\[|\]\(|<[A-Za-z/!?]|```|~~~|[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", message)


def test_columns_are_bytes():
    context = Texts({"a.py": CODE})
    (diagnostic,) = report(result(issue("a.py", 1, column=6)), context)
    assert diagnostic["location"]["range"] == {"start": {"line": 1, "column": 10}}


def test_without_the_text_only_the_line_is_said():
    for context in (None, Texts()):
        (diagnostic,) = report(result(issue("a.py", 1, column=6)), context)
        assert diagnostic["location"]["range"] == {"start": {"line": 1}, "end": {"line": 1}}


def test_several_lines_are_whole_lines():
    (diagnostic,) = report(result(issue("src/app.py", 4, line_end=7, column=5)))
    assert diagnostic["location"]["range"] == {"start": {"line": 4}, "end": {"line": 7}}


def test_a_removed_line_is_no_line_of_the_new_file():
    (diagnostic,) = report(result(issue("src/app.py", 4, side=Side.OLD, column=2)))
    assert diagnostic["location"] == {"path": "src/app.py"}
    assert diagnostic["message"].startswith("Line 4 of the old file: ")


def test_an_edit_is_a_suggestion():
    edit = Edit(line_start=2, column_start=10, line_end=2, column_end=11, replacement="名")
    (diagnostic,) = report(result(issue("a.py", 2, edits=[edit])), Texts({"a.py": CODE}))
    (suggestion,) = diagnostic["suggestions"]
    assert applied(CODE, suggestion) == CODE.replace("+ y", "+ 名")


def test_edits_are_one_suggestion():
    edits = [
        Edit(line_start=3, column_start=0, line_end=4, column_end=0, replacement=""),
        Edit(line_start=1, column_start=5, line_end=1, column_end=14, replacement="0"),
    ]
    (diagnostic,) = report(result(issue("a.py", 1, edits=edits)), Texts({"a.py": CODE}))
    (suggestion,) = diagnostic["suggestions"]
    assert applied(CODE, suggestion) == "名前 = 0 + 1\nx = '𐐀' + y\n"


@given(
    text=st.lists(st.text(alphabet="aé日𐐀 ", max_size=6), min_size=1, max_size=5),
    places=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), min_size=2, max_size=6),
    new=st.text(alphabet="x日\n", max_size=4),
)
def test_edits_as_one_suggestion_do_what_they_do_one_by_one(text, places, new):
    fit = sorted({(min(line, len(text) - 1), column) for line, column in places})
    fit = sorted({(line, min(column, len(text[line]))) for line, column in fit})
    pairs = [(fit[n], fit[n + 1]) for n in range(0, len(fit) - 1, 2)]
    whole = "\n".join(text)
    starts = [sum(len(line) + 1 for line in text[:number]) for number in range(len(text))]
    expected = whole
    for start, end in reversed(pairs):
        expected = expected[: starts[start[0]] + start[1]] + new + expected[starts[end[0]] + end[1] :]
    edits = [
        Edit(line_start=a + 1, column_start=b, line_end=c + 1, column_end=d, replacement=new)
        for (a, b), (c, d) in pairs
    ]
    if not edits:
        return
    (diagnostic,) = report(result(issue("a.py", 1, edits=edits)), Texts({"a.py": whole}))
    assert applied(whole, diagnostic["suggestions"][0]) == expected


def test_edits_that_overlap_or_whose_text_is_not_known_are_no_suggestion():
    one = Edit(line_start=1, column_start=0, line_end=1, column_end=5, replacement="x")
    other = Edit(line_start=1, column_start=3, line_end=1, column_end=9, replacement="y")
    (diagnostic,) = report(result(issue("a.py", 1, edits=[one, other])), Texts({"a.py": CODE}))
    assert "suggestions" not in diagnostic
    (diagnostic,) = report(result(issue("a.py", 1, edits=[one])), None)
    assert "suggestions" not in diagnostic


def test_severities_and_the_threshold():
    severities = ["critical", "high", "medium", "low", "suggestion"]
    found = [issue(severity=severity) for severity in severities]
    assert [d["severity"] for d in report(result(*found))] == ["ERROR", "ERROR", "ERROR", "INFO", "INFO"]
    lax = report(result(*found, severity_threshold="never"))
    assert [d["severity"] for d in lax] == ["ERROR", "ERROR", "WARNING", "INFO", "INFO"]


def test_a_review_that_did_not_happen_is_an_error_on_a_line_of_the_change():
    (first, *_) = report(incomplete())
    assert first["severity"] == "ERROR"
    assert first["message"].startswith("Not everything was reviewed: ")
    assert first["location"] == {"path": "src/app.py", "range": {"start": {"line": 5}, "end": {"line": 5}}}
    (error,) = report(Result(status=ResultStatus.ERROR), None)
    assert error["location"] == {"path": "."}


def test_a_text_is_no_markup_for_a_comment():
    hostile = "@everyone ![x](http://x/) <img src=x> ```suggestion\nrm\n```"
    (diagnostic,) = report(result(issue(description=hostile)))
    assert diagnostic["message"].replace("\u200b", "") == hostile
    assert "```" not in diagnostic["message"]
    assert "@everyone" not in diagnostic["message"]


def test_a_rule_links_to_its_page():
    (diagnostic,) = report(result(issue(rule="F821")))
    assert diagnostic["code"] == {"value": "F821", "url": "https://docs.astral.sh/ruff/rules/F821/"}


def test_what_reads_the_format_here_reads_this():
    import msgspec

    text = render(formats.rdjson, SAMPLES["needs_work"], CONTEXT)
    document = msgspec.json.decode(text, type=Document)
    assert [d.location.path for d in document.diagnostics] == [
        d["location"]["path"] for d in report(SAMPLES["needs_work"])
    ]


def test_what_else_keeps_it_from_passing_is_an_error():
    (diagnostic,) = report(result(passed=False, not_passed_reasons=["one"]))
    assert (diagnostic["severity"], diagnostic["message"]) == ("ERROR", "Not passed: one")
