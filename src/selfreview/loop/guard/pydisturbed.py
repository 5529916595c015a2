"""Statements at the top of a Python test module that change tests, or what they test, behind their back."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

from selfreview.loop.guard.pysource import as_text, dotted, flat
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
    before = {name for name, origin in names_of(old).items() if origin and origin.partition(".")[0] not in _FREE}
    return before & set(_made(new)) - set(_made(old))


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
