"""The page's part on refinement: issues that each one addressed, left open or added, fixers' answers, and its patch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from selfreview.api import Issue, Result
from selfreview.api.reporter import PatchSource
from selfreview.model.result import Iteration
from selfreview.reporters import refined
from selfreview.reporters.html.code import Row, patch_rows, place
from selfreview.text.layout import fold


class Line(NamedTuple):
    """An issue in one line; ``anchor`` is where the page has more of it, or empty."""

    name: str
    anchor: str
    severity: str
    place: str
    text: str


class Outcome(NamedTuple):
    """Issues to which the same happened."""

    title: str
    lines: list[Line]


class Round(NamedTuple):
    """One refinement.

    Attributes:
        facts: What it came to, in words.
        outcomes: What became of issues.
        parts: What each fixer did and said.
        patch: The id of its patch, or empty.
        rows: The patch; ``why`` says why there is none.
    """

    facts: list[str]
    outcomes: list[Outcome]
    parts: list[refined.Part]
    patch: str
    rows: list[Row]
    why: str


def rounds(result: Result, patches: PatchSource | None, anchors: Mapping[str, str]) -> list[Round]:
    """Return every refinement, oldest first.

    Args:
        result: The result.
        patches: Where patches come from, or None.
        anchors: Where the page shows issues, by id.
    """
    known = refined.known(result) if result.iterations else {}
    return [_round(iteration, patches, known, anchors) for iteration in result.iterations]


def _round(
    iteration: Iteration, patches: PatchSource | None, known: Mapping[str, Issue], anchors: Mapping[str, str]
) -> Round:
    refinement = iteration.refinement
    text, why = patches(iteration) if patches is not None else (None, "")
    groups = (
        ("addressed", refinement.addressed_issue_ids),
        ("still open", refinement.unaddressed_issue_ids),
        ("new", refinement.new_issues_introduced),
    )
    return Round(
        facts=refined.facts(iteration),
        outcomes=[Outcome(f"{len(ids)} {what}", _lines(ids, known, anchors)) for what, ids in groups if ids],
        parts=list(refined.parts(refinement, whole=True)),
        patch=refinement.patch or "",
        rows=patch_rows(text) if text is not None else [],
        why=why,
    )


def _lines(ids: Sequence[str], known: Mapping[str, Issue], anchors: Mapping[str, str]) -> list[Line]:
    lines = []
    for name in ids:
        issue = known.get(name)
        if issue is None:
            lines.append(Line(name, "", "", "", ""))
        else:
            where = place(issue.file, issue.line_start, issue.line_end)
            lines.append(Line(name, anchors.get(name, ""), issue.severity.value, where, fold(issue.description)))
    return lines
