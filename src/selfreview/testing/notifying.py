"""A stand-in for a channel, and notices to send; the stand-in is a plugin, too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from selfreview.api import (
    ConfigView,
    Notice,
    NoticeEvent,
    Notifier,
    NotifyContext,
    OptionParser,
    Registry,
    channel_keys,
    hookimpl,
)


def notice(key: str = "octo/app#7:ready", event: NoticeEvent = NoticeEvent.READY, **more: Any) -> Notice:
    """Make a notice: about pull request 7 of ``octo/app``, unless ``more`` says otherwise."""
    values: dict[str, Any] = {
        "title": "octo/app#7 is ready for a person",
        "at": "2026-11-28T12:00:00Z",
        "repository": "octo/app",
        "branch": "work",
        "number": 7,
        "url": "https://github.com/octo/app/pull/7",
    }
    return Notice(key=key, event=event, **{**values, **more})


class FakeNotifier:
    """A notifier that records its notices.

    Args:
        name: Its name.
        leaves_mark, needs_request: As in :class:`selfreview.api.Notifier`.
        lacks: Why it is unavailable, or None.
        effect: Called with each notice before it is kept; it may raise, and may return notes.

    Attributes:
        sent: What it was told, in order.
    """

    def __init__(
        self,
        name: str = "fake",
        *,
        leaves_mark: bool = False,
        needs_request: bool = False,
        lacks: str | None = None,
        effect: Callable[[Notice], Sequence[str] | None] = lambda _: None,
    ) -> None:
        self.name, self.leaves_mark, self.needs_request = name, leaves_mark, needs_request
        self.lacks, self.effect = lacks, effect
        self.sent: list[Notice] = []

    def unavailable(self, config: ConfigView, environ: Mapping[str, str]) -> str | None:  # noqa: ARG002 - the protocol
        """Return the scripted reason."""
        return self.lacks

    def send(self, notice: Notice, context: NotifyContext) -> Sequence[str]:  # noqa: ARG002 - the protocol
        """Run the scripted effect, and record the notice."""
        notes = self.effect(notice)
        self.sent.append(notice)
        return notes or ()

    @hookimpl
    def selfreview_addoption(self, parser: OptionParser) -> None:
        """Declare its keys."""
        for key in channel_keys(self.name):
            parser.add_key(key)

    @hookimpl
    def selfreview_register_notifiers(self, registry: Registry[Notifier]) -> None:
        """Register it."""
        registry.add(self)
