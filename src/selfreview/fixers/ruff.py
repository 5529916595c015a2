"""Ruff's safe edits, as a fixer."""

from __future__ import annotations

from selfreview.api import Fixer, Registry, hookimpl
from selfreview.fixers.mechanical import EditFixer


@hookimpl
def selfreview_register_fixers(registry: Registry[Fixer]) -> None:
    """Register the fixer."""
    registry.add(EditFixer("ruff"))
