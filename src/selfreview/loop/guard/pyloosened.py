"""Weakened Python assertions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from selfreview.loop.guard.likeness import likeness
from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import Patch
from selfreview.loop.guard.pointing import is_pointed_at
from selfreview.loop.guard.pysource import as_text, statements
from selfreview.loop.guard.pytests import Case, match_tests
from selfreview.loop.guard.strength import EXACT, PARTIAL, strength, tolerance

_ALIKE = 0.4


class Pair(NamedTuple):
    """An assertion before and after, and the similarity of the two, from 0 to 1."""

    old: ast.expr
    new: ast.expr
    ratio: float


def assertion_loosened(patch: Patch) -> Iterator[Rejection]:
    """Reject an assertion that was replaced by a weaker one."""
    for old, new in match_tests(patch):
        if new is None or not statements(new.node):
            continue
        pointed = is_pointed_at(old.file, patch.bounds, old.first, old.last)
        exact = [sum(strength(node) == EXACT for node in case.asserts) for case in (old, new)]
        for pair in pairs(old, new):
            if pair.ratio < _ALIKE and exact[1] >= exact[0]:
                continue  # another assertion, not the same one made weaker
            if is_loosened(pair.old, pair.new, pointed=pointed):
                reason = f"Keep `{_short(pair.old)}` of {old.name} as strict as it was; correct the code instead."
                yield Rejection(new.file.path, "assertion-loosened", reason)
                break


def pairs(old: Case, new: Case) -> Iterator[Pair]:
    """Yield the changed assertions of a test, each with its replacement."""
    before, after = set(old.texts), set(new.texts)
    gone = [(text, node) for text, node in zip(old.texts, old.asserts, strict=True) if text not in after]
    more = [(text, node) for text, node in zip(new.texts, new.asserts, strict=True) if text not in before]
    for text, node in gone:
        if not more:
            return
        ratios = [likeness(text, other) for other, _ in more]
        best = max(range(len(more)), key=ratios.__getitem__)
        yield Pair(node, more.pop(best)[1], ratios[best])


def is_loosened(old: ast.expr, new: ast.expr, *, pointed: bool) -> bool:
    """Return whether an assertion is weaker than the one that it replaces.

    Args:
        old: The one before.
        new: The one now.
        pointed: Whether an issue is about it: a comparison of floating point numbers may become an approximate one.
    """
    before, after = strength(old), strength(new)
    if before is None or after is None:
        return False
    distance, was = tolerance(new), tolerance(old)
    if distance is not None and was is not None:
        return distance > was
    if before == EXACT and after == PARTIAL and distance is not None:
        return not pointed or distance > 1e-6
    return after < before


def _short(node: ast.expr) -> str:
    text = as_text(node)
    return text if len(text) <= 60 else text[:57] + "..."
