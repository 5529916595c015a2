"""Our own rules over a text: documented formats, and credentials that their surroundings give away.

Every rule starts from literal text that it looks for first, so that the time is linear in the text and small.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from selfreview.scan.addresses import address_matches
from selfreview.scan.encoded import encoded_keys
from selfreview.scan.formats import FORMATS, Format
from selfreview.scan.keyed import KEYED, Keyed
from selfreview.scan.library import RawMatch
from selfreview.scan.randomness import entropy, looks_random

_INNER = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_BEFORE = 16
"""Characters before a mark that a rule may look at."""


def own_matches(text: str) -> Iterator[RawMatch]:
    """Yield every match of our own rules."""
    for form in FORMATS:
        yield from _formats(form, text)
    low = text.lower()
    if len(low) != len(text):  # a letter whose lower case is two: offsets would be wrong
        low = "".join(char.lower() if char.isascii() else char for char in text)
    for rule in KEYED:
        yield from _keyed(rule, text, low)
    yield from address_matches(text)
    yield from encoded_keys(text)


def _formats(form: Format, text: str) -> Iterator[RawMatch]:
    for mark in form.marks:
        position = text.find(mark)
        if position < 0:
            continue
        pattern = re.compile(form.pattern)
        while position >= 0:
            match = _match(pattern, text, position, form.offsets)
            if match is not None:
                extent = match.span("value" if "value" in pattern.groupindex else 0)
                if entropy(text[slice(*extent)]) >= form.entropy:
                    yield RawMatch(form.rule, form.title, form.confidence, *extent)
            position = text.find(mark, max(position + 1, match.end() if match else 0))


def _match(pattern: re.Pattern[str], text: str, position: int, offsets: tuple[int, ...]) -> re.Match[str] | None:
    """Match where the mark stands at a position, and nothing before or after makes the word longer."""
    for offset in offsets:
        start = position - offset
        if start >= 0 and not _joined(text, start):
            match = pattern.match(text, start)
            if match and not _joined(text, match.end()):
                return match
    return None


def _joined(text: str, index: int) -> bool:
    """Whether the characters on both sides of a place belong to one word."""
    return 0 < index < len(text) and text[index - 1] in _INNER and text[index] in _INNER


def _keyed(rule: Keyed, text: str, low: str) -> Iterator[RawMatch]:
    for mark in rule.marks:
        position = low.find(mark)
        if position < 0:
            continue
        pattern = re.compile(rule.pattern, re.IGNORECASE)
        before = re.compile(f"(?:{rule.before})$") if rule.before else None
        while position >= 0:
            match = pattern.match(text, position)
            if match and (before is None or before.search(low[max(0, position - _BEFORE) : position])):
                value = match["value"]
                if entropy(value) >= rule.entropy and (not rule.random or looks_random(value)):
                    yield RawMatch(rule.rule, rule.title, rule.confidence, *match.span("value"))
            position = low.find(mark, position + len(mark))
