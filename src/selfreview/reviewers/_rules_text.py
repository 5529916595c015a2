"""Text in the form that the parser accepts."""

from __future__ import annotations

import re
from typing import NamedTuple

from selfreview.api import SourceText

LONG_LINE = 2_000
"""Characters of a line above which patterns that read the text itself, instead of the syntax, may take very long."""

MAX_CODE = 20_000
"""Characters of code on one line: the parser counts every column from the start of the line."""

_DATA = re.compile(r"(?:[\w+/\\, -]|\.(?=[\s\d])){200,}")
"""Prose, numbers and encoded bytes: they make a line long without making it slow."""
_WORD = re.compile(r"\w{200,}")
_LONGEST_WORD = 64
_SURROGATE = re.compile("[\ud800-\udfff]")


class Parseable(NamedTuple):
    """A file for the parser.

    Attributes:
        lines: Its lines; those that hold too much code are empty.
        long: Numbers of the long lines that are not; endless words in them are cut short.
        left_out: Numbers of the lines that hold too much code.
    """

    lines: list[str]
    long: frozenset[int]
    left_out: frozenset[int]


def parseable(source: SourceText) -> Parseable:
    """Return a file's lines for the parser; every character that stays keeps its column.

    The parser refuses lone surrogates: they are replaced one for one. Of endless words, which only data holds, the
    start stays, because a pattern may try each of their characters as the start of a name; a name is a name as before.
    """
    lines = list(source.lines)
    left_out, long = set(), set()
    for number, line in enumerate(source.lines, 1):
        if len(line) <= LONG_LINE:
            continue
        if len(line) - sum(len(data[0]) for data in _DATA.finditer(line)) > MAX_CODE:
            left_out.add(number)
            lines[number - 1] = ""
        else:
            long.add(number)
            lines[number - 1] = _WORD.sub(lambda word: word[0][:_LONGEST_WORD].ljust(len(word[0])), line)
    if not source.is_utf8:
        lines = [_SURROGATE.sub("\ufffd", line) for line in lines]
    return Parseable(lines, frozenset(long), frozenset(left_out))


def short_lines(source: SourceText) -> list[str]:
    """Return a file's lines as :func:`parseable` does, with every long one empty."""
    return ["" if len(line) > LONG_LINE else _SURROGATE.sub("\ufffd", line) for line in source.lines]
