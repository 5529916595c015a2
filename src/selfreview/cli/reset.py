"""``selfreview reset``: begin anew."""

from __future__ import annotations

import click

from selfreview.cli import console
from selfreview.cli.overriding import decision, overriding
from selfreview.model.session import SessionState


@click.command(name="reset")
@click.option("--reason", default="", help="Why, in your words.")
def command(reason: str) -> None:
    """Set this branch's session back to its beginning: no refinement counts, nobody has to look.

    What people accepted stays accepted, kept patches stay, and your tree is not touched.
    """
    with overriding("reset") as (lived, repo, _, _):
        session = lived.session
        if session.state is not SessionState.PENDING_SELF_REVIEW:
            lived.recorder.move(SessionState.PENDING_SELF_REVIEW, reason="reset by hand")
        session.iteration, session.stop = 0, None
        session.human_review_required = session.human_review_at = None
        lived.recorder.decide(decision(repo, "reset", reason))
    console.say("reset: the next selfreview run begins anew")
