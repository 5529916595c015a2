"""``selfreview reset``: begin anew."""

from __future__ import annotations

import click

from selfreview.app.decisions import decision
from selfreview.cli import console
from selfreview.cli.overriding import overriding
from selfreview.cli.pr.journal import go
from selfreview.loop.states import AFTER_PUSH
from selfreview.model.session import SessionState


@click.command(name="reset")
@click.option("--reason", default="", help="Why, in your words.")
def command(reason: str) -> None:
    """Set this branch's session back to its beginning: no refinement counts, nobody has to look.

    What people accepted stays accepted, kept patches stay, and your tree is not touched. With an open pull request,
    feedback is answered again: earlier fix cycles do not count any more, and what a person was called for is tried.
    """
    with overriding("reset") as (lived, repo, _, _):
        session = lived.session
        after = session.request is not None and session.state in AFTER_PUSH
        if after:
            go(lived.recorder, SessionState.AWAITING_PR_FEEDBACK, reason="reset by hand")
            session.fix_cycle_reset, session.request_reset = session.fix_cycle, True
        elif session.state is not SessionState.PENDING_SELF_REVIEW:
            lived.recorder.move(SessionState.PENDING_SELF_REVIEW, reason="reset by hand")
        session.iteration, session.stop = 0, None
        session.human_review_required = session.human_review_at = None
        lived.recorder.decide(decision(repo, "reset", reason))
    if after:
        console.say(f"reset: the feedback on #{session.request} is answered again, by selfreview pr fix or pr watch")
    else:
        console.say("reset: the next selfreview run begins anew")
