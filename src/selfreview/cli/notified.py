"""The output of ``selfreview notify status``."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from selfreview.api import ConfigView, Notifier, Registry
from selfreview.cli.stored import when
from selfreview.feedback.channels import EVENTS, setting
from selfreview.model.notice import Delivery
from selfreview.store.outbox import Message
from selfreview.text.escape import visible
from selfreview.text.layout import cells, fit

_WIDEST = 60
_STATES: Mapping[Delivery, str] = {
    Delivery.WAITING: "waits",
    Delivery.SENDING: "being sent",
    Delivery.SENT: "sent",
    Delivery.FAILED: "failed",
    Delivery.UNKNOWN: "unknown",
}


class Standing(NamedTuple):
    """The status of one notification channel.

    Attributes:
        name: The channel.
        told: Whether it is configured.
        lacks: Why it cannot send, or None.
        events, branches: What it is told of.
    """

    name: str
    told: bool
    lacks: str | None
    events: Sequence[str]
    branches: Sequence[str]


def standings(known: Registry[Notifier], config: ConfigView, environ: Mapping[str, str]) -> list[Standing]:
    """Return the status of every channel, including channels that are configured and unknown."""
    chosen = config["notification_channels"]
    found = []
    for name in dict.fromkeys([*known.names(), *chosen]):
        notifier = known.get(name)
        lacks = notifier.unavailable(config, environ) if notifier is not None else "no plugin has it"
        events, branches = setting(config, name, "events", EVENTS), setting(config, name, "branches", ())
        found.append(Standing(name, name in chosen, lacks, events, branches))
    return found


def as_json(found: Sequence[Standing], messages: Sequence[Message]) -> dict[str, object]:
    """Return the status as JSON."""
    return {
        "channels": [
            {"name": s.name, "configured": s.told, "lacks": s.lacks, "events": s.events, "branches": s.branches}
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


def as_text(found: Sequence[Standing], messages: Sequence[Message]) -> Iterator[str]:
    """Yield the status as lines of text."""
    if not any(standing.told for standing in found):
        yield "nobody is told: notification_channels is empty"
        yield ""
    rows = [["CHANNEL", "TOLD", "OF", "BRANCHES", "CAN SEND"]]
    for standing in found:
        events, branches = ", ".join(standing.events) or "-", ", ".join(standing.branches) or "all"
        rows.append([standing.name, "yes" if standing.told else "no", events, branches, standing.lacks or "yes"])
    yield from _table(rows)
    if not messages:
        return
    yield ""
    rows = [["WHEN", "CHANNEL", "STATE", "TRIES", "WHAT", "SAID"]]
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
        yield "unknown: it may have been sent, and is not sent twice; look there"


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    shown = [[fit(visible(text), _WIDEST) for text in row] for row in rows]
    widths = [max(map(cells, column)) for column in zip(*shown, strict=True)]
    for row in shown:
        yield "  ".join(text + " " * (width - cells(text)) for text, width in zip(row, widths, strict=True)).rstrip()


def _time(seconds: float) -> str:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
