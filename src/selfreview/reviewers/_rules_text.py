"""Text as the parser takes it."""

from __future__ import annotations

import re

from selfreview.api import SourceText

MAX_LINE = 2_000
"""Characters of a line; longer ones are data or generated, and patterns may take very long on them."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def parseable(source: SourceText) -> tuple[list[str], list[int]]:
    """Return a file's lines for the parser, and the numbers of those that were left out as too long.

    The parser refuses lone surrogates: they are replaced one for one, so that columns stay.
    """
    lines = list(source.lines)
    too_long = [number for number, line in enumerate(lines, 1) if len(line) > MAX_LINE]
    for number in too_long:
        lines[number - 1] = ""
    if not source.is_utf8:
        lines = [_SURROGATE.sub("\ufffd", line) for line in lines]
    return lines, too_long
