"""Unreached assertions: kept in a test that may no longer reach them."""

from __future__ import annotations

import ast
import collections
import re
from collections.abc import Iterator

from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import Patch
from selfreview.loop.guard.pointing import is_pointed_at
from selfreview.loop.guard.pycollected import collected
from selfreview.loop.guard.pydisturbed import disturbances, replaced_imports, stand_ins
from selfreview.loop.guard.pylive import live
from selfreview.loop.guard.pysource import Function, as_text, tree_of
from selfreview.loop.guard.pytests import Case, conjuncts, is_check, match_tests
from selfreview.loop.guard.pywrapped import known_wrappers

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_MARKS = ("@", "class ")


def assertion_unreached(patch: Patch) -> Iterator[Rejection]:
    """Reject a test that may end before its assertions, or whose failures no longer count.

    That is: assertions that went under a condition or into a ``try`` that forgives them, a new way out before them, a
    test that became a generator, one that became a coroutine that waits for nothing, and a decorator, a base or a
    metaclass that was not there.
    """
    for old, new in match_tests(patch):
        if new is None:
            continue
        why = _why(old, new) or _why_not_defined(old, new, patch) or _why_disturbed(old, new)
        if why is not None:
            reason = f"Let {old.name} reach every assertion as before: {why}; correct the code instead."
            yield Rejection(new.file.path, "assertion-unreached", reason)


def _why(old: Case, new: Case) -> str | None:
    if _has(new.node, ast.Yield, ast.YieldFrom) and not _has(old.node, ast.Yield, ast.YieldFrom):
        return "nothing runs the body of a test that yields"
    was_plain = isinstance(old.node, ast.FunctionDef) and isinstance(new.node, ast.AsyncFunctionDef)
    if was_plain and not _has(new.node, ast.Await, ast.AsyncFor, ast.AsyncWith):
        return "it waits for nothing, so it need not be a coroutine"
    before, after = _depths(old), _depths(new)
    if any(after[text] > depth for text, depth in before.items() if text in after):
        return "a condition or a handler now stands before one"
    return "it may end earlier" if _ways_out(new) > _ways_out(old) else None


def _why_not_defined(old: Case, new: Case, patch: Patch) -> str | None:
    fresh = collections.Counter(new.under) - collections.Counter(old.under)
    corrected = len(new.under) <= len(old.under) and is_pointed_at(new.file, patch.bounds)
    if not fresh or corrected:
        return None
    if any(not mark.startswith(_MARKS) for mark in fresh):
        return "its definition is under another condition or handler"
    return next((f"`{mark}` was not there" for mark in fresh if not _was_known(mark, new)), None)


def _why_disturbed(old: Case, new: Case) -> str | None:
    before, after = tree_of(old.file.old_text), tree_of(new.file.new_text)
    fresh = disturbances(after) - disturbances(before)
    if fresh:
        return f"`{min(fresh)}` may change it"
    used = {node.id for node in ast.walk(new.node) if isinstance(node, ast.Name)}
    replaced = replaced_imports(before, after) & used or stand_ins(before, old.node, new.node)
    return f"it tests another {min(replaced)} than the one that was imported" if replaced else None


def _was_known(mark: str, new: Case) -> bool:
    """Return whether the file's tests had a decorator or base before, or it is a helper that passes a test on."""
    old = tree_of(new.file.old_text)
    if any(mark in found.under for found in collected(old).values()):
        return True
    return mark.startswith("@") and re.split(r"\W", mark[1:])[0] in known_wrappers(old, tree_of(new.file.new_text))


def _has(function: Function, *kinds: type[ast.AST]) -> bool:
    return any(isinstance(node, kinds) for node in _own(function))


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what is in a function, but for functions and classes in it."""
    left = [node]
    while left:
        inner = [child for child in ast.iter_child_nodes(left.pop()) if not isinstance(child, _SCOPES)]
        yield from inner
        left += inner


def _depths(case: Case) -> dict[str, int]:
    """Return, for each assertion as text, under how many conditions the one nearest to the top is."""
    found: dict[str, int] = {}
    for node, depth in live(case.node, case.values):
        parts = list(conjuncts(node.test)) if isinstance(node, ast.Assert) else []
        if isinstance(node, ast.Call) and is_check(node):
            parts = [node]
        for part in parts:
            text = as_text(part)
            found[text] = min(depth, found.get(text, depth))
    return found


def _ways_out(case: Case) -> int:
    """Return how often a test may return before its last assertion."""
    lines = [node.lineno for node, _ in live(case.node, case.values) if isinstance(node, ast.Assert)]
    lines += [node.lineno for node, _ in live(case.node, case.values) if isinstance(node, ast.Call) and is_check(node)]
    last = max(lines, default=0)
    return sum(isinstance(node, ast.Return) and node.lineno < last for node in _own(case.node))
