"""Runs where the configuration has ``enabled = false``: nothing is reviewed, and nothing is written."""

from __future__ import annotations

from selfreview.api import ConfigView
from selfreview.errors import UsageError
from selfreview.model.result import Result
from selfreview.review.context import Workbench
from selfreview.review.engine import Engine


def why_off(config: ConfigView) -> str | None:
    """Return that selfreview is switched off, and where, as a sentence; None where it is on."""
    if config["enabled"]:
        return None
    return f"selfreview is switched off by configuration (enabled = false, {config.origin('enabled')})"


def demand_on(config: ConfigView, instead: str) -> None:
    """Refuse an explicitly requested command while selfreview is switched off.

    Args:
        config: What counts.
        instead: What is not done, as in ``nothing is pushed``.

    Raises:
        UsageError: If selfreview is switched off.
    """
    if (off := why_off(config)) is not None:
        raise UsageError(f"{off}: {instead}", hint="SELFREVIEW_ENABLED=true before the command switches it on")


def switched_off(engine: Engine, bench: Workbench) -> Result | None:
    """Return an empty result that says so, or None where selfreview is switched on."""
    off = why_off(engine.config)
    if off is None:
        return None
    return engine.nothing(bench.change, f"Nothing was reviewed: {off}.")
