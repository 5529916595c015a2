"""Names of a Python module that are rebound or deleted."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from selfreview.loop.guard.pysource import dotted

_NAMESPACES = frozenset({"locals", "globals", "vars", "exec", "eval", "setattr", "delattr"})
"""Functions that reach a module's names as text."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_WORD = re.compile(r"[A-Za-z_]\w*")


def taken_away(tree: ast.Module) -> dict[str, int]:
    """Return by qualified name the last line where a name is deleted or given to something else."""
    found: dict[str, int] = {}
    for name, line in _taken(tree.body, ""):
        found[name] = max(line, found.get(name, 0))
    return found


def _taken(body: Sequence[ast.stmt], prefix: str) -> Iterator[tuple[str, int]]:
    for statement in body:
        left: list[ast.AST] = [statement]
        while left:
            node = left.pop()
            if isinstance(node, _FUNCTIONS):
                yield from ((name, 1 << 30) for name in _made_global(node))
                continue
            if isinstance(node, ast.ClassDef):
                yield from _taken(node.body, f"{prefix}{node.name}.")
                continue
            line: int = getattr(node, "lineno", statement.lineno)
            yield from ((prefix + name, line) for name in _bound(node))
            left += ast.iter_child_nodes(node)


def _bound(node: ast.AST) -> Iterator[str]:
    """Yield the names that a part of a statement binds or deletes, but for definitions."""
    if isinstance(node, ast.Name | ast.Attribute) and not isinstance(node.ctx, ast.Load):
        yield dotted(node)
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name for alias in node.names)
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name is not None:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest is not None:
        yield node.rest
    elif isinstance(node, ast.Call) and (dotted(node.func) in _NAMESPACES or _is_namespace(node.func)):
        yield from _written(node)
    elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load) and _is_namespace(node.value):
        yield from _written(node.slice)


def _is_namespace(node: ast.AST) -> bool:
    """Return whether an expression is, or is reached through, a mapping of a module's names."""
    calls = (inner for inner in ast.walk(node) if isinstance(inner, ast.Call))
    return any(dotted(call.func) in _NAMESPACES for call in calls) or (
        isinstance(node, ast.Attribute)
        and any(part.attr == "__dict__" for part in ast.walk(node) if isinstance(part, ast.Attribute))
    )


def _written(node: ast.AST) -> Iterator[str]:
    """Yield what could be a name in texts and keywords."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield from _WORD.findall(inner.value)
        elif isinstance(inner, ast.keyword) and inner.arg is not None:
            yield inner.arg


def _made_global(function: ast.AST) -> Iterator[str]:
    """Yield the names of the module that a function may bind or delete."""
    for node in ast.walk(function):
        if isinstance(node, ast.Global):
            yield from node.names
