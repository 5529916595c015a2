"""Python classes in which a runner looks for tests, and features of them that may prevent that."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from selfreview.loop.guard.pysource import as_text, dotted, flat, last_name

Classes = Mapping[str, ast.ClassDef]
"""The classes of a module by name."""

_PLAIN = frozenset({"object", "ABC", "Generic"})
_MAKERS = frozenset({"__init__", "__new__"})
_RUNS = frozenset({"run", "__call__", "__getattribute__", "_callTestMethod"})
"""Methods that run between a runner and a test."""


def classes_of(tree: ast.Module) -> dict[str, ast.ClassDef]:
    """Return the classes of a module by name, those in its blocks among them."""
    return {node.name: node for node in flat(tree.body) if isinstance(node, ast.ClassDef)}


def is_plain(node: ast.ClassDef, classes: Classes) -> bool:
    """Return whether a class is one in which no runner looks for tests."""
    if _is_unittest(node, classes) or next(_strange(node, classes), None) is not None:
        return False
    return not node.name.startswith("Test") or not _MAKERS.isdisjoint(_members(node))


def oddities(node: ast.ClassDef, classes: Classes) -> Iterator[str]:
    """Yield, as text, features of a class that decide whether its tests run, and need more than the module to judge."""
    yield from _strange(node, classes)
    yield from (f"class with {name}" for name in sorted(_RUNS.intersection(_members(node))))


def _strange(node: ast.ClassDef, classes: Classes) -> Iterator[str]:
    yield from (f"class with {as_text(word)}" for word in node.keywords)
    for base in node.bases:
        local = _without(classes, node).get(dotted(base))
        if local is not None:
            yield from _strange(local, _without(classes, node))
        elif _plain_name(base) not in _PLAIN and not _plain_name(base).endswith("TestCase"):
            yield f"class of {as_text(base)}"


def _is_unittest(node: ast.ClassDef, classes: Classes) -> bool:
    left = _without(classes, node)
    return any(
        _is_unittest(left[dotted(base)], left) if dotted(base) in left else _plain_name(base).endswith("TestCase")
        for base in node.bases
    )


def _without(classes: Classes, node: ast.ClassDef) -> Classes:
    """Leave a class out, so that one that is its own base ends the search."""
    return {name: other for name, other in classes.items() if other is not node}


def _plain_name(base: ast.expr) -> str:
    return last_name(base.value if isinstance(base, ast.Subscript) else base)


def _members(node: ast.ClassDef) -> Iterator[str]:
    for item in flat(node.body):
        if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef):
            yield item.name
        elif isinstance(item, ast.Assign | ast.AnnAssign):
            targets = item.targets if isinstance(item, ast.Assign) else [item.target]
            yield from (dotted(target) for target in targets)
