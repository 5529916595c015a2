"""Entropy of values, and whether they are random like a key, or a placeholder, an example or a template."""

from __future__ import annotations

import math
import re

_COMMON = frozenset(
    """
    th he in er an re nd on en at ou ed ha to or it is hi es ng as te ar st le ti al nt se io me de ri ro ic ne ea
    ra ce li ch ll be ma si om ur ec ss us el et tr ot la no ge ve un rs ac id lo ta ho op po ut ai su pe em ad ir
    il mo co wo pa sw wd rd oo ke ey ok us am da ab mi na ni di do vi so bo go fo fi ct up ck ow pr pl cl ex ow ay
    ol ig ly sh wi ty tt nn
    """.split()  # noqa: SIM905 - a table to read
)
"""Pairs of letters that are frequent in English words and in names in code."""
_HEX = re.compile(r"[0-9a-fA-F-]+")


def entropy(value: str) -> float:
    """Return Shannon's entropy of a text in bits per character; 0 for the empty text."""
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in map(value.count, set(value)))


def looks_random(value: str) -> bool:
    """Return whether a value is made of at least two kinds of characters, and not of words.

    Few of the letter pairs of a random text are frequent in words; most of a word's are.
    """
    if len(value) < 8 or len(set(value)) < 6:
        return False
    kinds = [any(map(kind, value)) for kind in (str.islower, str.isupper, str.isdigit)]
    if sum(kinds) < 2:
        return False
    if len(value) >= 16 and _HEX.fullmatch(value):
        return True
    low = value.lower()
    pairs = [low[i : i + 2] for i in range(len(low) - 1) if low[i : i + 2].isalpha()]
    words = sum(pair in _COMMON for pair in pairs)
    return words <= 0.4 * len(pairs)


_WHOLE = re.compile(
    r"""
    [*.•·_#-]+                              # masked
    | <[^<>]*> | \[[^\[\]]*\]               # <your token>
    | \$\{?[\w.:-]+\}? | \$\([^()]*\)       # a shell variable
    | \{\{.*\}\} | \{[\w.]*\} | %\(?\w+\)?[sd]? | %\w+% | @\w+@ | \#\{.*\}
    | (?:process\.env|os\.environ|env|secrets?|vars?|config|settings)[.\[(].*
    """,
    re.VERBOSE | re.DOTALL,
)
_PLACEHOLDER_WORDS = re.compile(
    r"example|change[-_]?me|placeholder|redacted|your[-_ ]|[-_]here\b|dummy|(?:^|[-_])insert[-_]|"
    r"replace[-_]?(?:me|with)|"
    r"xxxx|\*\*\*\*|\.\.\.|…|00000000|11111111|12345678|abcdefgh",
    re.IGNORECASE,
)
_GENERIC_WORDS = re.compile(
    r"fake|sample|mock|foobar|foo[-_]?bar|not[-_]?a?[-_]?(?:real|secret)|(?:^|[-_.])(?:test|demo|foo|bar|none|null|todo)(?:$|[-_.\d])",
    re.IGNORECASE,
)

TEMPLATE = re.compile(
    r"\$\{?[A-Za-z_][\w.]*\}?|\$\(.*\)|\{\{.*\}\}|\{[\w.!:]*\}|%\(?\w*\)?[sd]|<[\w -]+>|[*x.•]+|"
    r"\\[nrt0]",
    re.IGNORECASE,
)
"""Placeholders and templates for a value that is filled in elsewhere."""
_PASSWORD_WORD = re.compile(
    r"(?:(?:my|your|the|db|some|super|top|secret|strong|default)[-_.]?)*(?:pass(?:word|wd|phrase)?|pwd?|passw0rd|p[a4]ssw[o0]rd|secret|user(?:name|pw)?|"
    r"credentials?|token|key|guest|qwerty)[-_.]?(?:here|word)?[\d!]{0,4}",
    re.IGNORECASE,
)

_PERIOD = re.compile(r"(.{2,8}?)\1{3}|(.{5,8}?)\2{2}", re.DOTALL)
_LONGEST = 200
"""Maximum characters of a placeholder; longer values (keys, tokens) hold such words by chance."""


def is_placeholder(value: str, *, generic: bool = False) -> bool:
    """Return whether a value is a placeholder.

    Args:
        value: The value, without quotes.
        generic: Whether it was found by its surroundings alone, so that words like ``fake`` speak against it.
    """
    if len(value) > _LONGEST:
        return False
    if _WHOLE.fullmatch(value) or _PLACEHOLDER_WORDS.search(value):
        return True
    if _PERIOD.match(value.lstrip("A")):  # zeros in base64, which some tokens begin with
        return True
    if len(set(value)) <= max(2, len(value) // 10):
        return True
    return generic and _GENERIC_WORDS.search(value) is not None


def is_example(password: str) -> bool:
    """Return whether a password is an example or a placeholder."""
    return is_placeholder(password, generic=True) or _PASSWORD_WORD.fullmatch(password) is not None
