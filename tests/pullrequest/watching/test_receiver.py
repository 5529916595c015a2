"""How much the receiver of deliveries reads and holds for whoever is not known yet."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import socket
from collections.abc import Iterator

import pytest

from selfreview.pullrequest.watching.hints import Hints
from selfreview.pullrequest.watching.webhook import MAX_BUFFERED, MAX_BYTES, Receiver

SECRET = "correct horse"
RAW = json.dumps({"repository": {"full_name": "octo/app"}, "pull_request": {"number": 7}}).encode()
SIGNED = {
    "Content-Type": "application/json",
    "X-GitHub-Event": "pull_request",
    "X-GitHub-Delivery": "d-1",
    "X-Hub-Signature-256": "sha256=" + hmac.new(SECRET.encode(), RAW, hashlib.sha256).hexdigest(),
}


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    def tell(event: str, number: int | None = None, **about: object) -> None:
        """Nobody listens."""

    address = ("127.0.0.1", 0)
    with Receiver(address, SECRET, "octo/app", hints=Hints(), acted_on=lambda _: False, tell=tell) as found:
        yield found


def said(receiver: Receiver, length: str, raw: bytes = b"", **headers: str) -> str:
    """Send a head, and what there is of a body; return the status line that comes before the connection ends."""
    given = {**SIGNED, **{name.replace("_", "-"): value for name, value in headers.items()}, "Content-Length": length}
    lines = "".join(f"{name}: {value}\r\n" for name, value in given.items() if value)
    with socket.create_connection(("127.0.0.1", receiver.port), timeout=30) as connection:
        found = b""
        with contextlib.suppress(ConnectionError):
            connection.sendall(f"POST / HTTP/1.1\r\nHost: x\r\n{lines}\r\n".encode() + raw)
            while part := connection.recv(1000):
                found += part
    return found.partition(b"\r\n")[0].decode()


@pytest.mark.parametrize(
    "length", ["000000000000400000000", "0" * 40 + str(MAX_BYTES + 1), "9" * 9, "9" * 5000, str(MAX_BYTES + 1)]
)
def test_a_body_that_is_too_large_is_not_read(receiver: Receiver, length: str) -> None:
    assert " 413 " in said(receiver, length)


def test_zeros_before_a_length_mean_nothing(receiver: Receiver) -> None:
    assert " 202 " in said(receiver, f"{len(RAW):030}", RAW)


@pytest.mark.parametrize("length", ["", "-1", "1_0", "٣", "0x10"])
def test_what_is_no_length_is_refused(receiver: Receiver, length: str) -> None:
    assert " 411 " in said(receiver, length)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"X_Hub_Signature_256": ""}, 401),
        ({"X_Hub_Signature_256": "sha256=" + "0" * 63}, 401),
        ({"X_Hub_Signature_256": "sha1=" + "0" * 64}, 401),
        ({"Content_Type": "text/plain"}, 400),
    ],
)
def test_what_cannot_be_believed_is_refused_before_its_body_comes(
    receiver: Receiver, headers: dict[str, str], status: int
) -> None:
    assert f" {status} " in said(receiver, "1000", **headers)


def test_all_connections_together_hold_only_so_much(receiver: Receiver) -> None:
    assert receiver.buffered.take(MAX_BUFFERED - 1)
    assert " 503 " in said(receiver, str(len(RAW)), RAW)
    receiver.buffered.give_back(MAX_BUFFERED - 1)
    assert " 202 " in said(receiver, str(len(RAW)), RAW)
    assert " 401 " in said(receiver, str(len(RAW)), RAW.swapcase())
    assert receiver.buffered.take(MAX_BUFFERED)  # all of it was given back
    assert not receiver.buffered.take(1)


@pytest.mark.parametrize("headers", [{"X_Long": "x" * 65_530}, {f"X_Many_{i}": "x" * 6000 for i in range(12)}])
def test_a_head_without_end_is_not_read(receiver: Receiver, headers: dict[str, str]) -> None:
    assert " 202 " not in said(receiver, str(len(RAW)), RAW, **headers)
    assert " 202 " in said(receiver, str(len(RAW)), RAW)
