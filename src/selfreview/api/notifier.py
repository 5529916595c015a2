"""The notifier: one way to tell people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from selfreview.api.config import ConfigView
from selfreview.api.forge import Connection
from selfreview.model.notice import Notice


class NotifyContext(NamedTuple):
    """What a notifier may use.

    Attributes:
        config: The resolved configuration.
        environ: The environment, where a channel's secrets are.
        forge: A connection to the pull request's repository, or None where there is no pull request.
    """

    config: ConfigView
    environ: Mapping[str, str]
    forge: Connection | None = None


class Notifier(Protocol):
    """One channel.

    ``send`` is called once a notice. It raises NotifyError where the message certainly was not sent (it is tried again
    later), and UnsureError where that cannot be known (it is not).

    Attributes:
        name: What a person types.
        leaves_mark: Whether a message that was sent can be found again: then ``send`` looks first, and sending again is
            safe.
    """

    @property
    def name(self) -> str:
        """Unique name."""

    @property
    def leaves_mark(self) -> bool:
        """Whether sending twice writes once."""

    def unavailable(self, config: ConfigView, environ: Mapping[str, str]) -> str | None:
        """Return why it cannot send, for a person, or None. No I/O."""

    def send(self, notice: Notice, context: NotifyContext) -> None:
        """Send a message.

        Raises:
            NotifyError: If it was not sent.
            UnsureError: If it may have been sent.
        """
