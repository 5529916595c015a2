"""``selfreview notify``: notification channels, their status, and test messages."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from selfreview.cli import console, offered
from selfreview.cli.common import Session, find_repo, load_session, plugin_options
from selfreview.cli.switched_off import demand_on
from selfreview.cli.telling import channels
from selfreview.errors import NotifyError, UnsureError, UsageError

if TYPE_CHECKING:
    from selfreview.api import Notice, Notifier, NotifyContext
    from selfreview.git.repo import Repo


@click.group(name="notify")
def command() -> None:
    """Say who is told of what, and whether it arrived."""


@command.command(name="test")
@click.argument("channel", metavar="CHANNEL", shell_complete=offered.channels)
@plugin_options
def send_test(channel: str, plugins: Sequence[str], overrides: Sequence[str]) -> None:
    """Send a message through a channel, at once, whatever it is told of else.

    github writes a comment on the open pull request of the branch that is checked out.
    """
    from selfreview.api import NotifyContext

    repo = find_repo()
    session = load_session(repo, plugins=plugins, overrides=overrides)
    config = session.loaded.config
    demand_on(config, "nothing is sent")
    notifier = _channel(session, channel)
    lacks = notifier.unavailable(config, os.environ)
    if lacks is not None:
        raise UsageError(f"{channel} cannot send: {lacks}")
    context = NotifyContext(config, os.environ)
    notes = _on_request(repo, session, notifier, context) if notifier.needs_request else _send(notifier, context, repo)
    for note in notes:
        console.note(f"note: {note}")
    console.say(f"{channel}: sent")


@command.command(name="status")
@click.option(
    "-n", "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="At most so many messages."
)
@click.option("-f", "--format", "format_name", type=click.Choice(["terminal", "json"]), default="terminal")
@plugin_options
def status(limit: int, format_name: str, plugins: Sequence[str], overrides: Sequence[str]) -> None:
    """List the channels, and the newest messages with what came of each."""
    from selfreview.cli.notified import as_json, as_text, standings
    from selfreview.cli.stored import stored, write_json, write_lines

    repo = find_repo()
    session = load_session(repo, plugins=plugins, overrides=overrides)
    found = standings(channels(session), session.loaded.config, os.environ)
    with stored(repo) as store:
        messages = store.messages.latest(limit)
    if format_name == "json":
        write_json(as_json(found, messages))
    else:
        write_lines(as_text(found, messages))


def _channel(session: Session, name: str) -> Notifier:
    """Return a channel.

    Raises:
        UsageError: If there is none of that name.
    """
    known = channels(session)
    notifier = known.get(name)
    if notifier is None:
        from selfreview.plugins.names import did_you_mean

        hint = did_you_mean(name, known.names()) or f"there are {', '.join(known.names())}"
        raise UsageError(f"there is no channel {name!r}", hint=hint)
    return notifier


def _on_request(repo: Repo, session: Session, notifier: Notifier, context: NotifyContext) -> Sequence[str]:
    """Send where the branch has an open pull request."""
    from selfreview.api import ReadsRequests
    from selfreview.cli.forge import open_forge
    from selfreview.git.base import current_branch

    branch = current_branch(repo.git)
    connection = open_forge(session).connection
    try:
        request = connection.find(branch) if branch and isinstance(connection, ReadsRequests) else None
        if request is None:
            raise UsageError("this branch has no open pull request to write on")
        return _send(notifier, context._replace(forge=connection), repo, request.number, request.url)
    finally:
        connection.close()


def _send(
    notifier: Notifier, context: NotifyContext, repo: Repo, number: int | None = None, url: str = ""
) -> Sequence[str]:
    try:
        return notifier.send(_notice(repo, number, url), context)
    except NotifyError as error:
        raise NotifyError(f"{notifier.name}: not sent: {error.message}", hint=error.hint) from error
    except UnsureError as error:
        raise NotifyError(f"{notifier.name}: it may be sent, or not: {error.message}", hint=error.hint) from error


def _notice(repo: Repo, number: int | None, url: str) -> Notice:
    """Return a test message, of an event that changes no label."""
    from selfreview.api import Notice, NoticeEvent
    from selfreview.git.base import current_branch
    from selfreview.model.notice import TEST
    from selfreview.model.wire import display_path
    from selfreview.store.runs import utc_now

    return Notice(
        key=TEST if number is not None else f"{TEST}:{secrets.token_hex(8)}",  # one comment for all tests
        event=NoticeEvent.FIXED,
        title="A test of selfreview's notifications",
        text="Somebody ran 'selfreview notify test'. There is nothing to do.",
        at=utc_now(),
        repository=display_path(repo.root.name),
        branch=display_path(current_branch(repo.git) or ""),
        number=number,
        url=url,
    )
