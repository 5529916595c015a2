"""Configuration keys of notifiers."""

from __future__ import annotations

from selfreview.api import Key


def _check_channels(value: list[str]) -> str | None:
    twice = [name for index, name in enumerate(value) if not name.strip() or name in value[:index]]
    return "must hold names, each once" if twice else None


NOTIFY_KEYS: tuple[Key, ...] = (
    Key(
        name="notification_channels",
        kind="list",
        default=[],
        check=_check_channels,
        help="Channels that people are told through; `selfreview notify status` lists those that there are.",
    ),
    Key(
        name="notify_on_ready",
        kind="bool",
        default=True,
        help="Whether people are told that they can take over.",
    ),
)
"""Keys of every channel together; ``[notify.NAME]`` is each channel's own."""
