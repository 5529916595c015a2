"""Expected errors that were widened to a broader class."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import Patch
from selfreview.loop.guard.pyloosened import pairs
from selfreview.loop.guard.pysource import last_name
from selfreview.loop.guard.pytests import match_tests

_EXPECTING = frozenset({"raises", "warns", "assertRaises", "assertRaisesRegex", "assertWarns", "assertWarnsRegex"})


def expected_error_widened(patch: Patch) -> Iterator[Rejection]:
    """Reject a test that expects a wider kind of error than before, or no longer looks at its message."""
    for old, new in match_tests(patch):
        if new is None:
            continue
        for pair in pairs(old, new):
            if _is_widened(pair.old, pair.new):
                reason = f"Expect the same error in {old.name} as before, as narrowly; correct the code instead."
                yield Rejection(new.file.path, "expected-error-widened", reason)
                break


def _is_widened(old: ast.expr, new: ast.expr) -> bool:
    if not (isinstance(old, ast.Call) and isinstance(new, ast.Call)):
        return False
    if last_name(old) not in _EXPECTING or last_name(new) not in _EXPECTING:
        return False
    before, after = _kinds(old), _kinds(new)
    if _looks_at_message(old) and not _looks_at_message(new):
        return True
    return bool(before) and (before < after or any(_covers(wide, before - after) for wide in after - before))


def _kinds(call: ast.Call) -> set[str]:
    words = [word.value for word in call.keywords if word.arg in ("expected_exception", "exception")]
    first = (call.args or words)[:1]
    nodes = first[0].elts if first and isinstance(first[0], ast.Tuple) else first
    return {last_name(node) for node in nodes}


def _looks_at_message(call: ast.Call) -> bool:
    return last_name(call).endswith("Regex") or any(word.arg in ("match", "check") for word in call.keywords)


def _covers(wide: str, narrow: set[str]) -> bool:
    """Return whether an error class is a base of any of others; of custom classes, only general bases are known."""
    if wide in ("Exception", "BaseException", "Warning"):
        return True
    base = getattr(builtins, wide, None)
    found = [getattr(builtins, name, None) for name in narrow]
    return isinstance(base, type) and any(isinstance(one, type) and issubclass(one, base) for one in found)
