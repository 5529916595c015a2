"""Verification of a forge's webhook deliveries, and the hints in them. Pure."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

MOST_BYTES = 25 * 1024 * 1024
"""Maximum size of a delivery from GitHub."""
_SIGNATURE = re.compile(r"sha256=[0-9a-f]{64}")
_EVENTS_ABOUT = {
    "pull_request": "pull_request",
    "pull_request_review": "pull_request",
    "pull_request_review_comment": "pull_request",
    "pull_request_review_thread": "pull_request",
    "issue_comment": "issue",
}


class Refused(NamedTuple):
    """Webhook delivery that is rejected, as invalid or untrusted.

    Attributes:
        status: What it is answered with.
        why: In words.
    """

    status: int
    why: str


class Hint(NamedTuple):
    """Hint in a webhook delivery.

    Attributes:
        delivery: Its name; the same when it is sent again.
        numbers: Of pull requests; none where it is about something else.
    """

    delivery: str
    numbers: tuple[int, ...]


def hopeless(headers: Mapping[str, str]) -> Refused | None:
    """Return why a delivery is rejected whatever its body is, or None: then the body is worth reading."""
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return Refused(400, "the body must be application/json")
    if not _SIGNATURE.fullmatch(headers.get("x-hub-signature-256", "")):
        return Refused(401, "the signature is missing or wrong")
    return None


def judge(headers: Mapping[str, str], raw: bytes | bytearray, secret: bytes, repository: str) -> Hint | Refused:
    """Verify a delivery, and return its hint. Nothing of it is parsed before its signature is known to be right.

    Args:
        headers: By names in lower case.
        raw: The body, as it came.
        secret: What it must be signed with.
        repository: ``owner/name``; what is about another one hints at nothing.
    """
    if (refused := hopeless(headers)) is not None:
        return refused
    signature = headers.get("x-hub-signature-256", "")
    expected = f"sha256={hmac.new(secret, raw, hashlib.sha256).hexdigest()}"
    if not hmac.compare_digest(signature.encode("utf-8", "replace"), expected.encode("ascii")):
        return Refused(401, "the signature is missing or wrong")
    event, delivery = headers.get("x-github-event", ""), headers.get("x-github-delivery", "")
    if not event or not delivery or len(delivery) > 200:
        return Refused(400, "X-GitHub-Event or X-GitHub-Delivery is missing")
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        return Refused(400, "the body is no JSON")
    if not isinstance(body, Mapping):
        return Refused(400, "the body is no object")
    about = body.get("repository")
    name = about.get("full_name") if isinstance(about, Mapping) else None
    if not isinstance(name, str) or name.lower() != repository.lower():
        return Hint(delivery, ())
    return Hint(delivery, _numbers(event, body))


def _numbers(event: str, body: Mapping[str, Any]) -> tuple[int, ...]:
    if event in ("check_run", "check_suite", "workflow_run"):
        requests = _mapping(body.get(event)).get("pull_requests")
        listed = requests if isinstance(requests, list) else []
        return tuple(number for one in listed if (number := _number(one)) is not None)
    about = _mapping(body.get(_EVENTS_ABOUT.get(event, "")))
    if event == "issue_comment" and not about.get("pull_request"):
        return ()  # of a plain issue
    number = _number(about)
    return () if number is None else (number,)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _number(value: object) -> int | None:
    number = _mapping(value).get("number")
    return number if isinstance(number, int) and not isinstance(number, bool) and number > 0 else None
