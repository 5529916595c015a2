"""Stored reviews of a branch: opening the store, times and verdicts in words, one issue by its name."""

from __future__ import annotations

import calendar
import shutil
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import msgspec

from selfreview.app.loading import open_store
from selfreview.app.session import branch_reviews
from selfreview.cli import console
from selfreview.errors import UsageError
from selfreview.git.repo import Repo
from selfreview.model.issue import Issue, IssueStatus, Severity
from selfreview.model.refinement import FixerReport, FixOutcome
from selfreview.model.result import Counts, Result, ResultStatus, ScopeSummary, Verdict
from selfreview.model.wire import document
from selfreview.reporters import words
from selfreview.reporters.refined import OUTCOMES, first_line
from selfreview.reporters.terminal.code import Paint
from selfreview.review.fingerprint import digits_of, is_name
from selfreview.store import IssueRecord, Store
from selfreview.store.numbers import PrunedRun
from selfreview.store.runs import History
from selfreview.store.summaries import RunNumbers
from selfreview.text.escape import quiet, visible
from selfreview.text.layout import cells, fit, fold, listing


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


def summary_of_pruned(run: PrunedRun) -> dict[str, object]:
    """Return the JSON object of a review of which only the numbers are kept; what is not known any more is null."""
    numbers = run.numbers
    return {
        "runId": run.id,
        "timestamp": run.at,
        "branch": run.branch or None,
        "mode": None,
        "base": None,
        "head": None,
        "partial": None,
        "askedLess": None,
        "status": numbers.status,
        "verdict": numbers.verdict,
        "passed": numbers.passed,
        "counts": numbers.severities,
        "iterations": numbers.iterations,
        "stop": numbers.stop,
        "applied": None,
        "durationMs": numbers.duration_ms,
        "pruned": True,
    }


def reviewed(scope: ScopeSummary) -> str:
    """Return the scope of a review in words."""
    less = " (with weaker options)" if scope.asked_less else ""
    return words.compared(scope) + (" (partly)" if scope.partial else less)


def when(timestamp: str, *, seconds: bool = False) -> str:
    """Return a stored time as local time to the minute or the second, or as it is where it is none."""
    try:
        since = calendar.timegm(time.strptime(timestamp, "%Y-%m-%dT%H:%M:%SZ"))
    except ValueError:
        return timestamp
    return time.strftime("%Y-%m-%d %H:%M:%S" if seconds else "%Y-%m-%d %H:%M", time.localtime(since))


def outcome(result: Result | RunNumbers) -> str:
    """Return the verdict in words: ``needs_work``, ``incomplete, critical_issues``, ``needs_work (passed)``."""
    verdict = result.verdict.value if result.verdict else ""
    if result.status is ResultStatus.NOTHING_TO_REVIEW:
        return "nothing to review"
    if result.status is not ResultStatus.COMPLETE:
        return f"{result.status.value}, {verdict}" if verdict else result.status.value
    if result.passed == (result.verdict is Verdict.PASS):
        return verdict
    return f"{verdict} ({'passed' if result.passed else 'not passed'})"


def open_counts(counts: Counts) -> str:
    """Return ``1 critical, 2 low``, or ``-`` without open issues."""
    numbers = {severity: getattr(counts, severity.value) for severity in Severity}
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


_CANDIDATES = 8
_UNSEEN = (IssueStatus.OUT_OF_SCOPE, IssueStatus.DUPLICATE)
"""Statuses of issues that no report shows as issues of their own."""


def named_issue(store: Store, name: str, branch: str | None) -> IssueRecord:
    """Return the issue with a name; a rule is that of its only issue in the branch's latest review.

    Raises:
        UsageError: If there is none, or several; the hint lists them.
        StoreError: If it cannot be read.
    """
    if is_name(name):
        if not digits_of(name):
            raise UsageError(
                f"{name!r} is no whole issue id: nothing follows the prefix",
                hint="selfreview status lists the open ones",
            )
        return store.issue(name)
    whole, later = branch_reviews(store, branch)
    named = ([i for i in r.issues if name in _names(i)] for r in (whole, *later) if r)
    issues = next(filter(None, named), [])
    issues = [issue for issue in issues if issue.status not in _UNSEEN] or issues
    if not issues:
        raise UsageError(
            f"no issue is called {name!r}", hint="give an id (sr-…), or a rule that the latest review reports"
        )
    if len(issues) > 1:
        places = [f"{issue.id} ({issue.file}:{issue.line_start})" for issue in issues]
        hint = listing(places, _CANDIDATES)
        raise UsageError(f"{len(issues)} issues of the latest review are {name}", hint=hint)
    return store.issue(issues[0].fingerprint)


