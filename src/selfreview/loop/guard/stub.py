"""Functions whose body was replaced by a stub."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from selfreview.loop.guard.comments import without_comments
from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import File, Patch
from selfreview.loop.guard.pysource import Function, functions, last_name, statements, tree_of

_NOT_DONE = re.compile(
    r"\b(?:unimplemented|todo)!\s*\(|\bNotImplementedException\b|\braise\s+NotImplementedError\b"
    r"|\bUnsupportedOperationException\s*\(|\b(?:Error|Exception|panic|fatalError|TODO|RuntimeException)\s*\(\s*"
    r"[\"'`](?:not (?:yet )?(?:implemented|supported)|todo|unimplemented)[^\"'`]*[\"'`]",
    re.IGNORECASE,
)


def stub(patch: Patch) -> Iterator[Rejection]:
    """Reject a function whose body was removed."""
    for file in patch.files:
        if file.is_test or not file.new_text:
            continue
        name = _python(file) if file.language == "python" else _other(file)
        if name is not None:
            yield Rejection(file.path, "stub", f"Write the code of {name}; do not leave a stub in its place.")


def _python(file: File) -> str | None:
    new = functions(tree_of(file.new_text))
    for name, old in functions(tree_of(file.old_text)).items():
        function = new.get(name)
        if function is None or _is_stub(old) or not _is_stub(function) or _is_abstract(function):
            continue
        if not (_returns_none(function) and len(statements(old)) == 1):
            return name
    return None


def _other(file: File) -> str | None:
    if file.language is None or not file.old_text:
        return None
    old, new = (
        len(_NOT_DONE.findall(without_comments(text, file.language))) for text in (file.old_text, file.new_text)
    )
    return "what is not implemented" if new > old else None


def _is_stub(function: Function) -> bool:
    body = statements(function)
    if not body:
        return True
    first = body[0]
    if isinstance(first, ast.Raise) and first.exc is not None:  # nothing that follows it runs
        return last_name(first.exc) == "NotImplementedError"
    return _returns_none(function)


def _returns_none(function: Function) -> bool:
    body = statements(function)
    if len(body) != 1 or not isinstance(body[0], ast.Return):
        return False
    value = body[0].value
    return value is None or (isinstance(value, ast.Constant) and value.value is None)


def _is_abstract(function: Function) -> bool:
    return any(last_name(node) in ("abstractmethod", "overload") for node in function.decorator_list)
