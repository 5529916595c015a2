"""Search for the lines that a model quotes among the lines of a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from selfreview.api.context import SourceText
from selfreview.llm.transport.fences import escape
from selfreview.model.issue import Side

_NUMBER = re.compile(r"\s*(?:\d+\s*[|:]?\s*)?[+-]?\s?")
_DISTINCTIVE = 3
"""Minimum letters and digits of a line that is more than a bracket."""
_GAP = re.compile(r"\.{3,}|\u2026|\\u\{2026\}")
_MIN_AROUND_GAPS = 6
"""Minimum letters and digits of a quote with gaps."""
_MAX_LINES = 40
"""Maximum lines of a quote that are searched for: the first lines decide on its place."""
_TELLING = 12
"""Minimum characters of a line that is surely meant where a quote holds it among other things."""


class Quote(NamedTuple):
    """One line of a quote.

    Attributes:
        text: As it is quoted.
        forms: The line squeezed, as it is and without a number or a diff's mark.
        telling: Whether it is more than brackets.
    """

    text: str
    forms: tuple[str, ...]
    telling: bool


class Numbered(NamedTuple):
    """Line of a file: its number, the nearest line of the new side, and its text."""

    number: int
    near: int
    side: Side
    text: str


class QuoteHit(NamedTuple):
    """A line that is quoted.

    Attributes:
        line: On its own side.
        near: Where that is on the new side.
        side: Which side that is.
        text: The line itself.
        quote: Which line of the quote it is, from 0.
        telling: Whether it is more than brackets.
    """

    line: int
    near: int
    side: Side
    text: str
    quote: int
    telling: bool


def quotes_of(evidence: str) -> list[Quote]:
    """Return the lines of a quote that are not blank."""
    lines = [line for line in evidence.split("\n") if line.strip()][:_MAX_LINES]
    return [Quote(line, _forms(line, squeeze), len(re.findall(r"\w", line)) >= _DISTINCTIVE) for line in lines]


def _forms(line: str, form: Callable[[str], str]) -> tuple[str, ...]:
    made = (form(line), form(_NUMBER.sub("", line, count=1)))
    return tuple(dict.fromkeys(filter(None, made)))


def full_quotes(
    quotes: Sequence[Quote], side: Side, text: SourceText | None, near: Callable[[int], int]
) -> list[list[QuoteHit]]:
    """Return every place at which all lines of a longer quote occur in sequence, blank lines ignored.

    Args:
        quotes: What to look for; of a single line, nothing is returned.
        side: Which side the text is.
        text: Where to look.
        near: Returns the line on the new side.
    """
    if text is None or len(quotes) < 2:
        return []
    lines = [(number, line, squeeze(line)) for number, line in enumerate(text.lines, 1) if line.strip()]
    found = []
    for start, (_, _, first) in enumerate(lines):
        if first in quotes[0].forms:
            run = lines[start : start + len(quotes)]
            if len(run) == len(quotes) and all(
                line in quote.forms for (_, _, line), quote in zip(run, quotes, strict=True)
            ):
                found.append(
                    [
                        QuoteHit(number, near(number), side, line, index, quotes[index].telling)
                        for index, (number, line, _) in enumerate(run)
                    ]
                )
    return found


def hits(quotes: Sequence[Quote], lines: Sequence[Numbered], *, contained: bool) -> list[QuoteHit]:
    """Return the lines that are quoted, by the strictest comparison that finds any.

    Args:
        quotes: What to look for: lines that are more than brackets, if there are any, else the first.
        lines: Where to look.
        contained: Whether a line that stands within a quoted line, among other things, will do.
    """
    wanted = [(index, quote) for index, quote in enumerate(quotes) if quote.telling] or list(enumerate(quotes[:1]))
    for form in (squeeze, spelled, bare):
        shortest = _DISTINCTIVE if form is bare else 0
        quoted_forms = [
            (index, [text for text in _forms(quote.text, form) if len(text) >= shortest]) for index, quote in wanted
        ]
        known = [(line, form(line.text)) for line in lines]
        for alike in (_same, _part_of):
            found = [
                QuoteHit(line.number, line.near, line.side, line.text, index, True)
                for line, text in known
                for index, forms in quoted_forms
                if any(alike(quoted, text) for quoted in forms)
            ]
            if found:
                return found
    if not contained:
        return []
    return [
        QuoteHit(line.number, line.near, line.side, line.text, index, True)
        for line in lines
        for index, quote in wanted
        if len(squeeze(line.text)) >= _TELLING and any(squeeze(line.text) in squeezed for squeezed in quote.forms)
    ]


def gapped_hits(quotes: Sequence[Quote], lines: Sequence[Numbered]) -> list[QuoteHit]:
    """Return the lines that hold all parts of a quoted line with gaps (``os.system(... name)``), in order."""
    found = []
    for index, quote in enumerate(quotes):
        for form in quote.forms:
            parts = [part for part in _GAP.split(form) if part]
            if parts == [form] or len(re.findall(r"\w", "".join(parts))) < _MIN_AROUND_GAPS:
                continue
            pattern = re.compile(".*?".join(map(re.escape, parts)), re.DOTALL)
            found += [
                QuoteHit(line.number, line.near, line.side, line.text, index, True)
                for line in lines
                if pattern.search(squeeze(line.text))
            ]
    return found


def _same(quote: str, line: str) -> bool:
    return quote == line


def _part_of(quote: str, line: str) -> bool:
    return quote in line


_SPELLED = re.compile(
    r"\\u\{(?P<a>[0-9A-Fa-f]{1,6})\}|<U\+(?P<b>[0-9A-Fa-f]{4,6})>|\\u(?P<c>[0-9A-Fa-f]{4})|\\U(?P<d>[0-9A-Fa-f]{8})"
    r"|\\x(?P<e>[0-9A-Fa-f]{2})|\\(?P<f>[0-3][0-7]{2})|\\(?P<g>[ntr])"
)
_BYTE = re.compile("[\udc80-\udcff]")
_ODD = re.compile(r"\\u\{[0-9A-F]+\}|[^\x21-\x7e]")
_NAMED = {"n": "\n", "t": "\t", "r": "\r"}


def squeeze(line: str) -> str:
    """Return a line without white space, invisible characters shown as a model saw them."""
    return "".join(escape(line.removesuffix("\r")).split())


def spelled(line: str) -> str:
    r"""Return a squeezed line in which every spelling of a character (``\x1b``, ``<U+200B>``) is the same."""
    return escape("".join(unspelled(line).split()))


def bare(line: str) -> str:
    """Return what is plain ASCII of a line, without white space."""
    return _ODD.sub("", spelled(line))


def unspelled(text: str) -> str:
    """Return a text with the characters that its escapes stand for; a byte that is not UTF-8 counts as Latin-1."""
    if "\\" in text or "<U+" in text:
        text = _SPELLED.sub(_character, text)
    return text if text.isascii() else _BYTE.sub(lambda match: chr(ord(match[0]) & 0xFF), text)


def _character(match: re.Match[str]) -> str:
    kind = match.lastgroup
    if kind == "g":
        return _NAMED[match["g"]]
    code = int(match[str(kind)], 8 if kind == "f" else 16)
    return chr(code) if code <= 0x10FFFF else match[0]
