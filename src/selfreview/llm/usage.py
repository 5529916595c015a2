"""Sums of what was spent."""

from __future__ import annotations

from collections.abc import Iterable

from selfreview.model.result import Usage


def add(total: Usage, more: Usage) -> None:
    """Add to a sum in place."""
    for name in Usage.__struct_fields__:
        setattr(total, name, getattr(total, name) + getattr(more, name))


def total(parts: Iterable[Usage]) -> Usage:
    """Return the sum of some."""
    result = Usage()
    for part in parts:
        add(result, part)
    return result
