"""Stored reviews of a branch: opening the store, times and verdicts in words, lists."""

from __future__ import annotations

import calendar
import shutil
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from selfreview.app.loading import open_store
from selfreview.cli import console
from selfreview.git.repo import Repo
from selfreview.model.issue import Issue, Severity
from selfreview.model.result import Result, ResultStatus, ScopeSummary, Verdict
from selfreview.model.wire import document
from selfreview.reporters import words
from selfreview.reporters.terminal.code import Paint
from selfreview.store import Store
from selfreview.text.escape import quiet, visible
from selfreview.text.layout import cells, fit, fold


@contextmanager
def stored(repo: Repo) -> Iterator[Store]:
    """Open a repository's store to read; print its warnings at the end, also after an error."""
    with open_store(repo) as store:
        try:
            yield store
        finally:
            for warning in store.warnings:
                console.warn(warning)


def summary_of(result: Result) -> dict[str, object]:
    """Return the JSON object of a review without its issues."""
    scope = result.scope
    return {
        "runId": result.run_id,
        "timestamp": result.timestamp,
        "branch": scope.branch if scope else None,
        "mode": scope.mode if scope else None,
        "base": scope.base if scope else None,
        "head": scope.head if scope else None,
        "partial": scope.partial if scope else False,
        "askedLess": scope.asked_less if scope else False,
        "status": result.status,
        "verdict": result.verdict,
        "passed": result.passed,
        "counts": result.counts,
        "iterations": len(result.iterations),
        "stop": result.stop,
        "applied": result.patch is not None and result.patch.applied,
        "durationMs": result.duration_ms,
    }


def reviewed(scope: ScopeSummary) -> str:
    """Return the scope of a review in words."""
    less = " (with weaker options)" if scope.asked_less else ""
    return words.compared(scope) + (" (partly)" if scope.partial else less)


def when(timestamp: str) -> str:
    """Return a result's time as local time to the minute, or as it is where it is none."""
    try:
        seconds = calendar.timegm(time.strptime(timestamp, "%Y-%m-%dT%H:%M:%SZ"))
    except ValueError:
        return timestamp
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def outcome(result: Result) -> str:
    """Return the verdict in words: ``needs_work``, ``incomplete, critical_issues``, ``needs_work (passed)``."""
    verdict = result.verdict.value if result.verdict else ""
    if result.status is ResultStatus.NOTHING_TO_REVIEW:
        return "nothing to review"
    if result.status is not ResultStatus.COMPLETE:
        return f"{result.status.value}, {verdict}" if verdict else result.status.value
    if result.passed == (result.verdict is Verdict.PASS):
        return verdict
    return f"{verdict} ({'passed' if result.passed else 'not passed'})"


def open_counts(result: Result) -> str:
    """Return ``1 critical, 2 low``, or ``-`` without open issues."""
    numbers = {severity: getattr(result.counts, severity.value) for severity in Severity}
    return ", ".join(f"{number} {severity.value}" for severity, number in numbers.items() if number) or "-"


def write_json(value: object) -> None:
    """Print one JSON document."""
    _write(document(value))


def write_lines(lines: Iterable[str]) -> None:
    """Print lines in which everything from elsewhere is visible already, and CI services find no command."""
    _write("".join(f"{quiet(line)}\n" for line in lines).encode("utf-8", "replace"))


def columns() -> int:
    """Return the width of the terminal, at least 40."""
    return max(40, shutil.get_terminal_size((80, 24)).columns)


def _write(data: bytes) -> None:
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        return  # the reader has what it wanted; the end of the program tidies up


_ENOUGH = 24
"""Minimum columns of a description."""


def listed(issues: Sequence[Issue], paint: Paint, width: int) -> Iterator[str]:
    """Yield one line for each issue, in the order given.

    Args:
        issues: The issues.
        paint: Colours.
        width: Columns of the terminal.
    """
    level = max((len(issue.severity.value) for issue in issues), default=0)
    for issue in issues:
        head = f"  {visible(issue.id)}  {paint.severity(issue.severity, level)}  {words.place(issue)}  "
        room = width - len(visible(issue.id)) - level - cells(words.place(issue)) - 8
        yield head + fit(fold(issue.description), max(_ENOUGH, room))
