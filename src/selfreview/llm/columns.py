"""Secrets in tables: values in a column whose heading is a secret's name."""

from __future__ import annotations

import re
from collections.abc import Iterator

_MARGIN = re.compile(r"(?:[ ]{0,5}\d{1,9}[ ][+\- ][ ]|[ ]{6}-[ ]|[+\- ](?=\S))?")
_HEADING = re.compile(
    r"[\w .-]{0,40}(?:pass(?:word|wd|phrase|code)?|pwd|\bpw|secret|credential|token|api[_ -]?key|private[_ -]?key|"
    r"access[_ -]?key|kennwort|passwort)",
    re.IGNORECASE,
)
_NAME = re.compile(r"[\w .-]{1,60}")
_SEPARATORS = ",;\t|"
_LEAST = 3


def column_values(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the extents of values in such columns, below the heading as long as rows have as many cells."""
    wanted: list[int] = []
    separator, width, at = "", 0, 0
    for line in text.split("\n"):
        margin = _MARGIN.match(line)
        start = margin.end() if margin else 0
        row = line[start:].rstrip("\r")
        cells = _cells(row, separator) if separator else []
        if separator and len(cells) == width:
            for index in wanted:
                first, last = cells[index]
                if last - first >= _LEAST:
                    yield at + start + first, at + start + last, "COLUMN"
        else:
            separator, width, wanted = _heading(row)
        at += len(line) + 1


def _heading(row: str) -> tuple[str, int, list[int]]:
    """Return the separator, the number of columns and those of secrets; no separator where it is no such heading."""
    for separator in _SEPARATORS:
        if separator not in row or len(row) > 5_000:
            continue
        names = [row[first:last] for first, last in _cells(row, separator)]
        wanted = [index for index, name in enumerate(names) if _HEADING.fullmatch(name)]
        if wanted and all(_NAME.fullmatch(name) for name in names):
            return separator, len(names), wanted
    return "", 0, []


def _cells(row: str, separator: str) -> list[tuple[int, int]]:
    """Return the extents of a row's cells, without quotes and space around them."""
    found, at = [], 0
    for match in re.finditer(rf'[ ]*"(?:[^"]|"")*"[ ]*(?={re.escape(separator)}|$)|[^{re.escape(separator)}]*', row):
        if match.start() < at:
            continue
        cell = match[0]
        inner = cell.strip(' "')
        first = match.start() + (cell.find(inner) if inner else 0)
        found.append((first, first + len(inner)))
        at = match.end() + 1
    return found
