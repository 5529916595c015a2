"""Strength of Python assertions."""

from __future__ import annotations

import ast
import math
import re

from selfreview.loop.guard.pysource import as_text, last_name

NOTHING, TRUTH, PARTIAL, EXACT = range(4)
"""Strengths: always true; some truth value; a part or a range; an exact value."""

_EXACT_CALL = re.compile(
    r"assert(?:\w*Equals?|Is|IsNone|Raises\w*|Warns\w*|_called_(?:once_)?with|_has_calls|_awaited_(?:once_)?with)|raises"
)
_EQUALS_ALL = frozenset({"ANY", "AnyThing", "Anything", "IsAnything", "anything"})
_NOT_EXACT = re.compile(r"assert(?:Not\w*|Almost\w*|IsNot\w*)")
_TRUTH_CALL = re.compile(r"assert(?:IsNotNone|IsInstance|_called|_awaited)")
_PARTIAL_CALL = re.compile(r"assert(?:_\w+|[A-Z]\w*)")


def strength(node: ast.expr) -> int | None:
    """Return the strength of an assertion, or None where its form is not known."""
    if isinstance(node, ast.Constant):
        return NOTHING
    if isinstance(node, ast.Compare):
        return _comparison(node)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = strength(node.operand)
        return inner if inner is None else min(inner, PARTIAL)
    if isinstance(node, ast.BoolOp):
        each = [value for value in map(strength, node.values) if value is not None]
        return min([PARTIAL, *each])
    if isinstance(node, ast.Call):
        return _call(node)
    if isinstance(node, ast.Tuple):
        return NOTHING if node.elts else None  # ``assert (x == 1, "message")`` always holds
    return TRUTH


def _comparison(node: ast.Compare) -> int:
    left, right, operator = node.left, node.comparators[0], node.ops[0]
    if len(node.ops) > 1:
        return PARTIAL
    if as_text(left) == as_text(right) or any(last_name(side) in _EQUALS_ALL for side in (left, right)):
        return NOTHING
    if isinstance(operator, ast.Eq):
        if any(isinstance(side, ast.Constant) and isinstance(side.value, bool) for side in (left, right)):
            return TRUTH
        if last_name(left) == "len" and isinstance(right, ast.Constant) and right.value == 0:
            return TRUTH
        return PARTIAL if tolerance(node) is not None else EXACT
    if isinstance(operator, ast.Is):
        return EXACT
    if isinstance(operator, ast.IsNot | ast.NotEq) and isinstance(right, ast.Constant) and right.value is None:
        return TRUTH
    return PARTIAL


def _call(node: ast.Call) -> int | None:
    name = last_name(node)
    if name in ("assertTrue", "assertFalse", "assert_", "failUnless"):
        return strength(node.args[0]) if node.args else None
    if len(node.args) > 1 and name.startswith("assert") and as_text(node.args[0]) == as_text(node.args[1]):
        return NOTHING
    if name in ("assertEqual", "assertEquals") and any(last_name(side) in _EQUALS_ALL for side in node.args[:2]):
        return NOTHING
    if _TRUTH_CALL.fullmatch(name):
        return TRUTH
    if _EXACT_CALL.fullmatch(name) and not _NOT_EXACT.fullmatch(name):
        return EXACT
    if _PARTIAL_CALL.fullmatch(name):
        return PARTIAL
    return PARTIAL if name in ("all", "isclose", "allclose", "startswith", "endswith") else TRUTH


def tolerance(node: ast.expr) -> float | None:
    """Return how far from its expected value a number may be, as far as it is written out; None where not at all."""
    for call in ast.walk(node):
        if not isinstance(call, ast.Call):
            continue
        name = last_name(call)
        words = {word.arg: word.value for word in call.keywords}
        if name in ("approx", "isclose", "allclose", "assert_allclose"):
            values = [_number(words.get(arg)) for arg in ("rel", "abs", "rel_tol", "abs_tol", "rtol", "atol")]
            values += [_number(value) for value in call.args[1:2]] if name == "approx" else []
            return max((value for value in values if value is not None), default=1e-6)
        if name == "assertAlmostEqual":
            places = _number(words.get("places") or (call.args[2] if len(call.args) > 2 else None))
            delta = _number(words.get("delta"))
            return delta if delta is not None else 10.0 ** -(places if places is not None else 7)
    return None


def _number(node: ast.expr | None) -> float | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        try:
            return float(node.value)
        except OverflowError:
            return math.inf
    return None
