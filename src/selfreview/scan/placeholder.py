"""Placeholders for secrets: examples, templates, references."""

from __future__ import annotations

import re

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
_WORDS = re.compile(
    r"example|change[-_]?me|placeholder|redacted|your[-_ ]|[-_]here\b|dummy|(?:^|[-_])insert[-_]|"
    r"replace[-_]?(?:me|with)|"
    r"xxxx|\*\*\*\*|\.\.\.|…|00000000|11111111|12345678|abcdefgh",
    re.IGNORECASE,
)
_GENERIC_WORDS = re.compile(
    r"fake|sample|mock|foobar|foo[-_]?bar|not[-_]?a?[-_]?(?:real|secret)|(?:^|[-_.])(?:test|demo|foo|bar|none|null|todo)(?:$|[-_.\d])",
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
    if _WHOLE.fullmatch(value) or _WORDS.search(value):
        return True
    if _PERIOD.match(value.lstrip("A")):  # zeros in base64, which some tokens begin with
        return True
    if len(set(value)) <= max(2, len(value) // 10):
        return True
    return generic and _GENERIC_WORDS.search(value) is not None
