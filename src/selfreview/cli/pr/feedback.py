"""``selfreview pr feedback``: what reviewers said, and what it is taken to mean."""

from __future__ import annotations

import sys
from typing import Any

import click

from selfreview.api import Feedback, ReadsFeedback
from selfreview.cli import console
from selfreview.cli.pr.local_ports import LocalWorkshop
from selfreview.cli.pr.opened import RequestNumber, opened, remote_options
from selfreview.cli.pr.output import lines_of_analysis
from selfreview.cli.pr.status import answered_state_of, next_step, read_feedback, session_of, unfinished
from selfreview.errors import ForgeError, LimitError, ModelAwayError
from selfreview.model.wire import document
from selfreview.pullrequest.texts import analysis_without_secrets, without_secrets
from selfreview.text.escape import visible


@click.command(name="feedback")
@click.argument("number", type=RequestNumber(), required=False)
@click.option("-a", "--all", "every", is_flag=True, help="Show resolved, ignored and untrusted feedback, too.")
@click.option("-f", "--format", "format_", type=click.Choice(["terminal", "json"]), default="terminal",
              help="Output format.")  # fmt: skip
@remote_options
def command(number: int | None, every: bool, format_: str, **options: Any) -> None:
    """Show reviewers' feedback on a pull request, and how it is understood. Nothing is done about it.

    A model, where one may be asked, reads what is not clear without it: once for the same text in the same thread.
    """
    with opened(number, options) as found:
        connection = found.place.connection
        if not isinstance(connection, ReadsFeedback):
            raise ForgeError(f"{found.place.forge.name} does not show what reviewers say")
        feedback = read_feedback(found, connection)
        session, answered = session_of(found), answered_state_of(found, feedback)
        again = session is not None and session.request_reset
        workshop = LocalWorkshop(found.project, found.place, own=found.own, options={})
        handled = answered.handled(retry=again)
        blocked = False
        try:
            analysis = workshop.analyse(feedback, found.policy, handled)
        except (LimitError, ModelAwayError) as error:
            console.warn(error.message)
            analysis = workshop.analyse(feedback, found.policy, handled, asks=False)
            blocked = True  # pr fix waits, too: what it does about the rest may depend on that
        analysis = answered.with_outcomes(analysis, [] if again else answered.waiting(feedback, found.policy))
        if blocked:
            analysis = analysis.blocked()
        following = next_step(found, feedback, answered, session, unfinished(found, feedback, answered, session))
    if format_ == "json":
        sys.stdout.buffer.write(
            document({"feedback": _clean(feedback), "analysis": analysis_without_secrets(analysis), "next": following})
        )
        return
    request = feedback.request
    console.say(visible(f"#{request.number} {request.title}: {analysis.overall.replace('_', ' ')}"))
    if request.draft and not found.rules.drafts:
        console.say("  a draft, so selfreview pr fix does nothing about it: mark it as ready, or set feedback.drafts")
    for problem in feedback.problems:
        console.say(f"  not read: {visible(problem)}")
    for text in feedback.not_shown:
        console.say(f"  {visible(text)}")
    for login, opinion in feedback.opinions.items():
        console.say(visible(f"  {login}: {opinion.replace('_', ' ')}"))
    for check in feedback.checks:
        console.say(visible(f"  check {check.name}: {check.state}"))
    for line in lines_of_analysis(analysis, every=every):
        console.say(line)
    console.say(visible(f"  pr fix would do next: {following}"))


def _clean(feedback: Feedback) -> Feedback:
    import msgspec

    return msgspec.structs.replace(feedback, items=tuple(without_secrets(item) for item in feedback.items))
