"""Lines of code without the white space that means nothing."""

from __future__ import annotations

import functools
import re

_PARTS = re.compile(r"""(?P<quote>["'`]) | \s*(?P<mark>[][(){},;=+<>!&|])\s* | \s+""", re.VERBOSE)
_REST = {quote: re.compile(rf"(?:[^{quote}\\\n]|\\.)*+{quote}") for quote in "\"'`"}
"""Rest of a string behind its opening quote, by that quote."""


@functools.lru_cache(maxsize=256)  # one long line may have thousands of issues
def squeezed(line: str) -> str:
    """Return a line without indentation, trailing space, and white space around brackets and operators.

    White space between words is one space, and that between quotes stays: there it is part of a value. So it stays
    beside slashes, dashes, dots and stars too, which are a path's or a pattern's more often than an operator. A quote
    that ends nowhere in the line, such as an apostrophe, begins no string.
    """
    line = line.strip()
    endless: dict[str, int] = {}
    found, at = [], 0
    while match := _PARTS.search(line, at):
        found.append(line[at : match.start()])
        at = match.end()
        quote = match["quote"]
        if quote is None:
            found.append(match["mark"] or " ")
            continue
        # One that has no end has none behind any of its kind that follows either, for each of these is escaped.
        found.append(quote)
        if at > endless.get(quote, 0):
            rest = _REST[quote].match(line, at)
            if rest is not None:
                found.append(rest.group())
                at = rest.end()
            else:
                end = line.find("\n", at)
                endless[quote] = end if end >= 0 else len(line)
    return "".join([*found, line[at:]])
