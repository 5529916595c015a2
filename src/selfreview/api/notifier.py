"""The notifier: a channel that tells people, such as Slack, mail or a webhook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from selfreview.api.config import ConfigView, Key
from selfreview.api.forge import Connection
from selfreview.model.notice import Notice, NoticeEvent


class NotifyContext(NamedTuple):
    """The context of a notifier: configuration, environment, and a connection to the forge.

    Attributes:
        config: The resolved configuration.
        environ: The environment, where a channel's secrets are.
        forge: A connection to the pull request's repository, or None where there is none.
        timeout_s: Seconds that one message may take.
    """

    config: ConfigView
    environ: Mapping[str, str]
    forge: Connection | None = None
    timeout_s: float = 20.0


class Notifier(Protocol):
    """A notifier: one channel.

    ``send`` is called once a notice, by one thread at a time. It raises NotifyError where the message certainly was not
    sent (it is tried again later), and UnsureError where that cannot be known (it is not). What these say is shown and
    kept: no secret belongs there.

    Attributes:
        name: What a person types.
        leaves_mark: Whether a message that was sent can be found again: then ``send`` looks first, and sending again is
            safe.
        needs_request: Whether it writes on a pull request: then it is told of nothing else, and only while there is a
            connection to the forge.
    """

    @property
    def name(self) -> str:
        """Unique name."""

    @property
    def leaves_mark(self) -> bool:
        """Return whether a message that is sent twice is written once."""

    @property
    def needs_request(self) -> bool:
        """Return whether the notifier writes on a pull request, so that there must be one."""

    def unavailable(self, config: ConfigView, environ: Mapping[str, str]) -> str | None:
        """Return why it cannot send, for a person, or None. No I/O."""

    def send(self, notice: Notice, context: NotifyContext) -> Sequence[str]:
        """Send a message.

        Returns:
            What of it could not be done although it was sent, one sentence each.

        Raises:
            NotifyError: If it was not sent.
            UnsureError: If it may have been sent.
        """


@runtime_checkable
class KeepsSecrets(Protocol):
    """The further interface of a notifier that holds secrets of its own, such as a password or a secret address."""

    def secrets(self, environ: Mapping[str, str], config: ConfigView) -> Sequence[str]:
        """Return the secret values, which must not be printed, stored or sent. No I/O."""


_EVENTS = tuple(event.value for event in NoticeEvent)


def channel_keys(name: str) -> tuple[Key, Key]:
    """Return the keys that every channel has: ``notify.NAME.events`` and ``notify.NAME.branches``.

    Declare them with ``selfreview_addoption``; a channel without them is told of everything but fixes.
    """
    return (
        Key(
            name=f"notify.{name}.events",
            kind="list",
            default=[event for event in _EVENTS if event != NoticeEvent.FIXED],
            check=_check_events,
            help=f"Events that `{name}` sends messages about: {', '.join(f'`{event}`' for event in _EVENTS)}.",
        ),
        Key(
            name=f"notify.{name}.branches",
            kind="list",
            default=[],
            help=f"Branches that `{name}` sends messages about, as patterns; `!` excludes what one matches. "
            "Empty: all.",
        ),
    )


def _check_events(value: Sequence[str]) -> str | None:
    wrong = next((event for event in value if event not in _EVENTS), None)
    return None if wrong is None else f"has no event {wrong!r}; there are {', '.join(_EVENTS)}"
