"""Matches of all rules in a text: documented formats, and credentials that their surroundings identify.

Every rule starts from literal text that it looks for first, and reads a bounded part of the text from there or goes on
behind what it has read, so that the time is linear in the text and small.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from selfreview.errors import ToolTimeout
from selfreview.scan.addresses import address_matches
from selfreview.scan.encoded import encoded_keys
from selfreview.scan.formats import FORMATS, Format
from selfreview.scan.generic import generic_matches
from selfreview.scan.keyed import KEYED, Keyed
from selfreview.scan.match import RawMatch
from selfreview.scan.randomness import entropy, looks_random

_INNER = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_LONG_WORD = re.compile(r"[A-Za-z0-9_+/=~.!|$:@-]{18,}")
"""Long words: every credential with a format is part of such a word; there are few of them in most texts."""
_ESCAPE = re.compile(r"(?:\\[nrtfve0]|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|\x1b\[[0-9;]{0,9}m)\Z")
"""Escape sequence of a character that belongs to no word."""
_WORD = re.compile(r"[A-Za-z0-9]{0,1000}")
_SHORT = 3
_BEFORE = 16
"""Maximum characters before a mark that a rule may look at."""
_LONG_RUN = 200

Ask = Callable[[], None]


def rule_matches(text: str, remaining: Callable[[], float] | None = None) -> Iterator[RawMatch]:
    """Yield every match of every rule.

    Args:
        text: Any text without lone surrogates.
        remaining: Returns the seconds left; asked at every place that a rule looks at.

    Raises:
        ToolTimeout: If no time is left.
    """

    def ask() -> None:
        if remaining is not None and remaining() <= 0:
            raise ToolTimeout("the secret scanner did not finish in time")

    for matches in _by_rule(text, ask):
        ask()
        yield from matches


def _by_rule(text: str, ask: Ask) -> Iterator[Iterator[RawMatch]]:
    words = "\n".join(_LONG_WORD.findall(text))
    for form in FORMATS:
        marks = [mark for mark in form.marks if mark in words or " " in mark]
        if marks:
            yield _formats(form, marks, text, ask)
    low = text.lower()
    if len(low) != len(text):  # a letter whose lower case is two: offsets would be wrong
        low = "".join(char.lower() if char.isascii() else char for char in text)
    for rule in KEYED:
        yield _keyed(rule, text, low, ask)
    yield generic_matches(text, low, ask)
    yield address_matches(text, ask)
    yield encoded_keys(text, ask)


def _formats(form: Format, marks: list[str], text: str, ask: Ask) -> Iterator[RawMatch]:
    for mark in marks:
        position = text.find(mark)
        if position < 0:
            continue
        pattern = re.compile(form.pattern)
        run = re.compile(f"{form.run}{{{_LONG_RUN},}}+") if form.run else None
        while position >= 0:
            ask()
            match = _match(pattern, text, position, mark, form.offsets)
            if match is not None:
                start, end = match.span("value" if "value" in pattern.groupindex else 0)
                rest = _WORD.match(text, end) if end == match.end() else None
                extent = start, rest.end() if rest else end
                if entropy(text[slice(*extent)]) >= form.entropy:
                    yield RawMatch(form.rule, form.title, form.confidence, *extent)
            passed = run.match(text, position) if run and not match and not _joined(text, position, mark) else match
            position = text.find(mark, max(position + 1, passed.end() if passed else 0))


def _match(
    pattern: re.Pattern[str], text: str, position: int, mark: str, offsets: tuple[int, ...]
) -> re.Match[str] | None:
    """Match where the mark occurs at a position, and nothing before or after makes the word longer."""
    for offset in offsets:
        start = position - offset
        if start >= 0 and not _joined(text, start, mark):
            match = pattern.match(text, start)
            if match and (not _joined(text, match.end(), "") or _is_longer(mark, match[0])):
                return match
    return None


def _joined(text: str, index: int, mark: str) -> bool:
    """Return whether the characters beside a place belong to one word; an escape before it belongs to none."""
    if not (0 < index < len(text) and text[index - 1] in _INNER and text[index] in _INNER):
        return False
    if text[index - 1] == "_" and mark.endswith("_"):
        return False  # token_ghp_...
    return _ESCAPE.search(text, max(0, index - _BEFORE), index) is None


def _is_longer(mark: str, value: str) -> bool:
    """Return whether a value may exceed its documented length: providers lengthen theirs. A digest has one case."""
    return len(mark) > _SHORT and mark.endswith("_") and value != value.lower() and value != value.upper()


def _keyed(rule: Keyed, text: str, low: str, ask: Ask) -> Iterator[RawMatch]:
    for mark in rule.marks:
        position = low.find(mark)
        if position < 0:
            continue
        pattern = re.compile(rule.pattern, re.IGNORECASE)
        before = re.compile(f"(?:{rule.before})$") if rule.before else None
        while position >= 0:
            ask()
            behind = position + len(mark)
            match = pattern.match(text, position)
            if match and (before is None or before.search(low[max(0, position - _BEFORE) : position])):
                value = match["value"]
                if entropy(value) >= rule.entropy and (not rule.random or looks_random(value)):
                    yield RawMatch(rule.rule, rule.title, rule.confidence, *match.span("value"))
                    behind = max(behind, match.end())
            position = low.find(mark, behind)
