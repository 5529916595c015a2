"""Calls by name alone, with type arguments, a ``!``, a cast or brackets between the name and the call."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_CALLS = {
    "typescript": ("call_expression", "new_expression"),
    "tsx": ("call_expression", "new_expression"),
    "javascript": ("call_expression",),
    "python": ("call",),
    "go": ("call_expression",),
    "csharp": ("invocation_expression",),
    "c": ("call_expression",),
    "cpp": ("call_expression",),
}
_TYPE_ARGUMENTS = frozenset({"type_arguments", "type_argument_list"})
_NAMES = re.compile(r"identifier|attribute|(?:member|selector|member_access|field)_expression")
_CASTS = frozenset({"as_expression", "satisfies_expression", "non_null_expression", "parenthesized_expression"})
_DRESSED = re.compile(r"[>!)]\s*\(")
"""Behind a name alone stands a bracket, and nothing else."""
_VISIBLE = re.compile(r"[^\n]")


def called_plainly(text: str, root: SgNode, language: str) -> str:
    """Return code of the same length and lines in which nothing is between a called name and its bracket.

    Args:
        text: The code.
        root: Root of what it was parsed to.
        language: Its language.
    """
    if language not in _CALLS or _DRESSED.search(text) is None:
        return text
    parts: list[str] = []
    position = 0
    for start, end in sorted(_dress(root, language)):
        if start >= position and not (language == "python" and "\n" in text[start:end]):
            parts += [text[position:start], _VISIBLE.sub(" ", text[start:end])]
            position = end
    return "".join([*parts, text[position:]])


def _dress(root: SgNode, language: str) -> Iterator[tuple[int, int]]:
    for call in root.find_all(any=[{"kind": kind} for kind in _CALLS[language]]):
        called = next((part for part in call.children() if part.is_named()), None)
        yield from (_extent(part) for part in call.children() if part.kind() in _TYPE_ARGUMENTS)
        if called is None:
            continue
        last = called.children()[-1:]
        if last and last[0].kind() == "generic_name":
            yield from (_extent(part) for part in last[0].children() if part.kind() in _TYPE_ARGUMENTS)
        (start, end), inner = _extent(called), called
        while inner.kind() in _CASTS and (named := inner.named_children()):
            inner = named[0]
        if _NAMES.fullmatch(inner.kind()) is not None:
            yield from ((start, _extent(inner)[0]), (_extent(inner)[1], end))


def _extent(node: SgNode) -> tuple[int, int]:
    span = node.range()
    return span.start.index, span.end.index
