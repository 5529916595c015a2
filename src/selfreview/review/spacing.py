"""Lines of code without the white space that means nothing."""

from __future__ import annotations

import re

_STRING = r""" "(?:[^"\\\n]|\\.)*+" | '(?:[^'\\\n]|\\.)*+' | `(?:[^`\\\n]|\\.)*+` """
_PARTS = re.compile(rf"(?P<string>{_STRING}) | \s*(?P<mark>[][(){{}},;=+<>!&|])\s* | (?P<space>\s+)", re.VERBOSE)


def squeezed(line: str) -> str:
    """Return a line without indentation, trailing space, and white space around brackets and operators.

    White space between words is one space, and that between quotes stays: there it is part of a value. So it stays
    beside slashes, dashes, dots and stars too, which are a path's or a pattern's more often than an operator. A quote
    that ends nowhere in the line, such as an apostrophe, begins no string.
    """
    return _PARTS.sub(_part, line.strip())


def _part(match: re.Match[str]) -> str:
    return " " if match["space"] is not None else match["mark"] or match["string"]
