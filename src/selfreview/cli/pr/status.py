"""``selfreview pr status``: where a pull request stands, and the next step as far as no model is asked for it."""

from __future__ import annotations

import sys
from typing import Any

import click

from selfreview.app.pr.status import standing_of
from selfreview.cli import console
from selfreview.cli.pr.options import RequestNumber, remote_options, request_of
from selfreview.cli.terminal import Terminal
from selfreview.model.wire import document
from selfreview.text.escape import visible
from selfreview.text.layout import plural


@click.command(name="status")
@click.argument("number", type=RequestNumber(), required=False)
@click.option("-f", "--format", "format_", type=click.Choice(["terminal", "json"]), default="terminal",
              help="Output format.")  # fmt: skip
@remote_options
def command(number: int | None, format_: str, **options: Any) -> None:
    """Show a pull request: its state, its reviews, fix cycles so far, and whether a person is needed."""
    standing = standing_of(request_of(number, options), ui=Terminal())
    request, answered, session = standing.request, standing.answered, standing.session
    opinions, cycles, count = standing.feedback.opinions, answered.cycles, standing.counted
    last = answered.commits[-1] if answered.commits else None
    needed = session.human_review_required if session is not None else None
    if format_ == "json":
        shown = {
            "request": request,
            "opinions": opinions,
            "cycles": cycles,
            "cyclesCounted": count,
            "maxFixCycles": standing.rules.max_fix_cycles,
            "next": standing.following,
            "commit": last.sha if last is not None else None,
            "undone": standing.undone,
            "state": session.state.value if session is not None else None,
            "humanReviewRequired": needed,
            "humanReviewAt": session.human_review_at if session is not None else None,
            "worktree": str(standing.tree) if standing.tree is not None else None,
        }
        sys.stdout.buffer.write(document(shown))
        return
    draft = ", a draft" if request.draft else ""
    lines = [f"#{request.number} {request.title}: {request.state}{draft}", f"  {request.url}"]
    lines += [f"  {login}: {opinion.replace('_', ' ')}" for login, opinion in opinions.items()]
    before = f" since the reset, {cycles} in all" if cycles > count else ""
    lines += [f"  fix cycles: {count} of at most {standing.rules.max_fix_cycles}{before}"]
    lines += [f"  last fix: {last.sha[:12]}"] if last is not None else []
    lines += [f"  session: {session.state.replace('_', ' ')}"] if session is not None else []
    lines += [f"  a person is needed: {needed}"] if needed else []
    if session is not None and session.waits:
        lines += [f"  waited {plural(session.waits, 'time')} in a row: this machine could do nothing"]
    lines += [f"  pr fix would do next: {standing.following}"]
    for line in lines:
        console.say(visible(line))
