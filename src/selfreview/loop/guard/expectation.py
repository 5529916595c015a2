"""Changed expectations: tests that were adapted to what the code does."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator

from selfreview.loop.guard.model import Bounds, Rejection
from selfreview.loop.guard.patch import File, Patch
from selfreview.loop.guard.pyloosened import is_loosened, pairs
from selfreview.loop.guard.pysource import as_text, last_name, statements
from selfreview.loop.guard.pytests import Case, match_tests, parameters
from selfreview.model.change import FileStatus, overlaps
from selfreview.syntax.testfiles import is_test

_SNAPSHOT = re.compile(r"\.(?:snap|ambr|golden|approved\.\w+)$|(?:^|/)(?:__snapshots__|snapshots)/", re.IGNORECASE)

_EXPECTED = re.compile(
    r"(?:^|/)(?:goldens?|expected|approvals)/|(?:^|[/._-])(?:expected|golden)(?:[._-][^/]*)?$", re.IGNORECASE
)

_RAISES = frozenset({"raises", "warns", "deprecated_call", "fail"})
_NAMED_BY = frozenset({"get", "getattr", "pop", "getlist", "hasattr", "import_module", "reverse", "url_for"})
_WRITTEN_OUT = (ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.UnaryOp, ast.unaryop, ast.expr_context)


def expectation_changed(patch: Patch) -> Iterator[Rejection]:
    """Reject other expected values and other input in a test that the change does not touch and no issue is about."""
    for old, new in match_tests(patch):
        if new is None or not statements(new.node) or is_open(old.file, patch.bounds, old.first, old.last):
            continue
        changed = any(
            _expects_other(p.old, p.new) for p in pairs(old, new) if not is_loosened(p.old, p.new, pointed=True)
        )
        if changed or _other_cases(old, new):
            reason = (
                f"Leave what {old.name} expects, and of what, as it was: it tests what was right before the change."
            )
            yield Rejection(new.file.path, "expectation-changed", reason)


def snapshot_changed(patch: Patch) -> Iterator[Rejection]:
    """Reject an edited snapshot of what the program prints that the change does not touch and no issue is about."""
    for file in patch.files:
        if file.old is None or not is_snapshot(file.old_path):
            continue
        lines = [(hunk.old_start, hunk.old_start + max(len(hunk.old) - 1, 0)) for hunk in file.hunks]
        if not all(is_open(file, patch.bounds, first, last) for first, last in lines):
            reason = "Leave the snapshot as it was: it shows what was right before the change."
            yield Rejection(file.path, "expectation-changed", reason)


def is_snapshot(path: str) -> bool:
    """Return whether a file holds expected output of a test, by its name."""
    return bool(_SNAPSHOT.search(path) or (is_test(path) and _EXPECTED.search(path)))


def is_open(file: File, bounds: Bounds, first: int, last: int) -> bool:
    """Return whether a test may expect other values: the change touches its lines, or an issue is about its file."""
    paths = (file.path, file.old_path)
    for issue in bounds.issues:
        if issue.file in paths or any(place.file in paths for place in issue.related):
            return True
    for changed in bounds.change.files:
        if changed.path in paths:
            return changed.status is FileStatus.ADDED or overlaps(changed.added, first, last)
    return False


def _expects_other(old: ast.expr, new: ast.expr) -> bool:
    before, after = _sides(old), _sides(new)
    if before is None or after is None:
        return before is after and not _expects_error(old) and _has_other_input(old, new)
    looked = as_text(before[0])
    if looked == as_text(after[0]):
        return as_text(before[1]) != as_text(after[1])
    return _is_part(_without_input(before[0]), after[0]) or _has_other_input(before[0], after[0])


def _expects_error(node: ast.expr) -> bool:
    return last_name(node) in _RAISES or last_name(node).startswith(("assertRaises", "assertWarns"))


def _is_part(looked: str, node: ast.expr) -> bool:
    """Return whether the value under test, with any input, is now an operand of a larger expression."""
    parts: list[ast.expr] = []
    if isinstance(node, ast.BinOp):
        parts = [node.left, node.right]
    elif isinstance(node, ast.BoolOp):
        parts = node.values
    elif isinstance(node, ast.IfExp):
        parts = [node.test, node.body, node.orelse]
    return any(_without_input(part) == looked or _is_part(looked, part) for part in parts)


def _has_other_input(old: ast.expr, new: ast.expr) -> bool:
    """Return whether an expression is the same but for literal arguments of its calls."""
    return as_text(old) != as_text(new) and _without_input(old) == _without_input(new)


def _without_input(node: ast.expr) -> str:
    return as_text(_Input().visit(copy.deepcopy(node)))


class _Input(ast.NodeTransformer):
    """Takes the values out of calls, but for names and addresses of things, which may become others."""

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if last_name(node) not in _NAMED_BY:
            node.args = [ast.Constant(...) if _is_input(value) else value for value in node.args]
            for word in node.keywords:
                word.value = ast.Constant(...) if _is_input(word.value) else word.value
        return node


def _is_input(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(("/", "http")):
        return False
    return all(isinstance(part, _WRITTEN_OUT) for part in ast.walk(node))


def _sides(node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """Return the expression that an assertion tests, and its expected value."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        sides = [node.left, node.comparators[0]]
    elif isinstance(node, ast.Call) and len(node.args) > 1 and last_name(node).startswith("assert"):
        sides = node.args[:2]
    else:
        return None
    if _is_value(sides[0]) and not _is_value(sides[1]):
        sides.reverse()
    return (sides[0], sides[1]) if _is_value(sides[1]) else None


def _is_value(node: ast.expr) -> bool:
    """Return whether an expression is a literal value: it holds a constant, and calls only conversions."""
    nodes = list(ast.walk(node))
    calls = [last_name(call) for call in nodes if isinstance(call, ast.Call)]
    written = any(isinstance(item, ast.Constant | ast.List | ast.Dict | ast.Set | ast.Tuple) for item in nodes)
    return written and set(calls) <= {
        "approx",
        "set",
        "Decimal",
        "date",
        "datetime",
        "Path",
        "frozenset",
        "dict",
        "list",
    }


def _other_cases(old: Case, new: Case) -> bool:
    before, after = parameters(old.node, old.values), parameters(new.node, new.values)
    return sum(map(len, before)) == sum(map(len, after)) and any(
        sorted(a) != sorted(b) for a, b in zip(before, after, strict=False)
    )
