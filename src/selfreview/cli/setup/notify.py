"""``selfreview notify``: notification channels, their status, and test messages."""

from __future__ import annotations

import datetime
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from selfreview.app.loading import Project, configured, demand_on
from selfreview.app.notices import ChannelStatus, channel_statuses, channels
from selfreview.cli import completions, console
from selfreview.cli.common import find_repo, load_project
from selfreview.cli.options import plugin_options
from selfreview.cli.stored import when
from selfreview.cli.terminal import Terminal
from selfreview.errors import NotifyError, UnsureError, UsageError
from selfreview.model.notice import Delivery
from selfreview.store.outbox import Message
from selfreview.text.escape import visible
from selfreview.text.layout import cells, fit

if TYPE_CHECKING:
    from selfreview.api import Notice, Notifier, NotifyContext
    from selfreview.git.repo import Repo


_WIDEST = 60
_STATES: Mapping[Delivery, str] = {
    Delivery.WAITING: "waits",
    Delivery.SENDING: "being sent",
    Delivery.SENT: "sent",
    Delivery.FAILED: "failed",
    Delivery.UNKNOWN: "unknown",
}


def as_json(found: Sequence[ChannelStatus], messages: Sequence[Message]) -> dict[str, object]:
    """Return the status as JSON."""
    return {
        "channels": [
            {"name": s.name, "configured": s.configured, "lacks": s.problem, "events": s.events, "branches": s.branches}
            for s in found
        ],
        "messages": [
            {
                "key": message.key,
                "channel": message.channel,
                "state": message.state,
                "tries": message.tries,
                "due": _time(message.due) if message.state is Delivery.WAITING else None,
                "said": message.said,
                "notice": message.notice,
            }
            for message in messages
        ],
    }


def as_text(found: Sequence[ChannelStatus], messages: Sequence[Message]) -> Iterator[str]:
    """Yield the status as lines of text."""
    if not any(status.configured for status in found):
        yield "no notifications are sent: notification_channels is empty"
        yield ""
    rows = [["CHANNEL", "ON", "EVENTS", "BRANCHES", "CAN SEND"]]
    for status in found:
        events, branches = ", ".join(status.events) or "-", ", ".join(status.branches) or "all"
        rows.append(
            [
                status.name,
                "yes" if status.configured else "no",
                events,
                branches,
                status.problem or "yes",
            ]
        )
    yield from _table(rows)
    if not messages:
        return
    yield ""
    rows = [["WHEN", "CHANNEL", "STATE", "TRIES", "MESSAGE", "ANSWER"]]
    for message in messages:
        rows.append(
            [
                when(_time(message.added)),
                message.channel,
                _STATES[message.state],
                str(message.tries),
                message.notice.title,
                message.said or "-",
            ]
        )
    yield from _table(rows)
    if any(message.state is Delivery.UNKNOWN for message in messages):
        yield ""
        yield "unknown: it may have been sent, so it is not sent again; look in the channel"


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    shown = [[fit(visible(text), _WIDEST) for text in row] for row in rows]
    widths = [max(map(cells, column)) for column in zip(*shown, strict=True)]
    for row in shown:
        yield "  ".join(text + " " * (width - cells(text)) for text, width in zip(row, widths, strict=True)).rstrip()


def _time(seconds: float) -> str:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@click.group(name="notify")
def command() -> None:
    """Show the notification channels, and test one."""


@command.command(name="test")
@click.argument("channel", metavar="CHANNEL", shell_complete=completions.channels)
@plugin_options
def send_test(channel: str, plugins: Sequence[str], overrides: Sequence[str]) -> None:
    """Send a test message through a channel now, whatever its settings.

    github writes a comment on the open pull request of the branch that is checked out.
    """
    from selfreview.api import NotifyContext

    repo = find_repo()
    project = load_project(repo, plugins=plugins, overrides=overrides)
    config = project.config
    demand_on(config, "nothing is sent")
    notifier = _channel(project, channel)
    lacks = notifier.unavailable(config, os.environ)
    if lacks is not None:
        raise UsageError(f"{channel} cannot send: {lacks}")
    context = NotifyContext(config, os.environ)
    with configured(project, Terminal()):
        on_request = notifier.needs_request
        notes = _on_request(repo, project, notifier, context) if on_request else _send(notifier, context, repo)
    for note in notes:
        console.note(f"note: {note}")
    console.say(f"{channel}: sent")


@command.command(name="status")
@click.option(
    "-n", "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="Show at most N messages."
)
@click.option("-f", "--format", "format_name", type=click.Choice(["terminal", "json"]), default="terminal")
@plugin_options
def status(limit: int, format_name: str, plugins: Sequence[str], overrides: Sequence[str]) -> None:
    """List the channels, and the newest messages with their state."""
    from selfreview.cli.stored import stored, write_json, write_lines

    repo = find_repo()
    project = load_project(repo, plugins=plugins, overrides=overrides)
    found = channel_statuses(channels(project), project.config, os.environ)
    with stored(repo) as store:
        messages = store.messages.latest(limit)
    if format_name == "json":
        write_json(as_json(found, messages))
    else:
        write_lines(as_text(found, messages))


def _channel(project: Project, name: str) -> Notifier:
    """Return a channel.

    Raises:
        UsageError: If there is none of that name.
    """
    known = channels(project)
    notifier = known.get(name)
    if notifier is None:
        from selfreview.text.suggestion import did_you_mean

        hint = did_you_mean(name, known.names()) or f"there are {', '.join(known.names())}"
        raise UsageError(f"there is no channel {name!r}", hint=hint)
    return notifier


def _on_request(repo: Repo, project: Project, notifier: Notifier, context: NotifyContext) -> Sequence[str]:
    """Send where the branch has an open pull request."""
    from selfreview.api import ReadsRequests
    from selfreview.app.pr.forge import open_forge
    from selfreview.git.revisions import current_branch

    branch = current_branch(repo.git)
    connection = open_forge(project, Terminal()).connection
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
        raise NotifyError(
            f"{notifier.name}: it may or may not have been sent: {error.message}", hint=error.hint
        ) from error


def _notice(repo: Repo, number: int | None, url: str) -> Notice:
    """Return a test message, of an event that changes no label."""
    from selfreview.api import Notice, NoticeEvent
    from selfreview.git.revisions import current_branch
    from selfreview.model.notice import TEST
    from selfreview.model.wire import display_path, utc_now

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
