"""Credentials made up at run time, so that no scanner finds one in these files.

Every builder takes a :class:`random.Random`; the pieces of a format are only joined when it runs.
"""

from __future__ import annotations

import base64
import json
import random
import re
import string
import uuid
from collections.abc import Callable, Iterator
from typing import Any

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
BASE32 = string.ascii_uppercase + "234567"


def like(pattern: str, rng: random.Random) -> str:
    """Return a random text that a regular expression of characters, repeats, groups and alternatives matches."""
    return _like(re._parser.parse(pattern), rng)  # type: ignore[attr-defined]


def _like(parsed: Any, rng: random.Random) -> str:
    text = ""
    for kind, what in parsed:
        match str(kind):
            case "LITERAL":
                text += chr(what)
            case "IN":
                text += pick(rng, "".join(_characters(what)), 1)
            case "MAX_REPEAT" | "MIN_REPEAT":
                least, most, inner = what
                text += "".join(_like(inner, rng) for _ in range(rng.randint(least, min(most, least + 20))))
            case "SUBPATTERN":
                text += _like(what[3], rng)
            case "BRANCH":
                text += _like(rng.choice(what[1]), rng)
    return text


def _characters(parts: Any) -> Iterator[str]:
    for kind, what in parts:
        match str(kind):
            case "LITERAL":
                yield chr(what)
            case "RANGE":
                yield from map(chr, range(what[0], what[1] + 1))
            case "CATEGORY":
                yield from ALNUM if str(what) == "CATEGORY_WORD" else "\n"


Maker = Callable[[random.Random], str]


def pick(rng: random.Random, alphabet: str, size: int) -> str:
    """Return random characters."""
    return "".join(rng.choice(alphabet) for _ in range(size))


def identifier(rng: random.Random) -> str:
    """Return a random UUID."""
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def pem(rng: random.Random, kind: str = "RSA PRIVATE", lines: int = 12, end: str = "\n") -> str:
    """Return a text shaped like a PEM file, without a last line break."""
    body = [base64.b64encode(rng.randbytes(48)).decode() for _ in range(lines)]
    return end.join(["-----BEGIN " + kind + " KEY-----", *body, "-----END " + kind + " KEY-----"])


def web_token(rng: random.Random) -> str:
    """Return a JSON web token."""

    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    signature = base64.urlsafe_b64encode(rng.randbytes(32)).decode().rstrip("=")
    return ".".join(
        [part({"alg": "HS256", "typ": "JWT"}), part({"sub": pick(rng, string.digits, 9), "iat": 1700000000}), signature]
    )


FORMATS: dict[str, Maker] = {
    "github-pat": lambda r: "gh" + "p_" + pick(r, ALNUM, 36),
    "github-fine-grained-pat": lambda r: "github_" + "pat_" + pick(r, ALNUM, 22) + "_" + pick(r, ALNUM, 59),
    "gitlab-pat": lambda r: "gl" + "pat-" + pick(r, ALNUM, 20),
    "slack-bot-token": lambda r: (
        "xo" + "xb-" + pick(r, "123456789", 12) + "-" + pick(r, "123456789", 13) + "-" + pick(r, ALNUM, 24)
    ),
    "stripe-access-token": lambda r: "sk_" + "live_" + pick(r, ALNUM, 24),
    "npm-access-token": lambda r: "np" + "m_" + pick(r, ALNUM, 36),
    "aws-access-token": lambda r: "AK" + "IA" + pick(r, BASE32, 16),
    "aws-session-token": lambda r: "IQoJ" + "b3JpZ2lu" + pick(r, ALNUM, 500) + "==",
    "azure-ad-client-secret": lambda r: pick(r, ALNUM, 3) + "8" + "Q~" + pick(r, ALNUM, 34),
    "azure-account-key": lambda r: pick(r, ALNUM, 76) + "+A" + "St" + pick(r, ALNUM, 5) + "Q==",
    "azure-devops-token": lambda r: pick(r, ALNUM, 76) + "AZ" + "DO" + pick(r, ALNUM, 4),
    "gcp-oauth-client-secret": lambda r: "GOC" + "SPX-" + pick(r, ALNUM, 28),
    "openai-api-key": lambda r: "sk-" + "proj-" + pick(r, ALNUM, 74) + "T3Blbk" + "FJ" + pick(r, ALNUM, 73) + "-",
    "artifactory-api-key": lambda r: "AK" + "Cp" + pick(r, ALNUM, 69),
    "supabase-secret-key": lambda r: "sb_" + "secret_" + pick(r, ALNUM, 31),
    "planetscale-api-token": lambda r: "pscale_" + "tkn_" + pick(r, ALNUM, 43),
    "tailscale-key": lambda r: "tskey-" + "auth-" + pick(r, ALNUM, 16) + "-" + pick(r, ALNUM, 32),
    "hubspot-private-app-token": lambda r: "pat-" + "na1-" + identifier(r),
    "new-relic-user-api-key": lambda r: "NR" + "AK-" + pick(r, BASE32, 27),
    "airtable-personal-token": lambda r: "p" + "at" + pick(r, ALNUM, 14) + "." + pick(r, HEX, 64),
    "asana-personal-token": lambda r: "1/" + pick(r, "123456789", 16) + ":" + pick(r, HEX, 32),
    "resend-api-key": lambda r: "r" + "e_" + pick(r, ALNUM, 8) + "_" + pick(r, ALNUM, 24),
    "discord-webhook-url": lambda r: (
        "https://discord.com/api/" + "webhooks/" + pick(r, "123456789", 18) + "/" + pick(r, ALNUM, 68)
    ),
    "braintree-access-token": lambda r: (
        "access_token$" + "production$" + pick(r, string.ascii_lowercase, 16) + "$" + pick(r, HEX, 32)
    ),
    "stripe-webhook-secret": lambda r: "wh" + "sec_" + pick(r, ALNUM, 32),
    "jwt": web_token,
}
"""Formats that need no word beside them, by the rule that knows them."""

NAMED: dict[str, Callable[[random.Random], tuple[str, str]]] = {
    "aws-secret-access-key": lambda r: ("aws_secret_access_key", pick(r, ALNUM + "+/", 40)),
    "authorization-header": lambda r: ("Authorization", "Bearer " + pick(r, ALNUM, 40)),
    "basic-auth-header": lambda r: (
        "Authorization", "Basic " + base64.b64encode(("deploy:" + pick(r, ALNUM, 16)).encode()).decode()),
    "signing-key": lambda r: ("SECRET_KEY", pick(r, ALNUM + "!@#%^&*", 50)),
    "generic-api-key": lambda r: ("upload_token", pick(r, HEX, 40)),
    "generic-password": lambda r: ("db_password", pick(r, ALNUM, 16)),
    "alibaba-secret-key": lambda r: ("aliyun_secret", pick(r, ALNUM, 30)),
    "jfrog-api-key": lambda r: ("artifactory_key", pick(r, ALNUM, 73)),
}  # fmt: skip
"""Credentials that only the name beside them gives away: name and value."""
