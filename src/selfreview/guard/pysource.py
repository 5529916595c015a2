"""Python, parsed for the rules that need its syntax tree."""

from __future__ import annotations

import ast
import functools
import warnings
from collections.abc import Iterator, Sequence
from typing import TypeGuard

Function = ast.FunctionDef | ast.AsyncFunctionDef


@functools.lru_cache(maxsize=64)
def tree_of(text: str) -> ast.Module | None:
    """Return the syntax tree of a text, or None where it is no Python of today."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text.removeprefix("\ufeff").encode("utf-8", "replace"))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def functions(tree: ast.Module | None) -> dict[str, Function]:
    """Return the functions of a module and of its classes, by qualified name; those in functions are left out."""
    return dict(_functions(tree.body, "")) if tree is not None else {}


def _functions(body: Sequence[ast.stmt], prefix: str) -> Iterator[tuple[str, Function]]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{prefix}{node.name}.")
        else:
            for block in blocks(node):
                yield from _functions(block, prefix)


def blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield the blocks of a statement that defines nothing: branches, loops, handlers and what comes after them."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        for child in (node, *getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            yield from (block for name in ("body", "orelse", "finalbody") if (block := getattr(child, name, None)))


def as_text(node: ast.AST) -> str:
    """Return code as text that is the same for the same code, however deep it is nested."""
    try:
        return ast.unparse(node)
    except (RecursionError, ValueError):  # ValueError: a hexadecimal number with more digits than a decimal may have
        return " ".join(f"{type(part).__name__}{_plain(part)}" for part in ast.walk(node))


def _plain(node: ast.AST) -> list[object]:
    values = (value for _, value in ast.iter_fields(node) if not isinstance(value, ast.AST | list))
    return [hex(value) if type(value) is int else value for value in values]


def dotted(node: ast.expr) -> str:
    """Return ``a.b.c`` for a name or an attribute, of a call that of what it calls; ``""`` for anything else."""
    if isinstance(node, ast.Call):
        return dotted(node.func)
    if isinstance(node, ast.Attribute):
        head = dotted(node.value)
        return f"{head}.{node.attr}" if head else node.attr
    return node.id if isinstance(node, ast.Name) else ""


def last_name(node: ast.expr) -> str:
    """Return the last part of :func:`dotted`."""
    return dotted(node).rpartition(".")[2]


def statements(function: Function) -> list[ast.stmt]:
    """Return what a function does: its body without the docstring, ``pass`` and ``...``."""
    return [node for node in function.body if not _is_nothing(node)]


def _is_nothing(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def is_own_part(node: ast.AST) -> TypeGuard[ast.If]:
    """Return whether a statement is the ``if __name__ == '__main__'`` block of a script."""
    return isinstance(node, ast.If) and as_text(node.test) in ("__name__ == '__main__'", "'__main__' == __name__")
