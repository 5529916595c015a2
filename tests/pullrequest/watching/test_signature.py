"""Which deliveries are believed, and what they hint at."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview.pullrequest.watching.webhook import Hint, Refused, judge

SECRET = b"the secret"


def signed(body: Any, event: str = "pull_request", secret: bytes = SECRET, **more: str) -> tuple[dict[str, str], bytes]:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {
        "content-type": "application/json",
        "x-github-event": event,
        "x-github-delivery": "d-1",
        "x-hub-signature-256": "sha256=" + hmac.new(secret, raw, hashlib.sha256).hexdigest(),
    }
    return {**headers, **{name.replace("_", "-"): value for name, value in more.items()}}, raw


def about(**body: Any) -> dict[str, Any]:
    return {"repository": {"full_name": "Octo/App"}, **body}


def judged(headers: dict[str, str], raw: bytes) -> Hint | Refused:
    return judge(headers, raw, SECRET, "octo/app")


PULL = {"pull_request": {"number": 7}}


@pytest.mark.parametrize(
    ("event", "body", "numbers"),
    [
        ("pull_request", PULL, (7,)),
        ("pull_request_review", PULL, (7,)),
        ("pull_request_review_comment", PULL, (7,)),
        ("pull_request_review_thread", PULL, (7,)),
        ("issue_comment", {"issue": {"number": 8, "pull_request": {"url": "x"}}}, (8,)),
        ("issue_comment", {"issue": {"number": 8}}, ()),
        ("check_run", {"check_run": {"pull_requests": [{"number": 7}, {"number": 9}]}}, (7, 9)),
        ("check_suite", {"check_suite": {"pull_requests": None}}, ()),
        ("push", PULL, ()),
        ("ping", {}, ()),
        ("pull_request", {"pull_request": {"number": True}}, ()),
        ("pull_request", {"pull_request": [7]}, ()),
        ("pull_request", {"pull_request": {"number": "7"}}, ()),
    ],
)
def test_what_an_event_hints_at(event: str, body: dict[str, Any], numbers: tuple[int, ...]) -> None:
    assert judged(*signed(about(**body), event)) == Hint("d-1", numbers)


def test_another_repository_hints_at_nothing() -> None:
    assert judged(*signed({**PULL, "repository": {"full_name": "octo/other"}})) == Hint("d-1", ())
    assert judged(*signed(PULL)) == Hint("d-1", ())


@pytest.mark.parametrize(
    ("headers", "raw", "status"),
    [
        (*signed(about(**PULL), secret=b"another"), 401),
        (*signed(about(**PULL), x_hub_signature_256=""), 401),
        (*signed(about(**PULL), x_hub_signature_256="sha256=é"), 401),
        (*signed(about(**PULL), x_hub_signature_256="sha1=" + "0" * 40), 401),
        (*signed(b"payload=%7B%7D", content_type="application/x-www-form-urlencoded"), 400),
        (*signed(about(**PULL), content_type=""), 400),
        (*signed(about(**PULL), x_github_event=""), 400),
        (*signed(about(**PULL), x_github_delivery=""), 400),
        (*signed(about(**PULL), x_github_delivery="d" * 201), 400),
        (*signed(b"{"), 400),
        (*signed(b"[" * 200_000), 400),
        (*signed(b"[]"), 400),
        (*signed(b"\xff"), 400),
    ],
)
def test_what_is_refused(headers: dict[str, str], raw: bytes, status: int) -> None:
    found = judged(headers, raw)
    assert isinstance(found, Refused)
    assert found.status == status


def test_nothing_is_parsed_that_is_not_signed(monkeypatch: pytest.MonkeyPatch) -> None:
    headers, raw = signed(about(**PULL), secret=b"another")
    monkeypatch.setattr(json, "loads", lambda *_: pytest.fail("it was parsed"))
    judged(headers, raw)


def test_another_forge_s_headers_are_not_enough() -> None:
    headers, raw = signed(about(**PULL))
    bare = headers.pop("x-hub-signature-256").removeprefix("sha256=")
    assert isinstance(judged({**headers, "x-gitea-signature": bare}, raw), Refused)
    assert isinstance(judged({**headers, "x-gitlab-token": SECRET.decode()}, raw), Refused)


@given(st.binary(max_size=200), st.integers(0, 255))
def test_a_changed_byte_is_noticed(raw: bytes, byte: int) -> None:
    headers, _ = signed(raw)
    changed = raw + bytes([byte])
    assert judge(headers, changed, SECRET, "octo/app") == Refused(401, "the signature is missing or wrong")
