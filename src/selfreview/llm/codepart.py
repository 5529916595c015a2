"""Classification of a text's characters as code, string or comment."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from selfreview.llm.grammar import language_of
from selfreview.llm.outline import parse
from selfreview.syntax.parsing import spared

if TYPE_CHECKING:
    from ast_grep_py import SgNode

CODE, STRING, COMMENT = "c", "s", "-"
_MAX_CHARS = 1_000_000
_STRING = re.compile(r"string|heredoc|nowdoc|(?:_text|^text|regex|char\w*)(?:_literal)?$|regex_pattern|^sigil")
_INSIDE = re.compile(r"interpol|substitution|expansion")
_COMMENT = re.compile(r"[ \t]*(?:#|//|/\*|\*|--|;|%|<!--|\"\"\"|'''|REM\b).*", re.IGNORECASE)
_BLOCK = re.compile(r"/\*.*?(?:\*/|\Z)|<!--.*?(?:-->|\Z)", re.DOTALL)


def parts_of_lines(path: str, text: str) -> list[str]:
    """Return for every line what each of its characters is: ``CODE``, ``STRING`` or ``COMMENT``.

    By syntax where the language is known, else a comment is known by how it or its line begins.
    """
    language = language_of(path)
    known = language is not None and len(text) <= _MAX_CHARS
    extents = _by_syntax(parse(str(language), text)) if known else _by_look(text)
    kinds = [CODE] * len(text)
    for start, end, kind in extents:
        kinds[start:end] = kind * (end - start)
    lines, at = [], 0
    for line in text.split("\n"):
        lines.append("".join(kinds[at : at + len(line)]))
        at += len(line) + 1
    if known:
        written = text.split("\n")
        for number in spared(text, str(language)):
            code, mark, words = written[number].partition("#")
            lines[number] = CODE * len(code) + COMMENT * len(mark + words)
    return lines


def _by_syntax(root: SgNode) -> Iterator[tuple[int, int, str]]:
    """Yield extents, outer before inner: what is interpolated into a string is code again."""
    waiting = [(root, CODE)]
    while waiting:
        node, around = waiting.pop()
        name = node.kind() if node.is_named() else ""
        kind = around
        if "comment" in name:
            kind = COMMENT
        elif around is CODE and _STRING.search(name):
            kind = STRING
        elif around is STRING and _INSIDE.search(name) and not _STRING.search(name):
            kind = CODE
        if kind is not around:
            span = node.range()
            yield span.start.index, span.end.index, kind
        if kind is not COMMENT:
            waiting += [(child, kind) for child in reversed(node.children())]


def _by_look(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _BLOCK.finditer(text):
        yield match.start(), match.end(), COMMENT
    at = 0
    for line in text.split("\n"):
        if _COMMENT.match(line):
            yield at, at + len(line), COMMENT
        at += len(line) + 1
