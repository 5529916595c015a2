"""Our own rules over a text: documented formats, and credentials that their surroundings give away."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selfreview.scan.formats import FORMATS, Format
from selfreview.scan.keyed import KEYED, Keyed, compiled
from selfreview.scan.library import RawMatch
from selfreview.scan.randomness import entropy, looks_random

_INNER = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")


def own_matches(text: str) -> Iterator[RawMatch]:
    """Yield every match of our own rules; the time is linear in the text."""
    for form in FORMATS:
        yield from _formats(form, text)
    low = text.lower()
    for rule in KEYED:
        if any(mark in low for mark in rule.marks):
            yield from _keyed(rule, text)


def _formats(form: Format, text: str) -> Iterator[RawMatch]:
    pattern = None
    for mark in form.marks:
        position = text.find(mark)
        while position >= 0:
            pattern = pattern or re.compile(form.pattern)
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


def _keyed(rule: Keyed, text: str) -> Iterator[RawMatch]:
    for match in compiled(rule).finditer(text):
        value = match["value"]
        if entropy(value) >= rule.entropy and (not rule.random or looks_random(value)):
            yield RawMatch(rule.rule, rule.title, rule.confidence, *match.span("value"))
