"""Receiver of a forge's webhook deliveries: each is only a hint to look at a pull request, and not believed."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import http.client
import http.server
import io
import json
import re
import socket
import socketserver
import threading
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, NamedTuple, Self

from selfreview.errors import StoreError, UsageError
from selfreview.pullrequest.watching.hints import Hints
from selfreview.pullrequest.watching.ports import Tell

MAX_BYTES = 25 * 1024 * 1024
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
    """Verify a delivery, and return its hint. Nothing of it is parsed before its signature is known to be right."""
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
        return tuple(number for entry in listed if (number := _number(entry)) is not None)
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


_TIMEOUT_S = 10.0
_MAX_AT_ONCE = 32
_MAX_HEAD = 64 * 1024
MAX_BUFFERED = 2 * MAX_BYTES
"""Maximum bytes of bodies that all connections together hold: whoever sends them is not known yet."""


class Receiver:
    """Webhook server that listens while its ``with`` block lasts.

    Raises:
        UsageError: If it cannot listen there.
    """

    def __init__(
        self,
        address: tuple[str, int],
        secret: str,
        repository: str,
        *,
        hints: Hints,
        acted_on: Callable[[str], bool],
        tell: Tell,
    ) -> None:
        self._secret = secret.encode("utf-8", "surrogateescape")
        self._repository = repository
        self._hints = hints
        self._acted_on = acted_on
        self._tell = tell
        self.buffered = ByteBudget(MAX_BUFFERED)
        handler = type("Handler", (_Handler,), {"receiver": self})
        try:
            self._server = _Server(address, handler)
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise UsageError(f"--webhook: cannot listen on {address[0]}:{address[1]}: {why}") from error
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), name="webhook", daemon=True)

    @property
    def port(self) -> int:
        """Port on which the receiver listens."""
        return int(self._server.server_address[1])

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def take(self, headers: dict[str, str], raw: bytes | bytearray) -> int:
        """Handle a delivery; return the HTTP status of the answer."""
        found = judge(headers, raw, self._secret, self._repository)
        if isinstance(found, Refused):
            return self.refuse(found)
        self._note(found)
        return 202

    def refuse(self, refused: Refused) -> int:
        """Report a rejected delivery; return the HTTP status of the answer."""
        self._tell("refused", status=refused.status, why=refused.why)
        return refused.status

    def _note(self, hint: Hint) -> None:
        try:
            known = bool(hint.numbers) and self._acted_on(hint.delivery)
        except StoreError:  # once more does no harm
            known = False
        for number in () if known else hint.numbers:
            if self._hints.add(number, hint.delivery, time.monotonic()):
                self._tell("hint", number)


class ByteBudget:
    """Limit on bytes held in memory; for several threads."""

    def __init__(self, limit: int) -> None:
        self._left = limit
        self._lock = threading.Lock()

    def take(self, count: int) -> bool:
        """Return whether so many more bytes may be held; if so, they count until they are given back."""
        with self._lock:
            if count > self._left:
                return False
            self._left -= count
            return True

    def give_back(self, count: int) -> None:
        """Release bytes that are not held any more."""
        with self._lock:
            self._left += count


class _Head:
    """Head of a request, read line by line up to a maximum length."""

    def __init__(self, source: io.BufferedIOBase) -> None:
        self.source = source
        self._left = _MAX_HEAD

    def readline(self, size: int) -> bytes:
        """Return a line, or the beginning of one that is longer.

        Raises:
            LineTooLong: If the head is.
        """
        line = self.source.readline(min(size, self._left + 1))
        self._left -= len(line)
        if self._left < 0:
            raise http.client.LineTooLong("head")
        return line

    def close(self) -> None:
        """Close the source."""
        self.source.close()


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, address: tuple[str, int], handler: type[http.server.BaseHTTPRequestHandler]) -> None:
        self._places = threading.BoundedSemaphore(_MAX_AT_ONCE)
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        super().__init__(address, handler)

    def server_bind(self) -> None:
        """Bind the socket, without looking up the machine's host name."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def process_request(self, request: socket.socket | tuple[bytes, socket.socket], client_address: object) -> None:
        """Serve a connection on a thread, unless there are many."""
        if not self._places.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: object, client_address: object) -> None:
        """Serve a connection, and release its place."""
        try:
            super().process_request_thread(request, client_address)  # type: ignore[arg-type]
        finally:
            self._places.release()

    def handle_error(self, request: object, client_address: object) -> None:
        """Log nothing: a client that disconnected knows."""


class _Handler(http.server.BaseHTTPRequestHandler):
    receiver: Receiver
    timeout = _TIMEOUT_S
    server_version = "selfreview"
    sys_version = ""

    def setup(self) -> None:
        """Limit how much of the head is read to the size of a delivery's."""
        super().setup()
        self._body = self.rfile
        self.rfile = _Head(self.rfile)  # type: ignore[assignment]

    def do_POST(self) -> None:
        """Handle a delivery."""
        self.close_connection = True
        headers = {name.lower(): value for name, value in self.headers.items()}
        length = _length(headers.get("content-length", ""))
        if length is None:
            self._answer(411)
        elif length > MAX_BYTES:
            self._answer(413)
        elif (refused := hopeless(headers)) is not None:
            self._answer(self.receiver.refuse(refused))
        else:
            self._take(headers, length)

    def _take(self, headers: dict[str, str], length: int) -> None:
        raw = bytearray()
        try:
            status = self._read(length, raw)
            if status == 200:
                self._answer(self.receiver.take(headers, raw))
            elif status:
                self._answer(status)
        finally:
            self.receiver.buffered.give_back(len(raw))

    def _read(self, length: int, raw: bytearray) -> int:
        """Read the body within the timeout; return a status: 200 for a whole body, 0 where nobody waits."""
        deadline = time.monotonic() + _TIMEOUT_S
        with contextlib.suppress(OSError):
            while len(raw) < length and time.monotonic() < deadline:
                part = self._body.read1(min(length - len(raw), 65536))
                if not part:
                    return 0
                if not self.receiver.buffered.take(len(part)):
                    return 503
                raw += part
        return 200 if len(raw) == length else 0

    def _answer(self, status: int) -> None:
        with contextlib.suppress(OSError):
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.send_header("Connection", "close")
            self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as http.server calls it
        """Log nothing on standard error."""


def _length(header: str) -> int | None:
    """Return the value of ``Content-Length``, at most one more than the maximum; None where it is no number."""
    if not header.isascii() or not header.isdigit():
        return None
    digits = header.lstrip("0")
    return min(int(digits or "0"), MAX_BYTES + 1) if len(digits) <= len(str(MAX_BYTES)) else MAX_BYTES + 1
