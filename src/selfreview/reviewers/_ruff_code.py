"""Python without its strings and comments, also where it cannot be parsed."""

from __future__ import annotations

import re

from selfreview.api import SourceText

_STRING_OR_COMMENT = re.compile(
    r'"""[\s\S]*?(?:"""|\Z)'
    r"|'''[\s\S]*?(?:'''|\Z)"
    r'|"(?:\\.|[^"\\\n])*"?'
    r"|'(?:\\.|[^'\\\n])*'?"
    r"|(?P<comment>#[^\n]*)"
)


def code_of(text: SourceText) -> list[str]:
    """Return the lines of a file without what stands in strings and comments."""
    return _STRING_OR_COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text.text).split("\n")


def comment_of(text: SourceText, number: int) -> str:
    """Return the comment of a line, from 1, or the empty string."""
    for found in _STRING_OR_COMMENT.finditer(text.text):
        if found["comment"] is not None and text.text.count("\n", 0, found.start()) + 1 == number:
            return found[0]
    return ""
