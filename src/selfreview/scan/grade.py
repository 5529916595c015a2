"""How sure each rule is, and what to call what it finds.

The embedded scanner calls most of its rules sure. Some match identifiers that are public by design, some match any
token after ``curl -H``, and its generic rules cannot tell a password from a word.
"""

from __future__ import annotations

import base64
import enum
import re
from collections.abc import Callable

from selfreview.scan import addresses
from selfreview.scan.library import RawMatch
from selfreview.scan.placeholder import is_placeholder
from selfreview.scan.randomness import looks_random


class Confidence(enum.StrEnum):
    """How sure a rule is that what it matches is a secret that works."""

    HIGH = "high"
    """A format that only credentials have."""
    MEDIUM = "medium"
    """A credential by its place or form, which may be limited, expired or an example."""
    LOW = "low"
    """A value that looks random where a secret would stand."""
    DOUBTFUL = "doubtful"
    """A word where a secret would stand, or an identifier that is meant to be public."""

    @property
    def rank(self) -> int:
        """0 for ``doubtful`` up to 3 for ``high``."""
        return 3 - list(Confidence).index(self)


PUBLIC = frozenset(
    """
    adobe-client-id asana-client-id bitbucket-client-id devcycle-client-sdk-key devcycle-mobile-sdk-key
    discord-client-id flutterwave-public-key gitlab-feature-flag-client-token linkedin-client-id lob-pub-api-key
    looker-client-id mailgun-pub-key mapbox-api-token messagebird-client-id midtrans-production-server-client-key
    new-relic-browser-api-token plaid-client-id posthog-project-api-key segment-public-api-token.1
    sendbird-access-id sumologic-access-id
    """.split()  # noqa: SIM905 - a table to read
)
"""Rules for identifiers that a provider means to be seen."""

LIMITED = frozenset({"curl-auth-header", "curl-auth-user", "gcp-api-key", "jwt", "jwt-base64", "sidekiq-sensitive-url"})
"""Rules that also match what is limited, expired or an example."""

GENERIC = frozenset({"generic-api-key", "generic-password", "generic-credential-uri", "kubernetes-secret-yaml",
                     "hashicorp-tf-password", "nuget-config-password", "ansible-password"})  # fmt: skip
"""Rules that know a value by its surroundings alone."""

TITLES = {
    "generic-api-key": "Value that looks like a key or token",
    "generic-password": "Password",
    "generic-credential-uri": "Password in an address",
    "curl-auth-header": "Token in a curl command",
    "curl-auth-user": "Password in a curl command",
    "kubernetes-secret-yaml": "Kubernetes secret",
    "hashicorp-tf-password": "Password in a Terraform file",
}

_VERB = re.compile(
    r"^(?:(?:uncovered|identified|detected|found|discovered)\s+)?(?:(?:an?|the)\s+)?"
    r"(?:(?:possible|potential|potentially)\s+)?"
    r"(?:pattern\s+(?:that\s+(?:resembles|may\s+indicate)|resembling|indicating)\s+(?:an?\s+)?)?",
    re.IGNORECASE,
)
_EXAMPLE_CLAIM = "eyJzdWIiOiIxMjM0NTY3ODkwIi"
"""The subject 1234567890 of the web token that every tutorial shows."""
_TEST_MODE = re.compile(r"[A-Za-z]{2,10}_?(?:test|sandbox)[_-]", re.IGNORECASE)
"""Keys of a provider's test mode: they reach no real money or data."""
_CHOSEN = re.compile(r"(?=.*[A-Za-z])(?=.*\d)(?=.*[!@#%^&*?+~])(?!.*\?\.)[\w!@#%^&*?+~.-]{8,64}")
"""What people choose as a password where rules ask for letters, digits and signs; neither a word nor code is that."""
_KEY_NOISE = re.compile(r"\\[nrt]|[\s\"'`+,>]|-----|KEY|BLOCK")
_KEY_ALPHABET = re.compile(r"[A-Za-z0-9+/=_:.-]*")
_KEY_BODY = re.compile(r"[A-Za-z0-9+/]{40}")
_CONSEQUENCE = re.compile(r"(?:,|\.\s|\s+-\s|\s+(?:that|which)\s+(?:could|may|can|might)\b).*", re.DOTALL)


def confidence_of(match: RawMatch, text: str) -> Confidence | None:
    """Return how sure a match is, or None where its value only stands where a secret would.

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
    if match.rule in PUBLIC:
        return Confidence.DOUBTFUL
    if match.rule in LIMITED:
        return Confidence.DOUBTFUL if _EXAMPLE_CLAIM in value else Confidence.MEDIUM
    if generic:
        made = looks_random(value) or (match.rule == "generic-password" and _CHOSEN.fullmatch(value))
        return Confidence.LOW if made else Confidence.DOUBTFUL
    if _TEST_MODE.match(value) and match.confidence == Confidence.HIGH:
        return Confidence.MEDIUM
    return Confidence(match.confidence)


def _key_confidence(value: str) -> Confidence | None:
    """Grade a private key: code that only names the first and the last line of one is not one."""
    body = _KEY_NOISE.sub("", value[value.find("KEY") : value.rfind("-----END")])
    if not _KEY_BODY.search(body):
        return Confidence.DOUBTFUL if _KEY_ALPHABET.fullmatch(body) else None
    return Confidence.MEDIUM if "ENCRYPTED" in value[:200] else Confidence.HIGH


def _basic_confidence(value: str) -> Confidence | None:
    """Grade what a ``Basic`` header carries by the password in it."""
    try:
        _, colon, password = base64.b64decode(value, validate=True).decode("utf-8").partition(":")
    except ValueError:
        return None
    if not colon or not password.isprintable() or is_placeholder(password, generic=True):
        return None
    return Confidence.MEDIUM if looks_random(password) else Confidence.DOUBTFUL


_JUDGES: dict[str, Callable[[str], Confidence | None]] = {
    "private-key": _key_confidence,
    "basic-auth-header": _basic_confidence,
    "generic-api-key": lambda _: Confidence.LOW,  # the rule has tried the value's randomness itself
}


def title_of(match: RawMatch) -> str:
    """Return what a match is, in a few words, from the rule's own description."""
    known = TITLES.get(match.rule)
    if known is not None:
        return known
    title = _CONSEQUENCE.sub("", _VERB.sub("", match.title, count=1)).strip().rstrip(".")
    return title[:1].upper() + title[1:] if title else match.rule.replace("-", " ")
