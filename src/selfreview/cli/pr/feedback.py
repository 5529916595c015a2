"""``selfreview pr feedback``: what reviewers said, and what it is taken to mean."""

from __future__ import annotations

import sys
from typing import Any

import click

from selfreview.api import Feedback
from selfreview.app.pr.status import standing_of
from selfreview.cli import console
from selfreview.cli.pr.options import RequestNumber, remote_options, request_of
from selfreview.cli.pr.output import lines_of_analysis
from selfreview.cli.terminal import Terminal
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
    standing = standing_of(request_of(number, options), ui=Terminal(), reads=True)
    feedback, analysis = standing.feedback, standing.analysis
    assert analysis is not None  # noqa: S101 - it was asked for
    if format_ == "json":
        sys.stdout.buffer.write(
            document(
                {
                    "feedback": _clean(feedback),
                    "analysis": analysis_without_secrets(analysis),
                    "next": standing.following,
                }
            )
        )
        return
    request = feedback.request
    console.say(visible(f"#{request.number} {request.title}: {analysis.overall.replace('_', ' ')}"))
    if request.draft and not standing.rules.drafts:
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
    console.say(visible(f"  pr fix would do next: {standing.following}"))


def _clean(feedback: Feedback) -> Feedback:
    import msgspec

    return msgspec.structs.replace(feedback, items=tuple(without_secrets(item) for item in feedback.items))
