"""``selfreview skip``, ``ready`` and ``reset``: decisions on a branch as a whole."""

from __future__ import annotations

import click

from selfreview.app.decisions import check_reason, decision
from selfreview.app.notices import send_what_waits
from selfreview.cli import console
from selfreview.cli.common import overriding
from selfreview.cli.pr.journal import go
from selfreview.cli.terminal import Terminal
from selfreview.model.session import SessionState
from selfreview.pullrequest.notify import tell_ready
from selfreview.refine.states import AFTER_PUSH


@click.command(name="skip")
@click.option("--reason", required=True, help="Why; the pull request shows it.")
def skip(reason: str) -> None:
    """Allow a pull request of this branch, as it is now, although the review does not pass.

    It changes no verdict and no exit code, and is void after the next commit that changes a file.
    """
    with overriding("skip", begin=True) as (live, repo, _, _):
        tree = repo.git.line(["rev-parse", "--verify", "-q", "HEAD^{tree}"])
        live.recorder.decide(decision(repo, "skip", check_reason(reason), tree=tree))
        uncommitted = bool(repo.git.call(["status", "--porcelain"]).stdout)
    console.say("noted: a pull request may be opened from what is committed now; it will list the open issues")
    if uncommitted:
        console.note("uncommitted changes are not included: commit them, and run selfreview skip again")


@click.command(name="ready")
@click.option("--reason", default="", help="Why, in your words.")
def ready(reason: str) -> None:
    """Mark this branch as ready for people to review, whatever is still open."""
    with overriding("ready") as (live, repo, project, _):
        live.recorder.move(SessionState.READY_FOR_HUMAN_REVIEW, reason=reason.strip())
        live.recorder.decide(decision(repo, "ready", check_reason(reason) if reason else ""))
        why = reason.strip() or "marked by hand"
        live.recorder.ready(why)
        # By its own word: the hook is called for others as well, and that would say it once more for them.
        tell_ready(live.recorder.session, why, live.recorder.config)
        uncommitted = bool(repo.git.call(["status", "--porcelain"]).stdout)
    console.say("ready for people to review")
    send_what_waits(project, Terminal())
    if uncommitted:
        console.note("uncommitted changes are not included: commit them")


@click.command(name="reset")
@click.option("--reason", default="", help="Why, in your words.")
def reset(reason: str) -> None:
    """Start over: earlier refinements, and calls for a person, no longer count for this branch.

    What people accepted stays accepted, kept patches stay, and your tree is not touched. With an open pull request,
    feedback is answered again: earlier fix cycles no longer count, and what was left to a person is tried.
    """
    with overriding("reset") as (live, repo, _, _):
        session = live.session
        after = session.request is not None and session.state in AFTER_PUSH
        if after:
            go(live.recorder, SessionState.AWAITING_PR_FEEDBACK, reason="reset by hand")
            session.fix_cycle_reset, session.request_reset = session.fix_cycle, True
        elif session.state is not SessionState.PENDING_SELF_REVIEW:
            live.recorder.move(SessionState.PENDING_SELF_REVIEW, reason="reset by hand")
        session.iteration, session.stop = 0, None
        session.human_review_required = session.human_review_at = None
        live.recorder.decide(decision(repo, "reset", reason))
    if after:
        console.say(
            f"reset: the feedback on #{session.request} will be answered again by selfreview pr fix or pr watch"
        )
    else:
        console.say("reset: the next selfreview run starts over")
