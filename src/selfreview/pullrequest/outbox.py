"""Outbox of notices: each is stored first and sent then, per channel on its own, and never twice.

A message is ``waiting``, ``sending`` while somebody has it, and then ``sent``, ``failed`` or ``unknown``: a process was
killed, or the line broke, between sending and the record of it. Such a message is sent again only by a channel that
finds what it sent before.
"""

from __future__ import annotations

import fnmatch
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from selfreview.api import ConfigView, Delivery, Notice, NoticeEvent, Notifier, NotifyContext
from selfreview.errors import NotifyError, SelfreviewError, UnsureError
from selfreview.pullrequest.texts import redacted
from selfreview.secrets.scanner import mask_secrets
from selfreview.store.outbox import Message
from selfreview.store.store import Store

EVENTS = tuple(event.value for event in NoticeEvent if event is not NoticeEvent.FIXED)
"""Events that a channel receives whose plugin declares no key."""


def channels_for(notice: Notice, config: ConfigView) -> list[str]:
    """Return the names of the configured channels that are told of a notice."""
    if notice.event is NoticeEvent.READY and not config["notify_on_ready"]:
        return []
    return [name for name in config["notification_channels"] if _wants(name, notice, config)]


def _wants(name: str, notice: Notice, config: ConfigView) -> bool:
    events, branches = setting(config, name, "events", EVENTS), setting(config, name, "branches", ())
    return notice.event.value in events and matches(notice.branch, branches)


def setting(config: ConfigView, channel: str, name: str, default: Sequence[str]) -> Sequence[str]:
    """Return a setting of a channel; ``default`` where its plugin does not declare it."""
    value: Sequence[str] = config.get(f"notify.{channel}.{name}", default)
    return value


def matches(branch: str, patterns: Sequence[str]) -> bool:
    """Return whether patterns match a branch: any without ``!``, or all branches if there is none, and none with ``!``.

    ``*`` also matches slashes.
    """
    out = [pattern[1:] for pattern in patterns if pattern.startswith("!")]
    wanted = [pattern for pattern in patterns if not pattern.startswith("!")] or ["*"]
    return any(fnmatch.fnmatchcase(branch, pattern) for pattern in wanted) and not any(
        fnmatch.fnmatchcase(branch, pattern) for pattern in out
    )


WAITS_S = (60.0, 300.0, 1_800.0, 7_200.0)
"""Seconds after each try that failed; after one more, the message has failed."""
LEASE_S = 180.0
"""Seconds that a sender may take before its message counts as lost; far more than any send may."""
OLDEST_S = 7 * 86_400.0
"""Seconds after which a message is too old to be sent."""
_LOST = "whoever sent it did not come back"
_GRACE_S = 1.0


class Delivered(NamedTuple):
    """Outcome of one try to send a message.

    Attributes:
        key, channel: The message.
        state: How it stands now.
        said: Why, and what of it could not be done; empty where there is nothing to say.
    """

    key: str
    channel: str
    state: Delivery
    said: str


class _SendResult(NamedTuple):
    """Outcome of sending: state of the message, text to report, and seconds until the message, and until the whole
    channel, may be tried again.
    """

    state: Delivery
    said: str
    wait_s: float = 0.0
    hold_s: float = 0.0


