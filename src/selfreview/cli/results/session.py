"""Description of a session in words: its state, pending patch, escalation, and people's decisions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from selfreview.app.acceptances import valid_acceptances
from selfreview.app.permitted import anew, is_permitted
from selfreview.cli.stored import when
from selfreview.model.issue import Issue
from selfreview.model.refinement import Stop
from selfreview.model.result import KeptPatch, Result
from selfreview.model.session import Decision, Session
from selfreview.model.session import SessionState as S
from selfreview.refine.states import AFTER_PUSH
from selfreview.reporters import words
from selfreview.text.escape import visible
from selfreview.text.layout import fold, plural

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
_MOST = 5
"""Maximum number of decisions listed, the newest ones."""


def facts(session: Session, head_tree: str | None, result: Result | None = None) -> Iterator[tuple[str, str]]:
    """Yield pairs of a label and a text, made visible.

    Args:
        session: The session.
        head_tree: Git's id of the tree that is committed now.
        result: The last review, where there is one.
    """
    kept = result.patch if result is not None else None
    if result is not None and result.held is not None and result.held.id == session.patch:
        kept = result.held
    issues = {issue.fingerprint: issue for issue in (result.issues if result is not None else ())}
    yield "session", _state(session)
    if session.patch is not None:
        shown = kept if kept is not None and kept.id == session.patch else None
        look = f", selfreview show --iteration {shown.iteration} shows it" if shown is not None else ""
        though = f", though {fold(shown.reason or '')}" if shown is not None and not shown.better else ""
        if shown is not None and shown.held:
            though += f", because it edits existing tests ({fold('; '.join(shown.held))})"
        yield "patch", f"{visible(session.patch)} waits{though}: selfreview apply puts it into your tree{look}"
    if session.request is not None:
        cycles = f", {plural(session.fix_cycle, 'fix cycle')} so far" if session.fix_cycle else ""
        yield "request", f"#{session.request}{cycles}: {visible(session.request_url)}"
    if session.human_review_required is not None:
        since = f" since {when(visible(session.human_review_at))}" if session.human_review_at else ""
        yield "person", f"needed{since}: {fold(session.human_review_required)}"
    earlier = len(session.decisions) - _MOST
    if earlier > 0:
        yield "decided", f"{plural(earlier, 'earlier decision')}: --format json has all of them"
    for number, decision in list(enumerate(session.decisions))[-_MOST:]:
        yield "decided", _decision(decision, head_tree, session.decisions[number + 1 :], issues)


def _state(session: Session) -> str:
    text = _WORDS[session.state]
    if session.state is S.FAILED:
        stage = f" while {_WORDS[session.failed_in]}" if session.failed_in is not None else ""
        text += f"{stage}: {fold(session.error or 'no reason is known')}"
    if session.iteration:
        text += f"; {_refinements(session)}"
    if session.stop not in (None, Stop.PASSED):
        text += f", stopped by: {session.stop.value.replace('_', ' ')}"
    return text


def _refinements(session: Session) -> str:
    """Return the number of finished refinements, or that of the current one."""
    number, most = session.iteration, session.max_iterations
    stage = session.failed_in if session.state is S.FAILED else session.state
    if stage in (S.REFINING, S.SELF_REVIEWING):
        return f"refinement {number} of {most} is unfinished"
    return f"{number} of {plural(most, 'refinement')} done"


def _decision(decision: Decision, head_tree: str | None, later: Sequence[Decision], issues: Mapping[str, Issue]) -> str:
    what = visible(decision.action)
    if decision.fingerprint:
        issue = issues.get(decision.fingerprint)
        name = issue.id if issue is not None else f"sr-{decision.fingerprint.partition(':')[2][:8]}"
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


def advice(session: Session | None, *, passed: bool, holds: bool | None, kept: KeptPatch | None = None) -> str | None:
    """Return advice on the next step where the session knows more than the last review, or None.

    Args:
        session: The session, or None.
        passed: Whether the last review passed.
        holds: Whether what it reviewed is what is there now; None: unknown.
        kept: The patch that it led to, or None.
    """
    if session is None:
        return None
    if session.state in AFTER_PUSH and session.request is not None:
        return f"selfreview pr status {session.request}; selfreview pr fix {session.request} answers feedback"
    if session.state in AFTER_PUSH:
        return f"wait for people to answer{anew(session.state)}"
    if session.state is S.FAILED or session.state in (S.SELF_REVIEWING, S.REFINING):
        return "if it is no longer running: selfreview resume"
    if passed or holds is False:
        return None
    interrupted = session.stop is Stop.INTERRUPTED and is_permitted("resume", session)
    worth = kept is None or kept.better or kept.id != session.patch
    if session.patch is not None and worth and not _is_undone(session):
        text = "apply the refinement, then review again: selfreview apply, selfreview run"
        return f"{text}; or continue where it was interrupted: selfreview resume" if interrupted else text
    if interrupted:
        return "continue where it was interrupted: selfreview resume"
    if session.human_review_required is not None:
        return "look at the open issues: fix them and selfreview run, or selfreview refine, accept, skip or ready"
    return None
