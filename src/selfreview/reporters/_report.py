"""The terminal report, from the issues to the summary line."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from selfreview.api import Issue, IssueStatus, Result, ReviewContext, Severity
from selfreview.model.result import ResultStatus
from selfreview.reporters import _words as words
from selfreview.reporters._brief import brief
from selfreview.reporters._issues import IssueWriter
from selfreview.reporters._iterations import iterations
from selfreview.reporters._paint import Paint
from selfreview.reporters._sources import Sources
from selfreview.reporters._summary import closing, footer, incomplete
from selfreview.review.verdict import Threshold
from selfreview.text.layout import plural, wrap

MOST_IN_FULL = 200
"""Issues shown with their text and code; the others in brief."""


def by_file(issues: Sequence[Issue]) -> list[Issue]:
    """Order issues: the file with the worst one first; within it what is about the whole of it, the worst, the line."""
    worst: dict[str, int] = {}
    for issue in issues:
        worst[issue.file] = max(worst.get(issue.file, 0), issue.severity.rank)
    return sorted(
        issues,
        key=lambda i: (
            -worst[i.file],
            i.file,
            i.line_start > 0,
            -i.severity.rank,
            i.line_start,
            i.column or 0,
            i.description,
        ),
    )


def _issues(
    result: Result, context: ReviewContext | None, paint: Paint, width: int, told: Collection[str] = ()
) -> Iterator[str]:
    threshold = Threshold(result.severity_threshold)
    opened = by_file([issue for issue in result.open_issues if issue.id not in told])
    again = by_file([issue for issue in result.open_issues if issue.id in told])
    major = [issue for issue in opened if issue.severity.at_least(Severity.MEDIUM) or threshold.blocks(issue)]
    writer = IssueWriter(width, paint, Sources(context))
    for issue in major[:MOST_IN_FULL]:
        yield from writer.full(issue)
        yield ""
    rest = major[MOST_IN_FULL:]
    yield from _list(f"{plural(len(rest), 'more issue')}, not shown in full", rest, paint, width)
    shown = set(map(id, major))
    for severity in Severity:
        minor = [issue for issue in opened if issue.severity is severity and id(issue) not in shown]
        yield from _list(words.amount(len(minor), severity), minor, paint, width, severities=False)
    yield from _list(f"{plural(len(again), 'issue')}, shown above", again, paint, width)
    unsure = by_file([issue for issue in result.issues if issue.status is IssueStatus.UNCONFIRMED])
    yield from _list(f"{len(unsure)} unconfirmed", unsure, paint, width)


def _list(title: str, issues: list[Issue], paint: Paint, width: int, *, severities: bool = True) -> Iterator[str]:
    if issues:
        yield paint(title, "bold")
        yield from brief(issues, width, paint, severities=severities)
        yield ""


def _error(result: Result, paint: Paint, width: int) -> Iterator[str]:
    if result.error is None:
        return
    for label, text, style in (("error: ", result.error.message, "red"), ("hint: ", result.error.hint, "cyan")):
        if text:
            first, *rest = wrap(text, max(20, width - len(label)))
            yield paint(label, "bold", style) + first
            yield from (" " * len(label) + line for line in rest)


def before_question(result: Result, context: ReviewContext | None, *, color: bool, width: int) -> Iterator[str]:
    """Yield what a person has to see before they are asked about the patch: the issues, and what refinement did.

    Args:
        result: The review of the tree as it is, with the refinements, and the patch as if it were applied.
        context, color, width: As for :func:`report`.
    """
    paint, width = Paint(color), max(width, 30)
    yield from _issues(result, context, paint, width)
    yield from iterations(result, paint, width)


def report(
    result: Result, context: ReviewContext | None, *, color: bool, width: int, told: Collection[str] | None = None
) -> Iterator[str]:
    """Yield the lines of the report, without their line feeds.

    Args:
        result, context, color: As :class:`selfreview.api.Reporter` is given them.
        width: Columns; at least 30 are used.
        told: Ids of the issues that :func:`before_question` has shown on the same terminal, or None.
    """
    paint, width = Paint(color), max(width, 30)
    yield from _error(result, paint, width)
    yield from _issues(result, context, paint, width, told or ())
    if told is None:
        yield from iterations(result, paint, width)
    if result.status is ResultStatus.INCOMPLETE:
        yield from incomplete(result, paint, width)
    if result.status is ResultStatus.NOTHING_TO_REVIEW:
        yield words.nothing(result)
    yield from footer(result, paint, width)
    if result.status in (ResultStatus.COMPLETE, ResultStatus.INCOMPLETE):
        yield from closing(result, paint, width)
