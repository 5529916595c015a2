"""Markdown: what a person reads in a comment, and nothing that a change could make of it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview.model.result import Coverage, DepthLines, ResultStatus
from selfreview.reporters import formats
from selfreview.reporters.markdown import MOST_ISSUES
from selfreview.text.markdown import code, plain

from .builders import issue, ran, render, result
from .samples import CONTEXT, SAMPLES

HOSTILE = "</td><script>alert(1)</script> | ![x](http://x/y) [a](javascript:b) @everyone #12 `code` \n::error::x\u202e"


def report(outcome):
    return render(formats.markdown, outcome, CONTEXT)


@pytest.mark.parametrize("name", SAMPLES)
def test_report(name, snapshot):
    assert report(SAMPLES[name]) == snapshot


def test_what_blocks_comes_first_and_is_bold():
    text = report(result(issue(severity="low"), issue("b.py", severity="high"), issue("a.py", severity="medium")))
    rows = [line for line in text.splitlines() if line.startswith("| ")][1:]
    assert [row.split(" | ")[0] for row in rows] == ["| **high**", "| **medium**", "| low"]


def test_a_long_list_is_cut():
    text = report(result(*(issue(f"f{n}.py") for n in range(MOST_ISSUES + 7))))
    assert "- and 7 more\n" in text
    assert len([line for line in text.splitlines() if line.startswith("| **")]) == MOST_ISSUES


def test_a_text_is_no_markup():
    text = report(result(issue(HOSTILE, description=HOSTILE, rule=HOSTILE, reviewer=HOSTILE), notes=[HOSTILE]))
    (row,) = [line for line in text.splitlines() if line.startswith("| **")]
    assert len(re.split(r"(?<!\\)\|", row)) == 6  # four cells
    told = [*row.split(" | ")[2:3], *(line for line in text.splitlines() if line.startswith("- "))]
    assert told
    for line in told:
        assert "<" not in line
        assert "@everyone" not in line
        assert "#12" not in line
        assert not re.search(r"(?<!\\)[`\[\]*_|!]", line.removeprefix("- "))


@given(st.text(max_size=40))
def test_a_code_span_holds_any_text(text):
    span = code(text)
    fence = span[: len(span) - len(span.lstrip("`"))]
    assert span.startswith(fence)
    assert span.endswith(fence)
    assert fence not in span[len(fence) : -len(fence)].strip("`") or len(fence) == 0
    assert "\n" not in span


@given(st.text(max_size=40))
def test_plain_text_is_one_line_without_tags(text):
    shown = plain(text)
    assert "\n" not in shown
    assert "<" not in shown
    assert not re.search(r"[@#]\w", shown.replace("&#", ""))


def test_what_was_looked_at_and_how_deeply_is_said():
    coverage = Coverage(
        files=3, reviewed_files=2, added_lines=9, depth=DepthLines(text=9, static=4), text_only=["a.yml"]
    )
    lines = [line.replace("\\", "") for line in report(result(coverage=coverage)).splitlines()]
    said = "- reviewed 2 of 3 files, +9 lines (static 4, text 9): ruff, secrets; 1 file had only a text scan: a.yml"
    assert lines.count(said) == 1
    idle = [ran("ruff"), ran("shellcheck", files=0), ran("secrets", files=0, issues=1)]
    lines = report(result(coverage=coverage, reviewers=idle)).replace("\\", "").splitlines()
    assert lines.count(said) == 1
    assert "reviewed" not in report(result(status=ResultStatus.NOTHING_TO_REVIEW))
