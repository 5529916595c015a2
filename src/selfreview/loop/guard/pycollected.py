"""Which tests of a Python module a runner finds, and under which conditions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from selfreview.loop.guard.pylive import ends, is_always, is_empty, is_never
from selfreview.loop.guard.pysource import Function, as_text, dotted, last_name
from selfreview.loop.guard.pytaken import taken_away

_SWALLOWING = frozenset({"suppress", "raises", "assertRaises", "RaisesGroup"})
_NO_TEST = frozenset({"fixture", "property", "cached_property"})


class Found(NamedTuple):
    """A function of a module or of its classes.

    Attributes:
        node: It.
        under: The conditions and handlers above it, as text, from the outside in.
    """

    node: Function
    under: tuple[str, ...]


class _Scope(dict[str, "Found | _Scope"]):
    """What a module or a class defines, by name."""


def collected(tree: ast.Module | None) -> dict[str, Found]:
    """Return the tests of a module by qualified name.

    Left out is what is no test: methods of classes that no runner looks into, fixtures, names that are deleted or
    given to something else further down, and what is defined where nothing runs.
    """
    if tree is None:
        return {}
    plain = {node.name for node in tree.body if isinstance(node, ast.ClassDef) and _is_plain(node)}
    scope = _Scope()
    _define(tree.body, (), scope, top=True)
    gone = taken_away(tree)
    return {
        name: found
        for name, found in _qualified(scope)
        if name.rpartition(".")[2].startswith("test")
        and name.partition(".")[0] not in plain
        and not any(last_name(decorator) in _NO_TEST for decorator in found.node.decorator_list)
        and max(gone.get(name, 0), gone.get(name.partition(".")[0], 0)) < found.node.lineno
    }


def _is_plain(node: ast.ClassDef) -> bool:
    """Whether a class is one that no runner looks into."""
    if any(dotted(base) != "object" for base in node.bases):
        return False
    made = any(isinstance(item, ast.FunctionDef) and item.name in ("__init__", "__new__") for item in node.body)
    return made or not node.name.startswith("Test")


def _define(body: Sequence[ast.stmt], under: tuple[str, ...], scope: _Scope, *, top: bool) -> None:
    """Add what statements define; a later definition takes the place of an earlier one, with all that is in it."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            scope.pop(node.name, None)
            if isinstance(node, ast.ClassDef):
                inner = scope[node.name] = _Scope()
                _define(node.body, under, inner, top=False)
            else:
                scope[node.name] = Found(node, under)
            continue
        for block, why in _blocks(node):
            _define(block, under + why, scope, top=top)
        if ends(node) and (under or not top):
            return


def _qualified(scope: _Scope, prefix: str = "") -> Iterator[tuple[str, Found]]:
    """Yield the functions of a module or class, and of the classes in it, each with its qualified name."""
    for name, item in scope.items():
        if isinstance(item, _Scope):
            yield from _qualified(item, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", item


def _blocks(node: ast.stmt) -> Iterator[tuple[Sequence[ast.stmt], tuple[str, ...]]]:
    """Yield the blocks of a statement that may run, each with what it adds to the conditions."""
    if isinstance(node, ast.If | ast.While):
        test = as_text(node.test)
        loop = isinstance(node, ast.While)
        if not is_never(node.test):
            yield node.body, () if is_always(node.test) and not loop else (test,)
        if not is_always(node.test):
            yield node.orelse, () if is_never(node.test) else (f"not {test}",)
    elif isinstance(node, ast.For | ast.AsyncFor):
        each = f"for {as_text(node.target)} in {as_text(node.iter)}"
        if not is_empty(node.iter, {}):
            yield node.body, (each,)
        yield node.orelse, (f"else of {each}",)
    elif isinstance(node, ast.Try | ast.TryStar):
        forgiven = ("try",) if node.handlers else ()
        yield node.body, forgiven
        for handler in node.handlers:
            kind = f" {as_text(handler.type)}" if handler.type is not None else ""
            yield handler.body, (f"except{kind}",)
        yield node.orelse, forgiven
        yield node.finalbody, ()
    elif isinstance(node, ast.With | ast.AsyncWith):
        kinds = [as_text(item.context_expr) for item in node.items if last_name(item.context_expr) in _SWALLOWING]
        yield node.body, tuple(kinds)
    elif isinstance(node, ast.Match):
        for case in node.cases:
            yield case.body, (f"{as_text(node.subject)} is {as_text(case.pattern)}",)