class Outbox:
    """Stored messages of one store, to be sent.

    Any number of processes may deliver the same store's: each message is sent by one.
    """

    def __init__(
        self,
        store: Store,
        notifiers: Iterable[Notifier],
        context: NotifyContext,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._messages = store.messages
        self._notifiers = {notifier.name: notifier for notifier in notifiers}
        self._context = context
        self._clock = clock

    def add(self, notice: Notice, channels: Sequence[str], now: float) -> list[str]:
        """Put a notice in for channels; its secrets are hidden first.

        Returns:
            The channels that had none under this key yet.

        Raises:
            StoreError: If it cannot be kept.
            ToolError: If secrets cannot be looked for.
        """
        clean = redacted(notice) if channels else notice
        return [channel for channel in dict.fromkeys(channels) if self._messages.add(clean, channel, now)]

    def deliver(self, now: float, *, within_s: float | None = None) -> list[Delivered]:
        """Send the messages that are due. A channel that fails, or never returns, does not hold back the others.

        Args:
            now: Seconds since 1970.
            within_s: Seconds that all of it may take; what is not sent by then waits on. None: as long as it takes.

        Raises:
            StoreError: If the store cannot be read or written.
        """
        self._recover(now)
        waiting: dict[str, list[Message]] = {}
        for message in self._messages.due(now):
            if message.channel in self._notifiers:
                waiting.setdefault(message.channel, []).append(message)
        max_s = self._context.timeout_s
        lines = [
            _ChannelThread(self, self._notifiers[channel], found, now, _TimeLimit(self._clock, within_s, max_s))
            for channel, found in waiting.items()
        ]
        for line in lines:
            line.start()
        end = None if within_s is None else self._clock() + within_s + _GRACE_S
        for line in lines:
            line.join(None if end is None else max(0.0, end - self._clock()))
        for line in lines:
            if line.error is not None:
                raise line.error
        return [delivered for line in lines for delivered in line.done]

    def _recover(self, now: float) -> None:
        """Settle the messages whose sender was killed."""
        for message in self._messages.lost(now):
            notifier = self._notifiers.get(message.channel)
            again = notifier is not None and notifier.leaves_mark
            self._messages.give_back(message.seq, now, Delivery.WAITING if again else Delivery.UNKNOWN, _LOST)

    def send(self, notifier: Notifier, message: Message, now: float, timeout_s: float) -> Delivered | None:
        """Send one message, if it is still to be sent; return the outcome."""
        notice = message.notice
        if notifier.needs_request and notice.number is None:
            self._messages.drop(message.seq)
            return None
        if notifier.needs_request and self._context.forge is None:
            return None  # for whoever is connected
        if now - message.added > OLDEST_S:
            self._messages.refuse(message.seq, message.said or "it is too old to be sent")
            return None
        if self._is_over(message):
            self._messages.drop(message.seq)
            return None
        owner = secrets.token_hex(8)
        if not self._messages.claim(message.seq, owner, now, LEASE_S):
            return None
        result = self._try(notifier, notice, message.tries, self._context._replace(timeout_s=timeout_s))
        self._messages.settle(message.seq, owner, result.state, result.said, now + max(result.wait_s, result.hold_s))
        if result.hold_s:
            self._messages.hold(message.channel, now + result.hold_s)
        return Delivered(message.key, message.channel, result.state, result.said)

    def _is_over(self, message: Message) -> bool:
        """Return whether a newer message updates whose turn it is on a pull request: a late one would contradict it."""
        about = _turn(message.notice)
        return about is not None and any(
            _turn(other.notice) == about for other in self._messages.later(message.channel, message.seq)
        )

    def _try(self, notifier: Notifier, notice: Notice, tries: int, context: NotifyContext) -> _SendResult:
        """Send one notice by a notifier."""
        wait_s = WAITS_S[tries] if tries < len(WAITS_S) else None
        later = Delivery.FAILED if wait_s is None else Delivery.WAITING
        try:
            why = notifier.unavailable(context.config, context.environ)
            if why is not None:
                return _SendResult(later, _one_line(why), wait_s or 0.0)
            notes = notifier.send(notice, context)
        except NotifyError as error:
            return _SendResult(later, _one_line(error.message), wait_s or 0.0, error.wait_s or 0.0)
        except UnsureError as error:
            said = _one_line(error.message)
        except Exception as error:  # noqa: BLE001 - a plugin's defect: it may have sent before, and may quote anything
            said = f"the channel failed: {type(error).__name__}"
        else:
            return _SendResult(Delivery.SENT, _one_line("; ".join(notes)))
        return _SendResult(later, said, wait_s or 0.0) if notifier.leaves_mark else _SendResult(Delivery.UNKNOWN, said)


class _TimeLimit:
    """Time limits of a channel."""

    def __init__(self, clock: Callable[[], float], within_s: float | None, max_s: float) -> None:
        self._clock, self._start, self._within_s, self._max_s = clock, clock(), within_s, max_s

    @property
    def gone_s(self) -> float:
        """Seconds since it began."""
        return self._clock() - self._start

    @property
    def left_s(self) -> float:
        """Seconds for the next message; 0 or less: no time remains."""
        return self._max_s if self._within_s is None else min(self._max_s, self._within_s - self.gone_s)


class _ChannelThread(threading.Thread):
    """Thread that sends one channel's messages in order; a daemon, for a channel that never returns."""

    def __init__(
        self, outbox: Outbox, notifier: Notifier, messages: Sequence[Message], now: float, time_: _TimeLimit
    ) -> None:
        super().__init__(name=f"notify-{notifier.name}", daemon=True)
        self._outbox, self._notifier, self._messages, self._now, self._time = outbox, notifier, messages, now, time_
        self.done: list[Delivered] = []
        self.error: SelfreviewError | None = None

    def run(self) -> None:
        """Send until a message fails, or the time is up."""
        try:
            for message in self._messages:
                left_s = self._time.left_s
                if left_s <= 0:
                    return
                done = self._outbox.send(self._notifier, message, self._now + self._time.gone_s, left_s)
                if done is not None:
                    self.done.append(done)
                    if done.state in (Delivery.WAITING, Delivery.FAILED):
                        return  # the channel may be down: the others would only find the same
        except SelfreviewError as error:
            self.error = error


def _turn(notice: Notice) -> tuple[str, int] | None:
    """Return the pull request whose turn a notice reports, or None where it reports none."""
    if notice.number is None or notice.event not in (NoticeEvent.READY, NoticeEvent.ESCALATED):
        return None
    return notice.repository, notice.number


def _one_line(text: str) -> str:
    """Return a channel's message as one line without secrets."""
    return mask_secrets(" ".join(text.split()))[:300]
