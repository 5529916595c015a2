"""Sums of what was spent."""

from __future__ import annotations

from selfreview.model.result import Usage


def add(total: Usage, more: Usage) -> None:
    """Add to a sum in place."""
    for name in Usage.__struct_fields__:
        setattr(total, name, getattr(total, name) + getattr(more, name))
