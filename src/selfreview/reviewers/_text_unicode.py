"""Characters that hide, reorder or disguise text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from selfreview.reviewers._text_hit import Hit

_SUSPECT = re.compile(
    "[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]|\r(?=[^\r\n])"
)
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_MARKS = frozenset("\u200e\u200f\u061c")
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0\u17b4\u17b5\u034f")
_JOINERS = frozenset("\u180e\u200b\u200c\u200d\u2060")
_BREAKS = {
    "\r": "A carriage return in the middle of a line",
    "\u2028": "A line separator (U+2028)",
    "\u2029": "A paragraph separator (U+2029)",
    "\x85": "A next-line character (U+0085)",
}
_CONTROL_NAMES = {
    0x00: "A NUL character",
    0x07: "A bell character (U+0007)",
    0x08: "A backspace (U+0008)",
    0x0B: "A vertical tab (U+000B)",
    0x1A: "An end-of-file character (U+001A)",
    0x1B: "An escape character (U+001B)",
    0x7F: "A delete character (U+007F)",
}
_OLD_LINES = 3
"""Carriage returns that make a text without line feeds an old Macintosh text, whose lines end so."""
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0000-\U000e0fff]{3,}")
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,16}\U000e007f")


def odd_characters(text: str, *, prose: bool) -> Iterator[Hit]:
    """Yield one hit for every check that a line fails.

    What a script or an emoji needs is not odd: joiners in Arabic, Indic and emoji sequences, word breaks in Thai or
    Khmer, single variation selectors, marks beside right-to-left letters.

    Args:
        text: The file's text; lines end at line feeds.
        prose: Whether a person reads the file.
    """
    if not _SUSPECT.search(text):
        return
    returns_only = "\n" not in text and text.count("\r") >= _OLD_LINES
    for number, line in enumerate(text.split("\n"), 1):
        seen = set()
        for hit in _line_hits(line, number, prose):
            if hit.check not in seen:
                seen.add(hit.check)
                old = returns_only and line[hit.column - 1] == "\r" if hit.column else False
                yield hit._replace(minor=hit.minor or old)


def _line_hits(line: str, number: int, prose: bool) -> Iterator[Hit]:
    if not _SUSPECT.search(line):
        return
    allowed = [m.span() for m in _FLAG.finditer(line)] if "\U000e007f" in line else []
    for run in _SELECTORS.finditer(line):
        if not _inside(run.start(), allowed):
            allowed.append(run.span())
            yield Hit("hidden-text", number, run.start() + 1, f"A run of {len(run[0])} invisible characters")
    told = set()
    for match in _SUSPECT.finditer(line):
        if match[0] not in told and not _inside(match.start(), allowed):
            hit = _judge(line, match.start(), number, prose)
            if hit is not None:
                told.add(match[0])
                yield hit


def _inside(position: int, spans: list[tuple[int, int]]) -> bool:
    return any(first <= position < last for first, last in spans)


def _judge(line: str, index: int, number: int, prose: bool) -> Hit | None:
    """Judge one suspicious character; return None where its place requires it."""
    char = line[index]
    code = ord(char)
    around = (line[index - 1 : index], line[index + 1 : index + 2])
    check, what, minor = "invisible-character", _name(char), False
    if char in _BIDI:
        check = "bidi-control"
    elif char in _BREAKS:
        check, what = "hidden-line-break", _BREAKS[char]
    elif code < 0x20 or 0x7F <= code <= 0x9F:
        check = "control-character"
        what = _CONTROL_NAMES.get(code, f"A control character (U+{code:04X})")
        minor = code >= 0x80 or code == 0x1A
    elif char in _MARKS:
        minor = True
    elif 0xE0000 <= code <= 0xE007F:
        check = "hidden-text"  # tags: plain ASCII that nothing draws
    return None if _needed(char, around, prose) else Hit(check, number, index + 1, what, minor=minor)


def _needed(char: str, around: tuple[str, str], prose: bool) -> bool:
    """Return whether a script, an emoji or typography requires this character between its neighbours."""
    if char in _MARKS:
        return prose or any(map(_right_to_left, around))
    if char in _FILLERS:
        return any(map(_complex, around)) or any(map(_hangul, around))
    if char in _JOINERS:
        return any(map(_complex, around)) or (char == "\u200d" and all(map(_emoji, around)))
    if "\U000e0100" <= char <= "\U000e01ef":
        return unicodedata.name(around[0], "").startswith("CJK") if around[0] else False
    if char == "\xad":
        return prose
    # One variation selector after its character is a matter of style; a run of them was reported before.
    return "\ufe00" <= char <= "\ufe0f" or "\u180b" <= char <= "\u180f"


def _name(char: str) -> str:
    name = unicodedata.name(char, "unnamed character").lower()
    return f"A character (U+{ord(char):04X}, {name})"


def _complex(char: str) -> bool:
    """Return whether a character belongs to a script that joins letters or breaks words without spaces."""
    code = ord(char) if char else 0
    return 0x590 <= code <= 0x109F or 0x1700 <= code <= 0x1CFF or 0xA800 <= code <= 0xABFF or 0xFB1D <= code <= 0xFDFF \
        or 0xFE70 <= code <= 0xFEFC or 0x10A00 <= code <= 0x11FFF  # fmt: skip


def _right_to_left(char: str) -> bool:
    return bool(char) and unicodedata.bidirectional(char) in ("R", "AL")


def _hangul(char: str) -> bool:
    return bool(char) and "HANGUL" in unicodedata.name(char, "")


def _emoji(char: str) -> bool:
    return bool(char) and (unicodedata.category(char) in ("So", "Sk", "Sm") or char in "\ufe0f\u20e3")
