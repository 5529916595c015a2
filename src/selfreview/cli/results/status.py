"""``selfreview status``: the last review of this branch, whether it still holds, its session, what to do next."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Mapping, Sequence

import click

from selfreview.app.decisions import valid_acceptances
from selfreview.app.loading import patches_folder
from selfreview.app.permitted_commands import is_permitted, reset_advice
from selfreview.app.session import BranchReviews, branch_reviews
from selfreview.apply.applier import Applier, named
from selfreview.apply.patches import PatchStore
from selfreview.cli import console
from selfreview.cli.common import find_repo
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
from selfreview.errors import GitError, SelfreviewError
from selfreview.git.collect_change import collect
from selfreview.git.content import tree_id
from selfreview.git.repo import Repo
from selfreview.git.revisions import current_branch, head_of
from selfreview.git.scope import Resolved, ScopeRequest
from selfreview.model.change import Scope
from selfreview.model.issue import Issue, IssueStatus
from selfreview.model.refinement import Stop
from selfreview.model.result import KeptPatch, Result, ResultStatus, ScopeSummary
from selfreview.model.session import Decision, Session
from selfreview.model.session import SessionState as S
from selfreview.refine.states import AFTER_PUSH
from selfreview.reporters import refined, words
from selfreview.reporters.terminal.code import Paint
from selfreview.reporters.terminal.summary import labelled
from selfreview.review.fingerprint import ids_of
from selfreview.review.summary import NO_MODEL, not_run
from selfreview.review.verdict import Threshold
from selfreview.text.escape import visible
from selfreview.text.layout import fit, fold, plural

_MOST = 30
"""Maximum number of issues listed; there are other ways to read hundreds."""
_AGAIN = "review again: selfreview run"
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
        reviews = branch_reviews(store, branch)
        session = store.session(str(repo.root), branch or "")
    result = reviews.result
    holds = _still_holds(repo, result.scope) if result is not None and result.scope is not None else None
    passed = result is not None and result.passed
    kept = result.patch if result is not None else None
    moved = _moved_since(repo, session.patch) if session is not None and session.patch is not None else ""
    advice = session_advice(session, passed=passed, holds=holds, kept=kept, fits=not moved) or _advice(reviews, holds)
    if format_name == "json":
        later = [summary_of(other) for other in reviews.later if other is not result]
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
        session_lines: list[tuple[str, str]] = []
        if session is not None:
            tree = repo.git.line(["rev-parse", "--verify", "-q", "HEAD^{tree}"])
            session_lines += session_facts(session, tree, result, moved=moved)
            session_lines += _accepted_since(session, result)
        write_lines(_lines(branch, reviews, holds, session_lines, advice))


def _still_holds(repo: Repo, scope: ScopeSummary) -> bool | None:
    """Return whether the reviewed state is the current one, or None where that cannot be known."""
    committed = scope.mode in ("head", "commit", "range")
    if scope.tree is None and not committed:
        return None
    # The base does not matter here: against HEAD, only what is not committed has to be looked at.
    staged = scope.mode == "staged"
    try:
        head = head_of(repo).commit
        if committed:
            return head == scope.head
        now = Scope(mode="staged" if staged else "branch", head=head, uncommitted=True)
        resolved = Resolved(now, head or repo.empty_tree(), None, cached=staged)
        collected = collect(repo, ScopeRequest(staged=staged), resolved)
    except GitError as error:
        console.warn(f"cannot tell whether anything has changed since: {error.message}")
        return None
    try:
        return tree_id(repo, collected) == scope.tree
    finally:
        collected.close()


def _moved_since(repo: Repo, name: str) -> str:
    """Return which files of a kept patch are not what they were when it was made; nothing where it fits the tree."""
    patches = PatchStore(patches_folder(repo))
    try:
        return named(Applier(repo, patches, contextlib.nullcontext).moved(patches.get(name)))
    except (SelfreviewError, OSError):
        return ""  # selfreview apply says what is wrong with it


def _advice(reviews: BranchReviews, holds: bool | None) -> str:
    result = reviews.result
    if result is None:
        return "review the change: selfreview run"
    if holds is False:
        return _AGAIN
    if result.status is ResultStatus.NOTHING_TO_REVIEW:
        return "nothing: there is no change to review"
    if result.status is ResultStatus.INCOMPLETE:
        return "fix what kept the review from finishing, then review again: selfreview run"
    if not result.passed:
        return "fix what blocks, then review again: selfreview run (selfreview show ID explains an issue)"
    if reviews.whole is None:
        return "review the whole branch before it is pushed: selfreview run"
    if reviews.later and not reviews.later[0].passed:
        return "fix what the later review of a part found, then review again: selfreview run"
    return "nothing: this change has passed" + (f", but {unrun}" if (unrun := not_run(result)) else "")


def _lines(
    branch: str | None,
    reviews: BranchReviews,
    holds: bool | None,
    session_lines: Sequence[tuple[str, str]],
    advice: str,
) -> Iterator[str]:
    result = reviews.result
    width, paint = columns(), Paint(console.use_color("auto", sys.stdout.isatty()))
    name = f"branch {visible(branch)}" if branch else "a detached HEAD"
    if result is None:
        yield f"On {name}: no review yet"
    else:
        verdict = paint(outcome(result), "bold", "green" if result.passed else "red")
        counts = "" if result.status is ResultStatus.NOTHING_TO_REVIEW else f", {words.count_open(result)}"
        accepted = sum(issue.status is IssueStatus.ACCEPTED for issue in result.issues)
        counts += f", {accepted} accepted" if accepted else ""
        counts += f", {not_run(result)}" if not_run(result) else ""
        part = "" if reviews.whole else f" {_limits(result)}; no recent review of the whole branch"
        yield f"On {name}: {verdict}{counts}{part}"
        yield from _issues(result, paint, width)
        yield ""
        later = [other for other in reviews.later if other is not result]
        for label, text in (*_facts(result, holds), *_later(later)):
            yield from labelled(label, text, paint, width)
    for label, text in session_lines:
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
    reviews = valid_acceptances(session.decisions)
    for issue in result.open_issues if result is not None else ():
        if issue.fingerprint in reviews:
            yield "accepted", f"{visible(issue.id)} since then: it counts from the next run"


def _issues(result: Result, paint: Paint, width: int) -> Iterator[str]:
    """Yield issues that block, other open ones, and accepted ones with their reasons, one line each."""
    threshold = Threshold(result.severity_threshold)
    issues = sorted(result.open_issues, key=lambda i: (-i.severity.rank, i.file, i.line_start, i.id))
    blocking = threshold.blocking(issues)
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


_WORDS = {
    S.PENDING_SELF_REVIEW: "to be reviewed",
    S.SELF_REVIEWING: "a review is running, or was interrupted",
    S.SELF_REVIEW_PASSED: "the self-review passed",
    S.SELF_REVIEW_FAILED: "the self-review did not pass",
    S.REFINING: "a refinement is running, or was interrupted",
    S.PR_CREATED: "the pull request is open",
    S.AWAITING_PR_FEEDBACK: "the pull request waits for feedback",
    S.ADDRESSING_FEEDBACK: "feedback on the pull request is being addressed",
    S.READY_FOR_HUMAN_REVIEW: "ready for people to review",
    S.APPROVED: "approved",
    S.MERGED: "merged",
    S.FAILED: "it failed",
    S.CLOSED: "closed",
}
_MOST_DECISIONS = 5
"""Maximum number of decisions listed, the newest ones."""


def session_facts(
    session: Session, head_tree: str | None, result: Result | None = None, *, moved: str = ""
) -> Iterator[tuple[str, str]]:
    """Yield pairs of a label and a text, made visible.

    Of an earlier run's refinement nothing is shown that a later review has replaced.

    Args:
        session: The session.
        head_tree: Git's id of the tree that is committed now.
        result: The last review, where there is one.
        moved: Which files of the kept patch have changed since, so that it cannot be applied.
    """
    replaced = _is_replaced(session, result)
    kept = result.patch if result is not None else None
    if result is not None and result.held is not None and result.held.id == session.patch:
        kept = result.held
    issues = {issue.fingerprint: issue for issue in (result.issues if result is not None else ())}
    yield "session", _state(session, result, replaced=replaced)
    if session.patch is not None and moved and not replaced:
        yield "patch", f"{visible(session.patch)} does not fit any more: {moved} changed since it was made"
    elif session.patch is not None and not (replaced and (moved or result is None or result.passed)):
        shown = kept if kept is not None and kept.id == session.patch else None
        look = f", selfreview show --iteration {shown.iteration} shows it" if shown is not None else ""
        though = f", though {fold(shown.reason or '')}" if shown is not None and not shown.better else ""
        if shown is not None and shown.held:
            though += f", because it edits existing tests ({fold('; '.join(shown.held))})"
        yield "patch", f"{visible(session.patch)} waits{though}: selfreview apply puts it into your tree{look}"
    if session.request is not None:
        cycles = f", {plural(session.fix_cycle, 'fix cycle')} so far" if session.fix_cycle else ""
        yield "request", f"#{session.request}{cycles}: {visible(session.request_url)}"
    if session.human_review_required is not None and not replaced:
        since = f" since {when(visible(session.human_review_at))}" if session.human_review_at else ""
        yield "person", f"needed{since}: {fold(session.human_review_required)}"
    earlier = len(session.decisions) - _MOST_DECISIONS
    if earlier > 0:
        yield "decided", f"{plural(earlier, 'earlier decision')}: --format json has all of them"
    for number, decision in list(enumerate(session.decisions))[-_MOST_DECISIONS:]:
        yield "decided", _decision(decision, head_tree, session.decisions[number + 1 :], issues)


def _is_replaced(session: Session, result: Result | None) -> bool:
    """Return whether the last review is later than the run that the session knows, as where people were called before.

    With a pull request the session is about that, whatever is reviewed meanwhile.
    """
    known = session.run_id is not None and session.request is None
    return known and result is not None and result.run_id != session.run_id


def _state(session: Session, result: Result | None, *, replaced: bool) -> str:
    nothing = result is not None and result.status is ResultStatus.NOTHING_TO_REVIEW
    text = "nothing to review" if nothing and session.state is S.SELF_REVIEW_PASSED else _WORDS[session.state]
    if session.state is S.FAILED:
        stage = f" while {_WORDS[session.failed_in]}" if session.failed_in is not None else ""
        text += f"{stage}: {fold(session.error or 'no reason is known')}"
    if session.iteration and not replaced:
        text += f"; {_refinements(session)}"
    if session.stop not in (None, Stop.PASSED) and not replaced:
        text += f", stopped by: {session.stop.value.replace('_', ' ')}"
    return text


def _refinements(session: Session) -> str:
    """Return the number of finished refinements, or that of the current one."""
    number, limit = session.iteration, session.max_iterations
    stage = session.failed_in if session.state is S.FAILED else session.state
    if stage in (S.REFINING, S.SELF_REVIEWING):
        return f"refinement {number} of {limit} is unfinished"
    return f"{number} of {plural(limit, 'refinement')} done"


def _decision(decision: Decision, head_tree: str | None, later: Sequence[Decision], issues: Mapping[str, Issue]) -> str:
    what = visible(decision.action)
    if decision.fingerprint:
        issue = issues.get(decision.fingerprint)
        name = issue.id if issue is not None else ids_of([decision.fingerprint, *issues])[0]
        what += f" {visible(name)}" + (f" ({words.place(issue)})" if issue is not None else "")
    text = f"{what}, by {visible(decision.who)}, {when(visible(decision.at))}"
    if decision.reason:
        text += f": {fold(decision.reason)}"
    if decision.action == "skip" and decision.tree != head_tree:
        text += " (for an earlier commit: it no longer counts)"
    if decision.action == "accept" and decision.fingerprint not in valid_acceptances([decision, *later]):
        text += " (withdrawn since)"
    if decision.action == "ready" and any(other.action == "reset" for other in later):
        text += " (reset since: it no longer counts)"
    return text


def _is_undone(session: Session) -> bool:
    """Return whether the pending patch was applied and then undone by the person."""
    moves = [decision for decision in session.decisions if decision.action in ("apply", "undo")]
    return bool(moves) and (moves[-1].action, moves[-1].reason) == ("undo", session.patch)


def session_advice(
    session: Session | None, *, passed: bool, holds: bool | None, kept: KeptPatch | None = None, fits: bool = True
) -> str | None:
    """Return advice on the next step where the session knows more than the last review, or None.

    Args:
        session: The session, or None.
        passed: Whether the last review passed.
        holds: Whether what it reviewed is what is there now; None: unknown.
        kept: The patch that it led to, or None.
        fits: Whether the session's patch can be applied to the tree.
    """
    if session is None:
        return None
    if session.state in AFTER_PUSH and session.request is not None:
        return f"selfreview pr status {session.request}; selfreview pr fix {session.request} answers feedback"
    if session.state in AFTER_PUSH:
        return f"wait for people to answer{reset_advice(session.state)}"
    if session.state is S.FAILED or session.state in (S.SELF_REVIEWING, S.REFINING):
        return "if it is no longer running: selfreview resume"
    is_reset = (
        session.state is S.PENDING_SELF_REVIEW and session.decisions[-1:] and session.decisions[-1].action == "reset"
    )
    if passed or holds is False or is_reset:
        return _AGAIN if is_reset else None
    interrupted = session.stop is Stop.INTERRUPTED and is_permitted("resume", session)
    worth = fits and (kept is None or kept.better or kept.id != session.patch)
    if session.patch is not None and worth and not _is_undone(session):
        text = "apply the refinement, then review again: selfreview apply, selfreview run"
        return f"{text}; or continue where it was interrupted: selfreview resume" if interrupted else text
    if interrupted:
        return "continue where it was interrupted: selfreview resume"
    if session.human_review_required is not None:
        return (
            "look at the open issues: fix them, then selfreview run; or selfreview refine lets the fixers try again, "
            "selfreview accept ID lets an issue stand, selfreview skip allows a pull request as it is, "
            "selfreview ready hands the branch to people"
        )
    return None
