"""Notification channels that receive a notice."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence

from selfreview.api import ConfigView, Notice, NoticeEvent

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
    try:
        value: list[str] = config[f"notify.{channel}.{name}"]
    except KeyError:
        return default
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
