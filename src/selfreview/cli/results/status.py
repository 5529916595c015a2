"""``selfreview status``: the last review of this branch, whether it still holds, its session, what to do next."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import click

from selfreview.app.acceptances import valid_acceptances
from selfreview.app.outputs import use_color
from selfreview.app.session import BranchReviews, branch_reviews
from selfreview.cli import console
from selfreview.cli.common import find_repo
from selfreview.cli.results import session as sessions
from selfreview.cli.stored import (
    columns,
    listed,
    outcome,
    reviewed,
    stored,
    summary_of,
    when,
    write_json,
    write_lines,
)
from selfreview.errors import GitError
from selfreview.git.collect import collect
from selfreview.git.content import tree_id
from selfreview.git.repo import Repo
from selfreview.git.revisions import commit_of, current_branch
from selfreview.git.scope import Request
from selfreview.model.issue import IssueStatus
from selfreview.model.result import Result, ResultStatus, ScopeSummary
from selfreview.model.session import Session
from selfreview.reporters import refined, words
from selfreview.reporters.terminal.paint import Paint
from selfreview.reporters.terminal.summary import labelled
from selfreview.review.summary import NO_MODEL, not_run
from selfreview.review.verdict import Threshold
from selfreview.text.escape import visible
from selfreview.text.layout import fit, fold

_MOST = 30
"""Maximum number of issues listed; there are other ways to read hundreds."""
_MOST_LATER = 3
"""Maximum number of later, partial reviews listed."""


@click.command(name="status")
@click.option("-f", "--format", "format_name", type=click.Choice(["terminal", "json"]), default="terminal")
def command(format_name: str) -> None:
    """Show what the last review of this branch found, whether the tree has changed since, and what to do next.

    The exit code is 0 whatever the verdict was.
    """
    repo = find_repo()
    branch = current_branch(repo.git)
    with stored(repo) as store:
        standing = branch_reviews(store, branch)
        session = store.session(str(repo.root), branch or "")
    result = standing.result
    holds = _still_holds(repo, result.scope) if result is not None and result.scope is not None else None
    passed = result is not None and result.passed
    kept = result.patch if result is not None else None
    advice = sessions.advice(session, passed=passed, holds=holds, kept=kept) or _advice(standing, holds)
    if format_name == "json":
        later = [summary_of(other) for other in standing.later if other is not result]
        write_json(
            {
                "branch": branch,
                "upToDate": holds,
                "advice": advice,
                "session": session,
                "result": result,
                "later": later,
            }
        )
    else:
        lived: list[tuple[str, str]] = []
        if session is not None:
            tree = repo.git.line(["rev-parse", "--verify", "-q", "HEAD^{tree}"])
            lived += sessions.facts(session, tree, result)
            lived += _accepted_since(session, result)
        write_lines(_lines(branch, standing, holds, lived, advice))


def _still_holds(repo: Repo, scope: ScopeSummary) -> bool | None:
    """Return whether the reviewed state is the current one, or None where that cannot be known."""
    head = commit_of(repo.git, "HEAD")
    if scope.mode in ("head", "commit", "range"):
        return head == scope.head
    if scope.tree is None:
        return None
    # The base does not matter here: against HEAD, only what is not committed has to be looked at.
    request = Request(staged=True) if scope.mode == "staged" else Request(base="HEAD" if head else None)
    try:
        collected = collect(repo, request)
    except GitError as error:
        console.warn(f"cannot tell whether anything has changed since: {error.message}")
        return None
    try:
        return tree_id(repo, collected) == scope.tree
    finally:
        collected.close()


def _advice(standing: BranchReviews, holds: bool | None) -> str:
    result = standing.result
    if result is None:
        return "review the change: selfreview run"
    if holds is False:
        return "review again: selfreview run"
    if result.status is ResultStatus.INCOMPLETE:
        return "fix what kept the review from finishing, then review again: selfreview run"
    if not result.passed:
        return "fix what blocks, then review again: selfreview run (selfreview show ID explains an issue)"
    if standing.whole is None:
        return "review the whole branch before it is pushed: selfreview run"
    if standing.later and not standing.later[0].passed:
        return "fix what the later review of a part found, then review again: selfreview run"
    return "nothing: this change has passed" + (f", but {unrun}" if (unrun := not_run(result)) else "")


def _lines(
    branch: str | None, standing: BranchReviews, holds: bool | None, lived: Sequence[tuple[str, str]], advice: str
) -> Iterator[str]:
    result = standing.result
    width, paint = columns(), Paint(use_color("auto", sys.stdout.isatty()))
    name = f"branch {visible(branch)}" if branch else "a detached HEAD"
    if result is None:
        yield f"On {name}: no review yet"
    else:
        verdict = paint(outcome(result), "bold", "green" if result.passed else "red")
        counts = "" if result.status is ResultStatus.NOTHING_TO_REVIEW else f", {words.count_open(result)}"
        accepted = sum(issue.status is IssueStatus.ACCEPTED for issue in result.issues)
        counts += f", {accepted} accepted" if accepted else ""
        counts += f", {not_run(result)}" if not_run(result) else ""
        part = "" if standing.whole else f" {_limits(result)}; no recent review of the whole branch"
        yield f"On {name}: {verdict}{counts}{part}"
        yield from _issues(result, paint, width)
        yield ""
        later = [other for other in standing.later if other is not result]
        for label, text in (*_facts(result, holds), *_later(later)):
            yield from labelled(label, text, paint, width)
    for label, text in lived:
        yield from labelled(label, text, paint, width)
    yield from labelled("next", advice, paint, width)


def _limits(result: Result) -> str:
    less = result.scope is not None and result.scope.asked_less and not result.scope.partial
    return "with weaker options than the settings" if less else "in a part of it"


def _facts(result: Result, holds: bool | None) -> Iterator[tuple[str, str]]:
    yield "review", f"{result.run_id}, {when(result.timestamp)}"
    if result.scope is not None:
        yield "change", reviewed(result.scope)
    if result.status is ResultStatus.INCOMPLETE:
        yield "missing", words.why_incomplete(result)
    for name, why in words.skipped(result):
        yield "skipped", f"{name}: {why}"
    for note in words.notes(result):
        yield "note", note
    if words.no_model(result):
        yield "note", NO_MODEL
    if refined.stopped(result):
        yield "refined", refined.stopped(result)
    if holds and result.patch is not None and result.patch.applied:  # else it may have been taken back since
        yield "patch", refined.patch(result)
    if holds is not None:
        yield "since", "nothing has changed" if holds else "the tree has changed: this may be out of date"


def _later(results: Sequence[Result]) -> Iterator[tuple[str, str]]:
    """Yield later reviews of parts of the branch."""
    for result in results[:_MOST_LATER]:
        part = reviewed(result.scope) if result.scope is not None else "a part"
        yield "later", f"{result.run_id}, {when(result.timestamp)}, only {part}: {outcome(result)}"
    if len(results) > _MOST_LATER:
        yield "later", f"and {len(results) - _MOST_LATER} more: selfreview history"


def _accepted_since(session: Session, result: Result | None) -> Iterator[tuple[str, str]]:
    """Yield open issues that were accepted after their review."""
    standing = valid_acceptances(session.decisions)
    for issue in result.open_issues if result is not None else ():
        if issue.fingerprint in standing:
            yield "accepted", f"{visible(issue.id)} since then: it counts from the next run"


def _issues(result: Result, paint: Paint, width: int) -> Iterator[str]:
    """Yield issues that block, other open ones, and accepted ones with their reasons, one line each."""
    threshold = Threshold(result.severity_threshold)
    issues = sorted(result.open_issues, key=lambda i: (-i.severity.rank, i.file, i.line_start, i.id))
    blocking = [issue for issue in issues if threshold.blocks(issue)]
    others = [issue for issue in issues if not threshold.blocks(issue)]
    for title, group in (("blocking", blocking), ("open, not blocking", others)):
        if group:
            yield ""
            yield paint(f"{len(group)} {title}", "bold")
            yield from listed(group[:_MOST], paint, width)
        if len(group) > _MOST:
            yield f"  and {len(group) - _MOST} more; --format json has all of them"
    accepted = [issue for issue in result.issues if issue.status is IssueStatus.ACCEPTED]
    if accepted:
        yield ""
        yield paint(f"{len(accepted)} accepted", "bold")
    for issue in accepted[:_MOST]:
        yield fit(f"  {visible(issue.id)}  {words.place(issue)}  {fold(issue.status_reason or '')}", width)
    if len(accepted) > _MOST:
        yield f"  and {len(accepted) - _MOST} more; --format json has all of them"
