"""Collection of the tests that a runner finds in a Python module, with the conditions that they are under."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from selfreview.loop.guard.pyclasses import Classes, classes_of, is_plain, oddities
from selfreview.loop.guard.pylive import ends, is_always, is_empty, is_never
from selfreview.loop.guard.pysource import Function, as_text, last_name
from selfreview.loop.guard.pytaken import taken_away
from selfreview.loop.guard.pywrapped import Names, names_of, wrappers

_SWALLOWING = frozenset({"suppress", "raises", "assertRaises", "RaisesGroup"})
_NO_TEST = frozenset({"fixture", "property", "cached_property"})


class Found(NamedTuple):
    """A function of a module or of its classes.

    Attributes:
        node: It.
        under: The conditions and handlers above it, as text, from the outside in; decorators and bases of which
            nobody knows what they make of it as well.
    """

    node: Function
    under: tuple[str, ...]


class Around(NamedTuple):
    """Context of a definition: the classes of its module, and the origins of its names."""

    classes: Classes
    names: Names


class _Scope(dict[str, "Found | _Scope"]):
    """Definitions of a module or a class, by name."""


def collected(tree: ast.Module | None) -> dict[str, Found]:
    """Return the tests of a module by qualified name.

    Left out is what is no test: methods of classes that no runner looks into, fixtures, names that are deleted or
    given to something else further down, and what is defined where nothing runs.
    """
    if tree is None:
        return {}
    around = Around(classes_of(tree), names_of(tree))
    scope = _Scope()
    _define(tree.body, (), scope, around, top=True)
    gone = taken_away(tree)
    return {
        name: found
        for name, found in _qualified(scope)
        if name.rpartition(".")[2].startswith("test")
        and not any(last_name(decorator) in _NO_TEST for decorator in found.node.decorator_list)
        and max(gone.get(name, 0), gone.get(name.partition(".")[0], 0)) < found.node.lineno
    }


def _define(body: Sequence[ast.stmt], under: tuple[str, ...], scope: _Scope, around: Around, *, top: bool) -> None:
    """Add what statements define; a later definition takes the place of an earlier one, with all that is in it."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            scope.pop(node.name, None)
            marks = under + tuple(wrappers(node, around.names))
            if not isinstance(node, ast.ClassDef):
                scope[node.name] = Found(node, marks)
            elif not is_plain(node, around.classes):
                inner = scope[node.name] = _Scope()
                _define(node.body, marks + tuple(oddities(node, around.classes)), inner, around, top=False)
            continue
        for block, why in _blocks(node):
            _define(block, under + why, scope, around, top=top)
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
