"""Source with its comments blanked, for rules that look at patterns."""

from __future__ import annotations

import re

_STRINGS = r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`"
_SLASHES = re.compile(rf"({_STRINGS})|//[^\n]*|/\*.*?\*/", re.DOTALL)
_HASHES = re.compile(r"(\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')|(?<![\w$\[{])#(?![\[{])[^\n]*", re.DOTALL)
_HASHED = frozenset({"ruby", "bash", "bats", "python"})


def without_comments(text: str, language: str | None) -> str:
    """Return a text in which comments are blanked; the remaining code keeps its place."""
    pattern = _HASHES if language in _HASHED else _SLASHES
    return pattern.sub(lambda match: match[1] or re.sub(r"[^\n]", " ", match[0]), text)
