"""``selfreview pr feedback``: what reviewers said, and what it is taken to mean."""

from __future__ import annotations

import sys
from typing import Any

import click

from selfreview.api import Feedback, ReadsFeedback
from selfreview.cli import console
from selfreview.cli.pr_open import RequestNumber, opened, remote_options
from selfreview.cli.pr_said import told
from selfreview.cli.pr_workshop import LocalWorkshop
from selfreview.errors import ForgeError
from selfreview.feedback.redacted import analysis_without_secrets, without_secrets
from selfreview.feedback.remote import commits_of
from selfreview.feedback.standing import Standing
from selfreview.model.wire import document
from selfreview.text.escape import visible


@click.command(name="feedback")
@click.argument("number", type=RequestNumber(), required=False)
@click.option("-a", "--all", "every", is_flag=True, help="Also what is settled, ignored or not trusted.")
@click.option("-f", "--format", "format_", type=click.Choice(["terminal", "json"]), default="terminal",
              help="How it is printed.")  # fmt: skip
@remote_options
def command(number: int | None, every: bool, format_: str, **options: Any) -> None:
    """Show what reviewers said about a pull request, and what it is taken to mean. Nothing is done about it.

    What has to be read is read by a model, where one may be asked: that is a request each time.
    """
    with opened(number, options) as found:
        connection = found.place.connection
        if not isinstance(connection, ReadsFeedback):
            raise ForgeError(f"{found.place.forge.name} does not show what reviewers say")
        feedback = connection.feedback(found.request.number)
        assert found.session.repo is not None  # noqa: S101 - there is a forge
        commits = commits_of(found.session.repo, found.place.remote, found.place.location.path, feedback.request)
        standing = Standing.read(feedback, commits, found.policy)
        workshop = LocalWorkshop(found.session, found.place, own=found.own, options={})
        analysis = workshop.analyse(feedback, found.policy, standing.handled(again=False))
    if format_ == "json":
        sys.stdout.buffer.write(
            document({"feedback": _clean(feedback), "analysis": analysis_without_secrets(analysis)})
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
    for line in told(analysis, every=every):
        console.say(line)


def _clean(feedback: Feedback) -> Feedback:
    import msgspec

    return msgspec.structs.replace(feedback, items=tuple(without_secrets(item) for item in feedback.items))
