"""``selfreview pr status``: where a pull request stands."""

from __future__ import annotations

import sys
from typing import Any

import click

from selfreview.api import Feedback, ReadsFeedback
from selfreview.cli import console
from selfreview.cli.pr.next_step import answered_state_of, counted, next_step, read_feedback, session_of, unfinished
from selfreview.cli.pr.opened import RequestNumber, opened, remote_options
from selfreview.cli.pr.worktrees import find_tree
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
    with opened(number, options) as found:
        request, repo = found.request, found.repo
        feedback = Feedback(request=request)
        if isinstance(found.place.connection, ReadsFeedback):
            feedback = read_feedback(found, found.place.connection)
        opinions = feedback.opinions
        tree = find_tree(repo, request.head) if request.same_repository else None
        session, answered = session_of(found), answered_state_of(found, feedback)
        undone = unfinished(found, feedback, answered, session)
        following = next_step(found, feedback, answered, session, undone)
    last = answered.commits[-1] if answered.commits else None
    cycles, count = answered.cycles, counted(answered, session)
    needed = session.human_review_required if session is not None else None
    if format_ == "json":
        shown = {
            "request": request,
            "opinions": opinions,
            "cycles": cycles,
            "cyclesCounted": count,
            "maxFixCycles": found.rules.max_fix_cycles,
            "next": following,
            "commit": last.sha if last is not None else None,
            "undone": undone,
            "state": session.state.value if session is not None else None,
            "humanReviewRequired": needed,
            "humanReviewAt": session.human_review_at if session is not None else None,
            "worktree": str(tree.path) if tree is not None else None,
        }
        sys.stdout.buffer.write(document(shown))
        return
    draft = ", a draft" if request.draft else ""
    lines = [f"#{request.number} {request.title}: {request.state}{draft}", f"  {request.url}"]
    lines += [f"  {login}: {opinion.replace('_', ' ')}" for login, opinion in opinions.items()]
    before = f" since the reset, {cycles} in all" if cycles > count else ""
    lines += [f"  fix cycles: {count} of at most {found.rules.max_fix_cycles}{before}"]
    lines += [f"  last fix: {last.sha[:12]}"] if last is not None else []
    lines += [f"  session: {session.state.replace('_', ' ')}"] if session is not None else []
    lines += [f"  a person is needed: {needed}"] if needed else []
    if session is not None and session.waits:
        lines += [f"  waited {plural(session.waits, 'time')} in a row: this machine could do nothing"]
    lines += [f"  pr fix would do next: {following}"]
    for line in lines:
        console.say(visible(line))
