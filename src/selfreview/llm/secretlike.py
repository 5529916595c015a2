"""Detection of possible secrets, by their form or their place: many false alarms, few misses.

This decides what leaves the machine, not what is reported, so a harmless value more costs nothing but a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from selfreview.llm.assigned import assigned_values
from selfreview.llm.blocks import block_values
from selfreview.llm.places import placed_values
from selfreview.scan.randomness import looks_random
from selfreview.scan.secrets import scan


class Span(NamedTuple):
    """Part of a text to hide.

    Attributes:
        start, end: Offsets, the end exclusive.
        kind: What it seems to be: upper-case words joined by underscores.
    """

    start: int
    end: int
    kind: str


_TOKEN = re.compile(r"(?<![A-Za-z0-9_+/-])[A-Za-z0-9_+/-]{20,}={0,2}(?![A-Za-z0-9_+/-])")
_WEB_TOKEN = re.compile(r"eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){1,4}")
_BEGIN = re.compile(r"-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_FRAME = re.compile(r"[^\w\n]*-----(?:BEGIN|END)[ A-Z0-9]{1,60}-----[^\w\n]*")
_KEY_LINE = re.compile(r"[+\- \t>#*/\"'`]*(?:\d+[ \t]+[+-]?[ \t]*)?[A-Za-z0-9+/]{2,76}={0,2}[\"'`,;\\+ \tnr)]*")
_KEY_PART = re.compile(r"[A-Za-z0-9+/]{4,}={0,2}|[A-Za-z0-9+/]{2,3}={1,2}")
_MARK_AND_SPACE = re.compile(r"[+\- ]?[ \t>#*/\"'`]*")
_LONGEST_KEY = 20_000
_LONGEST_OPEN_KEY = 8_000


def find(text: str) -> list[Span]:
    """Return the spans to hide in a text, in order, without overlaps; no span holds a line break."""
    found = [Span(match.start, match.end, _kind(match.rule)) for match in scan(text)]
    finders: tuple[Callable[[str], Iterator[Span]], ...] = (_assigned, _placed, _keys, _tokens)
    for finder in finders:
        found.extend(finder(text))
    return _flat(text, found)


def _kind(rule: str) -> str:
    return re.sub(r"[^A-Z0-9]+", "_", rule.upper()).strip("_")


def _assigned(text: str) -> Iterator[Span]:
    for start, end, strong in assigned_values(text):
        yield Span(start, end, "PASSWORD" if strong else "TOKEN")


def _placed(text: str) -> Iterator[Span]:
    for start, end, kind in (*placed_values(text), *block_values(text)):
        yield Span(start, end, kind)


def _keys(text: str) -> Iterator[Span]:
    """Yield the lines of private keys, also where only the start or the end of one can be seen."""
    for begin in _BEGIN.finditer(text):
        end = text.find("-----END", begin.end(), begin.end() + _LONGEST_KEY)
        stop = end if end >= 0 else begin.end() + _LONGEST_OPEN_KEY
        yield from _key_lines(text, begin.end(), stop, closed=end >= 0)
    for last in _END.finditer(text):
        stop = text.rfind("\n", 0, last.start()) + 1
        if "\\n" in text[stop : last.start()]:
            yield from _key_lines(text, text.rfind('"', stop, last.start()) + 1 or stop, last.start(), closed=True)
        while stop > 0:
            start = text.rfind("\n", 0, stop - 1) + 1
            if not _KEY_LINE.fullmatch(text[start : stop - 1].rstrip("\r")):
                break
            yield from _key_lines(text, start, stop, closed=True)
            stop = start


def _key_lines(text: str, start: int, stop: int, *, closed: bool) -> Iterator[Span]:
    for line in re.finditer(r"[^\n]+", text[start:stop]):
        # Escaped line breaks, as in JSON: their letters are none of the key's.
        body = line[0].replace("\\n", "  ").replace("\\r", "  ")
        if not closed and body.strip("+- \t\r") and not _KEY_LINE.fullmatch(body.rstrip("\r")):
            return
        for part in _KEY_PART.finditer(body):
            first = start + line.start()
            yield Span(first + part.start(), first + part.end(), "PRIVATE_KEY")


def _tokens(text: str) -> Iterator[Span]:
    for match in _WEB_TOKEN.finditer(text):
        yield Span(*match.span(), "WEB_TOKEN")
    for match in _TOKEN.finditer(text):
        value = match[0]
        if re.search(r"\d", value) and re.search(r"[A-Za-z]", value) and looks_random(value):
            yield Span(*match.span(), "RANDOM")


def _flat(text: str, found: list[Span]) -> list[Span]:
    """Cut spans at line breaks and join those that overlap; the first names the kind."""
    lines = [piece for span in found for piece in _by_line(text, span)]
    flat: list[Span] = []
    for span in sorted(lines, key=lambda s: (s.start, -s.end)):
        if flat and span.start < flat[-1].end:
            flat[-1] = flat[-1]._replace(end=max(flat[-1].end, span.end))
        else:
            flat.append(span)
    return flat


def _by_line(text: str, span: Span) -> Iterator[Span]:
    """Cut a span at line breaks; a diff's mark at the start of a line, and the space after it, is no part of it."""
    position = span.start
    for line in text[span.start : span.end].split("\n"):
        opens = position == 0 or text[position - 1] == "\n"
        mark = _MARK_AND_SPACE.match(line) if opens else None
        start = position + (mark.end() if mark else 0)
        end = position + len(line.rstrip("\r \t"))
        if text[start - 1 : start] == "\\" and text[start : start + 1] in ("n", "r", "t"):
            start += 1  # an escaped line break's letter
        if end > start and not _FRAME.fullmatch(line):
            yield span._replace(start=start, end=end)
        position += len(line) + 1
