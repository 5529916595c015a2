"""Confidence that a match of a rule is a secret.

Some rules match any token after ``curl -H``, and the generic ones cannot tell a password from a word.
"""

from __future__ import annotations

import base64
import enum
import re
from collections.abc import Callable

from selfreview.scan import addresses
from selfreview.scan.match import RawMatch
from selfreview.scan.placeholder import is_placeholder
from selfreview.scan.randomness import looks_random


class Confidence(enum.StrEnum):
    """Confidence that a match is a secret that works."""

    HIGH = "high"
    """A format that only credentials have."""
    MEDIUM = "medium"
    """A credential by its place or form, which may be limited, expired or an example."""
    LOW = "low"
    """A value that looks random in the place of a secret."""
    DOUBTFUL = "doubtful"
    """A word in the place of a secret."""

    @property
    def rank(self) -> int:
        """0 for ``doubtful`` up to 3 for ``high``."""
        return 3 - list(Confidence).index(self)


LIMITED = frozenset({"curl-auth-header", "gcp-api-key", "jwt", "jwt-base64"})
"""Rules that also match what is limited, expired or an example."""

GENERIC = frozenset({
    "generic-api-key", "generic-password", "generic-credential-uri", "nuget-config-password", "ansible-password",
})  # fmt: skip
"""Rules that recognize a value by its surroundings alone."""

_EXAMPLE_CLAIM = "eyJzdWIiOiIxMjM0NTY3ODkwIi"
"""Claim with the subject 1234567890, of the web token that every tutorial shows."""
_TEST_MODE = re.compile(r"[A-Za-z]{2,10}_?(?:test|sandbox)[_-]", re.IGNORECASE)
"""Keys of a provider's test mode: they reach no real money or data."""
_CHOSEN = re.compile(r"(?=.*[A-Za-z])(?=.*\d)(?=.*[!@#%^&*?+~])(?!.*\?\.)[\w!@#%^&*?+~.-]{8,64}")
"""Passwords that people choose where password rules ask for letters, digits and signs; no word or code is such."""
_KEY_NOISE = re.compile(r"\\[nrt]|[\s\"'`+,>]|-----|KEY|BLOCK")
_KEY_ALPHABET = re.compile(r"[A-Za-z0-9+/=_:.-]*")
_KEY_BODY = re.compile(r"[A-Za-z0-9+/]{40}")


def confidence_of(match: RawMatch, text: str) -> Confidence | None:
    """Return the confidence of a match, or None where its value is a placeholder.

    Args:
        match: The match as its rule reported it.
        text: The text that it was found in.
    """
    value = text[match.start : match.end]
    generic = match.rule in GENERIC
    if is_placeholder(value, generic=generic):
        return None
    inner = addresses.password_in(text, match.start, match.end)
    if match.rule == addresses.RULE or inner is not None:
        grade = addresses.address_confidence(text, *(inner or (match.start, match.end)))
        if grade is None or match.rule == addresses.RULE or grade != Confidence.MEDIUM:
            return None if grade is None else Confidence(grade)
    judge = _JUDGES.get(match.rule)
    if judge is not None:
        return judge(value)
    if match.rule in LIMITED:
        return Confidence.DOUBTFUL if _EXAMPLE_CLAIM in value else Confidence.MEDIUM
    if generic:
        made = looks_random(value) or (match.rule == "generic-password" and _CHOSEN.fullmatch(value))
        return Confidence.LOW if made else Confidence.DOUBTFUL
    if _TEST_MODE.match(value) and match.confidence == Confidence.HIGH:
        return Confidence.MEDIUM
    return Confidence(match.confidence)


def _key_confidence(value: str) -> Confidence | None:
    """Grade a private key: code that only names the first and the last line of a key is none."""
    if "-----" not in value:
        return Confidence.HIGH  # in base64, or PuTTY's
    body = _KEY_NOISE.sub("", value[value.find("KEY") : value.rfind("-----END")])
    if not _KEY_BODY.search(body):
        return Confidence.DOUBTFUL if _KEY_ALPHABET.fullmatch(body) else None
    return Confidence.MEDIUM if "ENCRYPTED" in value[:200] else Confidence.HIGH


def _basic_confidence(value: str) -> Confidence | None:
    """Grade the value of a ``Basic`` header by the password in it."""
    try:
        _, colon, password = base64.b64decode(value, validate=True).decode("utf-8").partition(":")
    except ValueError:
        return None
    if not colon or not password.isprintable() or is_placeholder(password, generic=True):
        return None
    return Confidence.MEDIUM if looks_random(password) else Confidence.DOUBTFUL


def _user_confidence(value: str) -> Confidence | None:
    """Grade the user and the password that a command is given."""
    user, _, password = value.partition(":")
    return None if addresses.is_example(password or user) else Confidence.MEDIUM


_JUDGES: dict[str, Callable[[str], Confidence | None]] = {
    "private-key": _key_confidence,
    "basic-auth-header": _basic_confidence,
    "curl-auth-user": _user_confidence,
    "generic-api-key": lambda _: Confidence.LOW,  # the rule has tried the value's randomness itself
}
