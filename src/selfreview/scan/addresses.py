"""Passwords in addresses (``postgres://user:password@host``), and the confidence that they work."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from selfreview.scan.formats import HIGH, LOW, MEDIUM
from selfreview.scan.match import RawMatch
from selfreview.scan.placeholder import is_placeholder
from selfreview.scan.randomness import looks_random

RULE = "generic-credential-uri"

DOUBTFUL = "doubtful"

_PASSWORD = re.compile(r"://(?P<user>[^\s:/@\"'`<>\\{}]{0,80}):(?P<value>[^\s/@\"'`<>\\{}$()]{4,200})@(?!sha\d)[\w\[]")
_BEFORE = re.compile(r"://([^\s:/@\"'`<>]{0,80}):\Z")
_AFTER = re.compile(r"@(\[[0-9a-f:]+\]|[\w.-]+)", re.IGNORECASE)
_MONGODB = re.compile(r"mongodb(?:\+srv)?\Z")
_LONGEST_USER = 84

_HERE = re.compile(r"localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\]|host\.docker\.internal", re.IGNORECASE)
_EXAMPLE = re.compile(r"(?:.*\.)?(?:example(?:\.(?:com|org|net))?|test|invalid|localhost)", re.IGNORECASE)
_WORD = re.compile(
    r"(?:(?:my|your|the|db|some|super|top|secret|strong|default)[-_.]?)*(?:pass(?:word|wd|phrase)?|pwd?|passw0rd|p[a4]ssw[o0]rd|secret|user(?:name|pw)?|"
    r"credentials?|token|key|guest|qwerty)[-_.]?(?:here|word)?[\d!]{0,4}",
    re.IGNORECASE,
)
_MIXED = re.compile(r"(?=.*[A-Za-z])(?=.*[\d!#%^&*?+~=,;]).{8,}")
"""Passwords that people choose where password rules ask for more than letters."""


def address_matches(text: str, ask: Callable[[], None]) -> Iterator[RawMatch]:
    """Yield the password of every address that names one; ``ask`` is called at each address, and raises in the end."""
    position = text.find("://")
    while position >= 0:
        ask()
        match = _PASSWORD.match(text, position)
        if match:
            yield RawMatch(RULE, "Password in an address", MEDIUM, *match.span("value"))
            scheme = _MONGODB.search(text, max(0, position - 11), position)
            if scheme:
                host = _AFTER.match(text, match.end("value"))
                end = host.end() if host else match.end("value")
                yield RawMatch("mongodb-connection-string", "MongoDB connection string", HIGH, scheme.start(), end)
        position = text.find("://", position + 3)


def password_in(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the extent of the password where a match is a whole address with one."""
    position = text.find("://", start, end)
    match = _PASSWORD.match(text, position) if position >= 0 else None
    return match.span("value") if match and match.end() <= end else None


def address_confidence(text: str, start: int, end: int) -> str | None:
    """Grade a password by its form, its user and its host, or return None where it is an example.

    Args:
        text: The text that holds the address.
        start, end: The password's extent, the end exclusive.
    """
    before = _BEFORE.search(text, max(0, start - _LONGEST_USER), start)
    after = _AFTER.match(text, end)
    user, host = before[1] if before else "", after[1] if after else ""
    password = text[start:end]
    if is_example(password):
        return None
    here = _HERE.fullmatch(host) is not None
    if looks_random(password):
        return LOW if here else MEDIUM
    if here:
        return None  # the database of every developer
    if _MIXED.fullmatch(password):
        return LOW
    if _EXAMPLE.fullmatch(host) or (password == user and "." not in host):
        return None
    return DOUBTFUL


def is_example(password: str) -> bool:
    """Return whether a password is an example or a placeholder."""
    return is_placeholder(password, generic=True) or _WORD.fullmatch(password) is not None
