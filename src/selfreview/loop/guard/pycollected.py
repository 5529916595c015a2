"""Which tests of a Python module a runner finds."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from selfreview.loop.guard.pysource import Function, dotted, functions, last_name


def collected(tree: ast.Module | None) -> dict[str, Function]:
    """Return the tests of a module by qualified name.

    Left out is what is no test: methods of classes that no runner looks into, fixtures, and names that are deleted or
    given to something else further down.
    """
    if tree is None:
        return {}
    plain = {node.name for node in tree.body if isinstance(node, ast.ClassDef) and _is_plain(node)}
    gone = dict(_gone(tree.body, ""))
    return {
        name: node
        for name, node in functions(tree).items()
        if name.rpartition(".")[2].startswith("test")
        and name.partition(".")[0] not in plain
        and not any(last_name(decorator) == "fixture" for decorator in node.decorator_list)
        and max(gone.get(name, 0), gone.get(name.partition(".")[0], 0)) < node.lineno
    }


def _is_plain(node: ast.ClassDef) -> bool:
    """Whether a class is one that no runner looks into."""
    if any(dotted(base) != "object" for base in node.bases):
        return False
    made = any(isinstance(item, ast.FunctionDef) and item.name in ("__init__", "__new__") for item in node.body)
    return made or not node.name.startswith("Test")


def _gone(body: Sequence[ast.stmt], prefix: str) -> Iterator[tuple[str, int]]:
    """Yield names that something takes away from what they were, with the line where it does."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _gone(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, ast.Delete | ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Delete | ast.Assign) else [node.target]
            parts = [part for target in targets for part in _parts(target)]
            yield from ((prefix + dotted(part), node.lineno) for part in parts if dotted(part))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((prefix + (alias.asname or alias.name), node.lineno) for alias in node.names)
        elif isinstance(node, ast.If | ast.Try | ast.With | ast.For):
            yield from _gone(node.body, prefix)


def _parts(target: ast.expr) -> Sequence[ast.expr]:
    return target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
