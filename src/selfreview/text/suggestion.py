"""Suggestion of the known name that somebody probably meant: ``did you mean 'NAME'?``."""

from __future__ import annotations

from collections.abc import Iterable


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that was probably meant, or None."""
    import difflib

    return next(iter(difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)), None)


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """Return ``did you mean 'NAME'?``, or None where nothing is near."""
    near = closest(name, known)
    return f"did you mean {near!r}?" if near else None
