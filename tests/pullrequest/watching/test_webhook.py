"""Deliveries of a forge: hints to look now, through ``selfreview pr watch --webhook``."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import socket
from typing import Any

import pytest

from selfreview.errors import ExitCode
from selfreview.pullrequest.watching.webhook import MAX_BYTES
from tests.pullrequest.lab import APP, Lab
from tests.pullrequest.watching.scene import AUTO, beside, named

pytestmark = pytest.mark.long

SECRET = "correct horse"
HOOK = ("--webhook", "127.0.0.1:0", "-o", "feedback.poll_interval=100000")
ENV = {"SELFREVIEW_WEBHOOK_SECRET": SECRET}
SUGGESTION = "```suggestion\n    return n + n\n```"


def deliver(port: int, number: int, delivery: str, event: str = "pull_request_review", **headers: str) -> int:
    """Send a delivery, and return the status."""
    body = {"repository": {"full_name": "octo/app"}, "pull_request": {"number": number}}
    raw = json.dumps(body).encode()
    given = {
        "Content-Type": "application/json",
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": delivery,
        "X-Hub-Signature-256": "sha256=" + hmac.new(SECRET.encode(), raw, hashlib.sha256).hexdigest(),
    }
    return post(port, raw, {**given, **{name.replace("_", "-"): value for name, value in headers.items()}})


def post(port: int, raw: bytes, headers: dict[str, Any]) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("POST", "/", raw, headers)
        return connection.getresponse().status
    finally:
        connection.close()


def test_one_review_is_one_cycle_and_a_redelivery_is_none(lab: Lab) -> None:
    pull = lab.open()
    with beside(lab, *HOOK, *AUTO, **ENV) as watcher:
        port = watcher.wait_for("listening")["port"]
        watcher.wait_for("ended", number=pull.number, outcome="nothing_to_do")
        review = pull.review(lab.rev, "CHANGES_REQUESTED", "")
        pull.inline(lab.rev, "app.py", 6, SUGGESTION, review=review)
        assert deliver(port, pull.number, "d-0") == 202
        for number in range(1, 6):
            assert deliver(port, pull.number, f"d-{number}", "pull_request_review_comment") == 202
        watcher.wait_for("ended", number=pull.number, outcome="fixed")
        assert len(named(watcher.events, "scheduled")) == 2
        for number in range(6):  # acted on: once more is nothing
            assert deliver(port, pull.number, f"d-{number}") == 202
        assert len(named(watcher.events, "hint")) == 6
        assert deliver(port, pull.number, "own") == 202  # of our own answers
        watcher.wait_for("ended", number=pull.number, outcome="nothing_to_do")
        assert watcher.end() == ExitCode.PASSED
    assert len(named(watcher.events, "scheduled")) == 3
    assert len(named(watcher.events, "hint")) == 7
    assert lab.file() == APP.replace("n * 2", "n + n")
    with beside(lab, *HOOK, *AUTO, **ENV) as watcher:  # what was acted on is remembered
        port = watcher.wait_for("listening")["port"]
        watcher.wait_for("polled")
        deliver(port, pull.number, "own")
        watcher.end()
    assert not named(watcher.events, "hint")


def test_one_before_the_forge_shows_the_news_is_not_the_end_of_it(lab: Lab) -> None:
    pull = lab.open()
    with beside(lab, *HOOK, *AUTO, **ENV) as watcher:
        port = watcher.wait_for("listening")["port"]
        watcher.wait_for("ended", number=pull.number)
        deliver(port, pull.number, "early")
        watcher.wait_for("ended", number=pull.number, outcome="nothing_to_do")
        review = pull.review(lab.rev, "CHANGES_REQUESTED", "")
        pull.inline(lab.rev, "app.py", 6, SUGGESTION, review=review)
        watcher.wait_for("scheduled", number=pull.number, why="news")
        watcher.wait_for("ended", number=pull.number, outcome="fixed")


def test_one_that_is_lost_is_made_up_for_by_the_next_look(lab: Lab) -> None:
    pull = lab.open()
    with beside(lab, "--webhook", "127.0.0.1:0", "-o", "feedback.poll_interval=5", **ENV) as watcher:
        watcher.wait_for("news", number=pull.number)
        pull.comment(lab.rev, "Please mend this.")
        watcher.wait_for("news", number=pull.number)


def test_what_is_not_signed_as_it_must_be_is_refused(lab: Lab) -> None:
    pull = lab.open()
    with beside(lab, *HOOK, **ENV) as watcher:
        port = watcher.wait_for("listening")["port"]
        assert deliver(port, pull.number, "d", X_Hub_Signature_256="sha256=" + "0" * 64) == 401
        assert deliver(port, pull.number, "d", X_Hub_Signature_256="") == 401
        assert deliver(port, pull.number, "d", Content_Type="application/x-www-form-urlencoded") == 400
        assert post(port, b"", {"Content-Length": str(MAX_BYTES + 1)}) == 413
        assert post(port, b"", {"Content-Length": "9" * 5000}) == 413
        assert post(port, b"", {"Content-Length": "-1"}) == 411
        with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert b" 501 " in connection.recv(100)
        watcher.wait_for("polled")
        watcher.end()
    assert not named(watcher.events, "hint")
    assert SECRET not in str(watcher.events) + watcher.err.decode()


@pytest.mark.parametrize(
    ("address", "env", "said"),
    [
        ("127.0.0.1:0", {}, "needs a secret"),
        ("127.0.0.1:0", {"SELFREVIEW_WEBHOOK_SECRET": " "}, "needs a secret"),
        ("8080", ENV, "is not HOST:PORT"),
        ("127.0.0.1:http", ENV, "is not HOST:PORT"),
        ("127.0.0.1:70000", ENV, "is not HOST:PORT"),
        ("127.0.0.1:" + "9" * 5_000, ENV, "is not HOST:PORT"),
        ("203.0.113.7:0", ENV, "cannot listen on"),
    ],
)
def test_where_it_cannot_listen(lab: Lab, address: str, env: dict[str, str], said: str) -> None:
    ran = lab.pr("watch", "--once", "--webhook", address, **env)
    assert ran.code == ExitCode.USAGE, ran
    assert said in ran.err
