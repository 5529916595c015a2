"""Code in a file's lines: comments and texts are blank, so that words in them count for nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from selfreview.syntax.parsing import eased

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_SCRIPT = ("comment", "string_fragment")
KINDS = {
    "python": ("comment", "string_content"),
    "javascript": (*_SCRIPT, "html_comment", "jsx_text"),
    "typescript": (*_SCRIPT, "html_comment"),
    "tsx": (*_SCRIPT, "html_comment", "jsx_text"),
    "go": ("comment", "interpreted_string_literal_content", "raw_string_literal_content"),
    "java": ("line_comment", "block_comment", "string_fragment", "multiline_string_fragment"),
    "kotlin": ("line_comment", "multiline_comment", "string_content"),
    "csharp": (
        "comment", "string_content", "string_literal_content", "raw_string_content", "verbatim_string_literal",
    ),
    "ruby": ("comment", "string_content", "heredoc_content", "uninterpreted"),
    "php": ("comment", "string_content", "nowdoc_string"),
    "c": ("comment", "string_content"),
    "cpp": ("comment", "string_content", "raw_string_content"),
    "swift": (
        "comment", "multiline_comment", "line_str_text", "multi_line_str_text", "raw_str_part", "raw_str_end_part",
    ),
    "rust": ("line_comment", "block_comment", "string_content"),
    "bash": ("comment", "string_content", "raw_string", "heredoc_body"),
}  # fmt: skip
"""Node kinds of comments and constant text in each grammar; code in an interpolation is neither."""

_KEY = re.compile(r"[\w.:/-]+")
"""Text that may name what code means: ``user["is_admin"]``."""


def live_lines(root: SgNode, language: str, lines: Sequence[str]) -> list[str]:
    """Return a file's lines with all but code as spaces, so that the code keeps its place.

    Args:
        root: Root of the parsed lines.
        language: Their language, one of :data:`KINDS`.
        lines: The lines that were parsed.
    """
    blanked = eased("\n".join(lines), language).split("\n")
    for node in root.find_all(any=[{"kind": kind} for kind in KINDS[language]]):
        span = node.range()
        if span.start.line == span.end.line and _is_key(node):
            continue
        for number in range(span.start.line, min(span.end.line + 1, len(blanked))):
            line = blanked[number]
            start = span.start.column if number == span.start.line else 0
            end = span.end.column if number == span.end.line else len(line)
            blanked[number] = line[:start] + " " * len(line[start:end]) + line[end:]
    return blanked


def _is_key(node: SgNode) -> bool:
    """Return whether a text is a single word, and stands for something more than itself."""
    if _KEY.fullmatch(node.text()) is None:
        return False
    literal = node.parent()
    holder = literal.parent() if literal is not None else None
    return holder is not None and holder.kind() != "expression_statement"
