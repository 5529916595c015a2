"""Assertions of Python and checks of Go that a change folds into a loop over the same values."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator, Sequence

_MAX_VALUES = 1_000
"""Values of a loop that are looked at."""

_ENDS = (ast.Break, ast.Return, ast.Raise)
"""Statements that may end a loop before its last value."""


class _Put(ast.NodeTransformer):
    """Puts values in the place of names."""

    def __init__(self, values: dict[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._values.get(node.id, node)


def folded_python(
    old: Sequence[str], new: Sequence[str], lines: Sequence[int], first: int, last: int
) -> tuple[set[int], int]:
    """Return which old assertions loops of a new function still make, and how many assertions of loops do.

    Only loops that stand in the function itself over values that are written out count, and what comes first in them.

    Args:
        old, new: The files' lines.
        lines: Where the old assertions start.
        first, last: The new function.
    """
    try:
        before, after = ast.parse("\n".join(old)), ast.parse("\n".join(new))
        return _folded(before, after, lines, first, last)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # also of numbers, and of what is nested too deeply
        return set(), 0


def _folded(before: ast.Module, after: ast.Module, lines: Sequence[int], first: int, last: int) -> tuple[set[int], int]:
    wanted = {
        n.lineno: ast.dump(n) for n in ast.walk(before) if isinstance(n, ast.Assert | ast.Expr) and n.lineno in lines
    }
    kept: set[int] = set()
    made = 0
    functions = (node for node in ast.walk(after) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    within = [node for node in functions if first <= node.lineno <= last]
    if not within:
        return kept, made
    itself = min(within, key=lambda node: node.lineno)  # nobody need call the others
    for unrolled in _unrolled(itself.body):
        here = {line for line in lines if wanted.get(line) in unrolled}
        kept |= here
        made += bool(here)
    return kept, made


def _unrolled(body: Sequence[ast.stmt]) -> Iterator[set[str]]:
    """Yield, for each assertion at the start of a loop, what it is with every value."""
    for loop in body:
        if isinstance(loop, ast.Return | ast.Raise):
            return
        if not isinstance(loop, ast.For) or any(isinstance(node, _ENDS) for node in ast.walk(loop)):
            continue
        rounds = [named for value in _values(loop.iter) if (named := _named(loop.target, value)) is not None]
        for statement in loop.body:
            if not isinstance(statement, ast.Assert | ast.Expr):
                break
            yield {ast.dump(_Put(named).visit(copy.deepcopy(statement))) for named in rounds}


def _values(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.Tuple | ast.List):
        return node.elts[:_MAX_VALUES]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        bounds = [bound.value for bound in node.args if isinstance(bound, ast.Constant) and type(bound.value) is int]
        if len(bounds) == len(node.args) in (1, 2):
            return [ast.Constant(number) for number in range(*bounds)[:_MAX_VALUES]]
    return []


def _named(target: ast.expr, value: ast.expr) -> dict[str, ast.expr] | None:
    if isinstance(target, ast.Name):
        return {target.id: value}
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple | ast.List):
        names = [name.id for name in target.elts if isinstance(name, ast.Name)]
        if len(names) == len(target.elts) == len(value.elts):
            return dict(zip(names, value.elts, strict=True))
    return None


_CHECK = re.compile(r"\bif\s+([^{}\n\"`]+?)\s*\{\s*(?=[tb]\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\()")
_ANY_CHECK = re.compile(r"\bif\s+([^{}\n]+?)\s*\{\s*(?=[tb]\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\()")
_LOOP = re.compile(r"^\tfor\s+_,\s*(\w+)\s*:=\s*range\s+\[\]\w+\{([^{}]*)\}\s*\{\s*(?=if\b)", re.MULTILINE)
_VALUE = re.compile(r"-?\w[\w.]*|\"[^\"\\,]*\"")
_COMMENT = re.compile(r"/[/*]")
_LEAVES = re.compile(r"\b(?:break|continue|goto|return|panic)\b")
_LEFT = re.compile(r"^\t(?:return|panic)\b", re.MULTILINE)
_CLOSED = re.compile(r"^\t\}|\A[^\n]*\}[ \t]*\}[ \t]*$", re.MULTILINE)


def folded_go(
    old: Sequence[str], new: Sequence[str], live: Sequence[str], lines: Sequence[int], span: tuple[int, int]
) -> tuple[set[int], int]:
    """Return which old checks loops of a new function still make, and how many checks of loops do.

    Only loops that stand in the function itself over values that are written out count, and what comes first in them.

    Args:
        old, new: The files' lines.
        live: Those of the new file without comments and texts, at the same columns.
        lines: Where the old checks report what they found.
        span: First and last line of the new function.
    """
    first, last = span
    before, after = "\n".join(old), "\n".join(new[first - 1 : last])
    code = "\n".join(live[first - 1 : last])
    wanted = {before.count("\n", 0, check.end()) + 1: _normal(check[1]) for check in _ANY_CHECK.finditer(before)}
    kept: set[int] = set()
    made = 0
    if len(code) != len(after):
        return kept, made
    for loop in _LOOP.finditer(after):
        check = _CHECK.match(after, loop.end())
        if check is None or _COMMENT.search(after, loop.start(), check.end()) or not _runs_whole(loop, code):
            continue
        values = [value.strip() for value in loop[2].split(",") if value.strip()]
        name = re.compile(rf"(?<![\w.]){loop[1]}(?!\w)")
        rounds = {_normal(value.join(name.split(check[1]))) for value in values if _VALUE.fullmatch(value)}
        here = {line for line in lines if wanted.get(line) in rounds}
        kept |= here
        made += bool(here)
    return kept, made


def _runs_whole(loop: re.Match[str], code: str) -> bool:
    """Return whether a loop of a function is reached, and goes on to its last value."""
    if not code.startswith("\tfor", loop.start()) or _LEFT.search(code, 0, loop.start()):
        return False
    closed = _CLOSED.search(code[loop.end() :])
    return closed is not None and _LEAVES.search(code, loop.end(), loop.end() + closed.end()) is None


def _normal(condition: str) -> str:
    return "".join(condition.split())
