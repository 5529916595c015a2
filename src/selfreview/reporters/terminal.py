"""``terminal``: the report that a developer reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from selfreview.api import Issue, IssueStatus, Registry, Result, ReviewContext, Severity, hookimpl
from selfreview.api.reporter import Reporter as ReporterProtocol
from selfreview.model.result import ResultStatus
from selfreview.reporters import _words as words
from selfreview.reporters._issues import IssueWriter, by_file
from selfreview.reporters._paint import Paint
from selfreview.reporters._sources import Sources
from selfreview.reporters._summary import closing, footer, incomplete
from selfreview.reporters._text import plural, wrap

MOST_IN_FULL = 200
"""Issues shown with their text and code; the others in brief."""


def _in_full(issue: Issue, result: Result) -> bool:
    return issue.severity.at_least(Severity.MEDIUM) or words.blocks(issue, result.severity_threshold)


def _issues(result: Result, writer: IssueWriter, paint: Paint) -> Iterator[str]:
    chosen = by_file([issue for issue in result.open_issues if _in_full(issue, result)])
    for issue in chosen[:MOST_IN_FULL]:
        yield from writer.full(issue)
        yield ""
    rest = {
        f"{plural(len(chosen) - MOST_IN_FULL, 'more issue')}, not shown in full": chosen[MOST_IN_FULL:],
        "Minor": by_file([issue for issue in result.open_issues if not _in_full(issue, result)]),
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


def _lines(result: Result, context: ReviewContext | None, paint: Paint, width: int) -> Iterator[str]:
    yield from _error(result, paint, width)
    yield from _issues(result, IssueWriter(width, paint, Sources(context)), paint)
    if result.status is ResultStatus.INCOMPLETE:
        yield from incomplete(result, paint, width)
    if result.status is ResultStatus.NOTHING_TO_REVIEW:
        yield from wrap(words.nothing(result), width)
    yield from footer(result, paint, width)
    if result.status in (ResultStatus.COMPLETE, ResultStatus.INCOMPLETE):
        yield from closing(result, paint, width)


class Reporter:
    """The ``terminal`` format."""

    name = "terminal"

    def write(self, result: Result, out: BinaryIO, *, context: ReviewContext | None, color: bool, width: int) -> None:
        """Write the report; see :class:`selfreview.api.Reporter`."""
        lines = _lines(result, context, Paint(color), max(width, 30))
        out.write("".join(f"{line}\n" for line in lines).encode("utf-8"))


@hookimpl
def selfreview_register_reporters(registry: Registry[ReporterProtocol]) -> None:
    """Register the ``terminal`` format."""
    registry.add(Reporter())