def shown_as_one(store: Store, record: IssueRecord) -> list[Issue]:
    """Return an issue and its duplicates, which the report shows as one issue.

    What is merged into it later is something that nobody has seen yet, and does not count as accepted.
    """
    issues = store.result(record.history.last_run).issues
    name = record.issue.duplicate_of or record.issue.id
    shown = next((issue for issue in issues if issue.id == name), record.issue)
    return [shown, *(issue for issue in issues if issue.duplicate_of == shown.id)]


def _names(issue: Issue) -> tuple[str, ...]:
    """Return the names of an issue besides its id; a check also has the name that the report lists."""
    if issue.rule is None:
        return ()
    check = (issue.reviewer,) if issue.is_check else ()
    return (issue.rule, f"{issue.reviewer}/{issue.rule}", *check)


ADDRESSED = "addressed"
"""Status of an issue that is in no result, because the refinement that addressed it was applied at once."""


class Said(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The outcome of one fixer on an issue.

    Attributes:
        run_id: The run.
        iteration: The refinement, from 1.
        fixer: Who was given the issue.
        outcome, why: Its word on it, where it gave one.
        rejected: Why what it wrote was not kept, for all of its issues.
        error: Why it failed, or None.
        addressed: Whether the review after it found the issue no more.
    """

    run_id: str | None
    iteration: int
    fixer: str
    outcome: FixOutcome | None = None
    why: str = ""
    rejected: list[str] = []
    error: str | None = None
    addressed: bool = False

    def sentence(self) -> str:
        """Return the answer as one line, made visible."""
        text = f"{visible(self.run_id or '')}, refinement {self.iteration}, {visible(self.fixer)}: "
        text += "addressed" if self.addressed else "still open"
        if self.outcome is FixOutcome.ADDRESSED:
            text += f"; it says: {fold(self.why)}" if self.why else ""
        elif self.outcome is not None:
            text += f"; {OUTCOMES[self.outcome]}" + (f": {fold(self.why)}" if self.why else "")
        if self.error:
            text += f"; failed: {fold(self.error)}"
        return text + "".join(f"; rejected: {fold(first_line(reason))}" for reason in self.rejected)


def said_of(issues: Sequence[Issue], results: Sequence[Result]) -> list[Said]:
    """Return the answers of fixers on an issue and its duplicates, the newest run first, within a run in order."""
    names = [issue.id for issue in issues]
    return [said for result in results for said in _of_run(names, result)]


def _of_run(names: Sequence[str], result: Result) -> Iterator[Said]:
    for number, iteration in enumerate(result.iterations, start=1):
        for report in iteration.refinement.fixers:
            for name in names:
                if name in report.issues:
                    addressed = name in iteration.refinement.addressed_issue_ids
                    yield _said(name, report, result.run_id, number, addressed=addressed)


def _said(issue: str, report: FixerReport, run: str | None, number: int, *, addressed: bool) -> Said:
    answer = next((answer for answer in report.answers if answer.issue == issue), None)
    return Said(
        run_id=run,
        iteration=number,
        fixer=report.name,
        outcome=answer.outcome if answer else None,
        why=answer.why if answer else "",
        rejected=report.rejected,
        error=report.error,
        addressed=addressed,
    )


def only_addressed(name: str, results: Sequence[Result]) -> IssueRecord | None:
    """Return an issue that no stored result has, because the refinement that addressed it was applied at once.

    Args:
        name: Its id or fingerprint, or the beginning of one.
        results: Where to look, the newest first.
    """
    for result in results:
        for iteration in result.iterations:
            for issue in iteration.addressed:
                if issue.id.startswith(name) or issue.fingerprint.startswith(name):
                    at, run = result.timestamp, result.run_id or ""
                    return IssueRecord(issue, History(issue.fingerprint, issue.id, at, at, run, run, 1, ADDRESSED))
    return None
