"""One issue of a stored review, by its name, and what became of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from selfreview.app.session import branch_reviews
from selfreview.errors import UsageError
from selfreview.model.issue import Issue, IssueStatus
from selfreview.model.refinement import FixerReport, FixOutcome
from selfreview.model.result import Result
from selfreview.reporters.refined import OUTCOMES, first_line
from selfreview.store import IssueRecord, Store
from selfreview.store.runs import History
from selfreview.text.escape import visible
from selfreview.text.layout import fold

_CANDIDATES = 8
_EMPTY = ("sr-", "v1:")
_UNSEEN = (IssueStatus.OUT_OF_SCOPE, IssueStatus.DUPLICATE)
"""Statuses of issues that no report shows as issues of their own."""


def is_id(name: str) -> bool:
    """Return whether a name is an id or a fingerprint of an issue, and not the name of a rule."""
    return name.startswith(_EMPTY)


def named_issue(store: Store, name: str, branch: str | None) -> IssueRecord:
    """Return the issue with a name; a rule is that of its only issue in the branch's latest review.

    Raises:
        UsageError: If there is none, or several; the hint lists them.
        StoreError: If it cannot be read.
    """
    if is_id(name):
        if name in _EMPTY:
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
        places = [f"{issue.id} ({issue.file}:{issue.line_start})" for issue in issues[:_CANDIDATES]]
        more = f" and {len(issues) - _CANDIDATES} more" if len(issues) > _CANDIDATES else ""
        raise UsageError(f"{len(issues)} issues of the latest review are {name}", hint=", ".join(places) + more)
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
