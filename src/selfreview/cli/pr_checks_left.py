"""The project's checks that take no part in a fix cycle."""

from __future__ import annotations

from selfreview.api import ConfigView
from selfreview.loop.checks import configured, is_trusted

_MOST = 5


def checks_left_out(config: ConfigView, *, own: bool) -> str:
    """Return which of the project's checks may not run, and why, as a sentence for everybody; empty where all may.

    Args:
        config: What counts for the pull request.
        own: Whether it is the person's own.
    """
    names = [check.name for check in configured(config) if not is_trusted(check, config)]
    if not names:
        return ""
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    why = "nobody agreed to them here" if own else "they would run code of somebody else"
    return f"the project's checks did not run, for {why}: {', '.join(names[:_MOST])}{more}"
