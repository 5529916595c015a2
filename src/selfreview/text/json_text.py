"""JSON with comments, as somebody wrote it."""

from __future__ import annotations

import re

_STRING = r'("(?:[^"\\]|\\.)*+["\\]?)'  # to the end where it has none, so that no text is read again and again
_COMMENT = re.compile(rf"{_STRING}|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_LAST_COMMA = re.compile(rf"{_STRING}|,(?=\s*[}}\]])", re.DOTALL)
_VISIBLE = re.compile(r"\S")


def plain_json(text: str) -> str:
    """Return a text with blanks for its comments and for commas behind the last value; all else keeps its place."""
    bare = _COMMENT.sub(lambda match: match[1] or _VISIBLE.sub(" ", match[0]), text)
    return _LAST_COMMA.sub(lambda match: match[1] or " ", bare)


def has_comments(text: str) -> bool:
    """Return whether there is a comment outside of every string."""
    return any(match[1] is None for match in _COMMENT.finditer(text))
