"""The terminal report, from the issues to the summary line."""

from __future__ import annotations

from collections.abc import Iterator

from selfreview.api import Issue, IssueStatus, Result, ReviewContext, Severity
from selfreview.model.result import ResultStatus
from selfreview.reporters import _words as words
from selfreview.reporters._issues import IssueWriter, by_file
from selfreview.reporters._paint import Paint
from selfreview.reporters._sources import Sources
from selfreview.reporters._summary import closing, footer, incomplete
from selfreview.reporters._text import plural, wrap
from selfreview.review.verdict import Threshold

MOST_IN_FULL = 200
"""Issues shown with their text and code; the others in brief."""


def _in_full(issue: Issue, threshold: Threshold) -> bool:
    return issue.severity.at_least(Severity.MEDIUM) or threshold.blocks(issue)


def _issues(result: Result, writer: IssueWriter, paint: Paint) -> Iterator[str]:
    threshold = Threshold(result.severity_threshold)
    chosen = by_file([issue for issue in result.open_issues if _in_full(issue, threshold)])
    for issue in chosen[:MOST_IN_FULL]:
        yield from writer.full(issue)
        yield ""
    rest = {
        f"{plural(len(chosen) - MOST_IN_FULL, 'more issue')}, not shown in full": chosen[MOST_IN_FULL:],
        "Minor": by_file([issue for issue in result.open_issues if not _in_full(issue, threshold)]),
        "Unconfirmed": by_file([issue for issue in result.issues if issue.status is IssueStatus.UNCONFIRMED]),
    }
    for title, issues in rest.items():
        if issues:
            yield paint(title, "bold")
            yield from writer.brief(issues)
            yield ""


def _error(result: Result, paint: Paint, width: int) -> Iterator[str]:
    if result.error is None:
        return
    for label, text, style in (("error: ", result.error.message, "red"), ("hint: ", result.error.hint, "cyan")):
        if text:
            first, *rest = wrap(text, max(20, width - len(label)))
            yield paint(label, "bold", style) + first
            yield from (" " * len(label) + line for line in rest)


def report(result: Result, context: ReviewContext | None, *, color: bool, width: int) -> Iterator[str]:
    """Yield the lines of the report, without their line feeds.

    Args:
        result, context, color: As :class:`selfreview.api.Reporter` is given them.
        width: Columns; at least 30 are used.
    """
    paint, width = Paint(color), max(width, 30)
    yield from _error(result, paint, width)
    yield from _issues(result, IssueWriter(width, paint, Sources(context)), paint)
    if result.status is ResultStatus.INCOMPLETE:
        yield from incomplete(result, paint, width)
    if result.status is ResultStatus.NOTHING_TO_REVIEW:
        yield words.nothing(result)
    yield from footer(result, paint, width)
    if result.status in (ResultStatus.COMPLETE, ResultStatus.INCOMPLETE):
        yield from closing(result, paint, width)
