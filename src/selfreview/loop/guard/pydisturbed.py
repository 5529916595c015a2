"""Statements at the top of a Python test module that change its tests, or the code under test, indirectly."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

from selfreview.loop.guard.pysource import Function, as_text, dotted, flat
from selfreview.loop.guard.pywrapped import names_of

_DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_FREE = sys.stdlib_module_names | {"pytest", "_pytest", "hypothesis"}


def disturbances(tree: ast.Module | None) -> set[str]:
    """Return, as text, what runs text as code, takes names from modules, or gives functions another body."""
    body = flat(tree.body) if tree is not None else ()
    parts = (part for node in body if not isinstance(node, _DEFINED) for part in ast.walk(node))
    return {as_text(part) for part in parts if _disturbs(part)}


def replaced_imports(old: ast.Module | None, new: ast.Module | None) -> set[str]:
    """Return the names that a module imported from neither Python nor its runner, and that it now makes itself."""
    if old is None or new is None:
        return set()
    return _imported(old) & set(_made(new)) - set(_made(old))


def stand_ins(tree: ast.Module | None, old: Function, new: Function) -> set[str]:
    """Return the names that a module imported so, and that a function of it now makes itself, and out of none of them.

    Args:
        tree: The module before.
        old: The function before.
        new: The function now.
    """
    names = _imported(tree) if tree is not None else set()
    return set(_made_in(new, names)) - set(_made_in(old, names))


def _imported(tree: ast.Module) -> set[str]:
    return {name for name, origin in names_of(tree).items() if origin and origin.partition(".")[0] not in _FREE}


def _made_in(function: Function, names: set[str]) -> Iterator[str]:
    made: list[tuple[str, ast.expr | None]] = []
    for node in ast.walk(function):
        if isinstance(node, _DEFINED):
            made.append((node.name, None))
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            made += [(dotted(target), node.value) for target in targets if isinstance(target, ast.Name)]
        elif isinstance(node, ast.arguments):
            plain = [*node.posonlyargs, *node.args]
            with_default = plain[len(plain) - len(node.defaults) :]
            pairs = zip([*with_default, *node.kwonlyargs], [*node.defaults, *node.kw_defaults], strict=True)
            made += [(arg.arg, default) for arg, default in pairs if default is not None]
    for name, value in made:
        used = {part.id for part in ast.walk(value) if isinstance(part, ast.Name)} if value is not None else set()
        if name in names and not used & names - {name}:
            yield name


def _made(tree: ast.Module) -> Iterator[str]:
    for node in flat(tree.body):
        if isinstance(node, _DEFINED):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def _disturbs(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        return node.attr == "__code__" or _is_module(node.value)
    if not isinstance(node, ast.Call):
        return False
    name = dotted(node)
    if name in ("exec", "eval"):
        return bool(node.args) and not isinstance(node.args[0], ast.Constant)
    if name not in ("setattr", "delattr") or len(node.args) < 2:
        return False
    attribute = node.args[1]
    return _is_module(node.args[0]) or (isinstance(attribute, ast.Constant) and attribute.value == "__code__")


def _is_module(node: ast.expr) -> bool:
    return isinstance(node, ast.Subscript) and dotted(node.value) == "sys.modules"
