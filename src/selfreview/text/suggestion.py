"""Suggestion of the known name that somebody probably meant: ``did you mean 'NAME'?``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_MOST = 3


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that was probably meant, or None."""
    import difflib

    return next(iter(difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)), None)


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """Return ``did you mean 'NAME'?``, or None where nothing is near."""
    near = closest(name, known)
    return meant([near]) if near else None


def meant(names: Sequence[str], most: int = _MOST) -> str:
    """Return ``did you mean 'A' or 'B'?``, with the first few of some names."""
    return f"did you mean {' or '.join(map(repr, names[:most]))}?"
