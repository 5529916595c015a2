"""Decorators of Python tests that may put something else in a test's place."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Mapping

from selfreview.loop.guard.pysource import as_text, dotted, flat, functions, last_name

Names = Mapping[str, str]
"""Origins of the names that a module binds: a dotted path where they are imported, else ``""``."""

_KNOWN = re.compile(
    r"pytest\.(?:mark\.|fixture$)|(?:unittest\.)?mock\.patch|unittest\.(?:case\.)?(?:skip|expectedFailure)"
    r"|hypothesis\.(?:given|settings|example|seed|reproduce_failure)|typing(?:_extensions)?\."
    r"|(?:parameterized|ddt|freezegun|time_machine|responses|respx|requests_mock|vcr|moto|httpretty|pytest_\w+"
    r"|testfixtures|django\.test|tornado\.testing|aioresponses|syrupy|twisted)\."
)
_HARMLESS = frozenset({"staticmethod", "classmethod"})


def names_of(tree: ast.Module) -> dict[str, str]:
    """Return the names that the top level of a module binds."""
    found: dict[str, str] = {}
    for node in flat(tree.body):
        if isinstance(node, ast.Import):
            found |= {a.asname or a.name.partition(".")[0]: a.name if a.asname else a.name.partition(".")[0]
                      for a in node.names}  # fmt: skip
        elif isinstance(node, ast.ImportFrom):
            found |= {a.asname or a.name: f"{node.module or '.'}.{a.name}" for a in node.names}
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found[node.name] = ""
        else:
            parts = (part for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store))
            found |= {part.id: "" for part in parts if part.id not in found}
    return found


def wrappers(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, names: Names) -> Iterator[str]:
    """Yield, as text, the decorators whose effect on a test is unknown.

    A name that is bound nowhere stops the whole module, so it hides nothing.
    """
    for decorator in node.decorator_list:
        head, _, rest = dotted(decorator).partition(".")
        if head in _HARMLESS and head not in names:
            continue
        bound = head in names or hasattr(builtins, head) or not head or "*" in names
        origin = f"{names.get(head, '')}.{rest}".rstrip(".")
        if bound and not _KNOWN.match(origin):
            yield f"@{as_text(decorator)}"


def known_wrappers(old: ast.Module | None, new: ast.Module | None) -> set[str]:
    """Return the names of helpers that a module had before, that hand on what they wrap, and that are as they were."""
    before, after = functions(old), functions(new)
    return {
        name
        for name, node in before.items()
        if name in after and as_text(node) == as_text(after[name]) and _hands_on(node)
    }


def _hands_on(node: ast.AST) -> bool:
    inner = (part for part in ast.walk(node) if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef))
    return any(last_name(decorator) == "wraps" for part in inner for decorator in part.decorator_list)
