"""``selfreview ready``: hand the change over to people."""

from __future__ import annotations

import click

from selfreview.app.decisions import check_reason, decision
from selfreview.app.notices import send_what_waits
from selfreview.cli import console
from selfreview.cli.overriding import overriding
from selfreview.cli.terminal import Terminal
from selfreview.model.session import SessionState
from selfreview.pullrequest.local_notices import tell_ready


@click.command(name="ready")
@click.option("--reason", default="", help="Why, in your words.")
def command(reason: str) -> None:
    """Mark this branch as ready for people to review, whatever is still open."""
    with overriding("ready") as (lived, repo, loaded, _):
        lived.recorder.move(SessionState.READY_FOR_HUMAN_REVIEW, reason=reason.strip())
        lived.recorder.decide(decision(repo, "ready", check_reason(reason) if reason else ""))
        why = reason.strip() or "marked by hand"
        lived.recorder.ready(why)
        # By its own word: the hook is called for others as well, and that would say it once more for them.
        tell_ready(lived.recorder.session, why, lived.recorder.config)
        uncommitted = bool(repo.git.call(["status", "--porcelain"]).stdout)
    console.say("ready for people to review")
    send_what_waits(loaded, Terminal())
    if uncommitted:
        console.note("what is not committed is no part of that: commit it")
