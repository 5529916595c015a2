"""Channels of notices, and sending what waits at the end of a command: within seconds, and without failing it."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from selfreview.app.loading import Project, why_off
from selfreview.app.ui import Ui
from selfreview.errors import SelfreviewError
from selfreview.model.notice import Delivery

if TYPE_CHECKING:
    from selfreview.api import ConfigView, Connection, Notifier, Registry
    from selfreview.pullrequest.outbox import Delivered


WITHIN_S = 5.0


def channels(project: Project) -> Registry[Notifier]:
    """Return all channels."""
    from selfreview.api import Registry

    registry: Registry[Notifier] = Registry("channel")
    project.manager.call("selfreview_register_notifiers", registry=registry, config=project.config)
    return registry


class ChannelStatus(NamedTuple):
    """The status of one notification channel.

    Attributes:
        name: The channel.
        configured: Whether it is configured.
        problem: Why it cannot send, or None.
        events, branches: What it sends messages about.
    """

    name: str
    configured: bool
    problem: str | None
    events: Sequence[str]
    branches: Sequence[str]


def channel_statuses(known: Registry[Notifier], config: ConfigView, environ: Mapping[str, str]) -> list[ChannelStatus]:
    """Return the status of every channel, including channels that are configured and unknown."""
    from selfreview.pullrequest.outbox import EVENTS, setting

    chosen = config["notification_channels"]
    found = []
    for name in dict.fromkeys([*known.names(), *chosen]):
        notifier = known.get(name)
        lacks = notifier.unavailable(config, environ) if notifier is not None else "no plugin has it"
        events, branches = setting(config, name, "events", EVENTS), setting(config, name, "branches", ())
        found.append(ChannelStatus(name, name in chosen, lacks, events, branches))
    return found


def warn_of_unknown(project: Project, ui: Ui) -> None:
    """Warn of configured channels that no plugin provides: a misspelt one notifies nobody."""
    chosen = project.config["notification_channels"]
    if not chosen:
        return
    from selfreview.text.suggestion import did_you_mean

    known = channels(project).names()
    for name in dict.fromkeys(chosen):
        if name not in known:
            hint = did_you_mean(name, known) or f"there are {', '.join(known)}"
            ui.warn(f"there is no channel {name!r} (notification_channels): {hint}")


def send_what_waits(project: Project, ui: Ui, forge: Connection | None = None) -> None:
    """Send the pending notices of the repository's outbox, where a channel is configured.

    Args:
        project: The configuration.
        ui: Is told what is not sent.
        forge: The pull request's, or None: then what is written there waits on.
    """
    warn_of_unknown(project, ui)
    if project.config["notification_channels"] and (off := why_off(project.config)) is not None:
        ui.note(f"note: no notifications are sent: {off}")
        return
    store = project.open_store() if project.config["notification_channels"] else None
    if store is None:
        return
    from selfreview.api import NotifyContext
    from selfreview.pullrequest.outbox import Outbox

    try:
        with store:
            context = NotifyContext(project.config, os.environ, forge)
            for delivered in Outbox(store, channels(project), context).deliver(time.time(), within_s=WITHIN_S):
                report(delivered, ui)
    except SelfreviewError as error:  # what was done stands, whoever hears of it
        ui.warn(f"no notification was sent: {error.message}")


def report(delivered: Delivered, ui: Ui) -> None:
    """Report the outcome of a notice, unless it was sent without remark."""
    later = {
        Delivery.WAITING: "was not notified yet",
        Delivery.FAILED: "was not notified",
        Delivery.UNKNOWN: "may not have been notified",
    }.get(delivered.state)
    if later is not None:
        ui.warn(f"{delivered.channel} {later}: {delivered.said}")
    elif delivered.said:
        ui.note(f"note: {delivered.channel}: {delivered.said}")
