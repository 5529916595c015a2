"""A receiver of a forge's deliveries. What they say is not believed: each is a hint to look at a pull request now."""

from __future__ import annotations

import contextlib
import http.server
import socket
import socketserver
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from selfreview.errors import StoreError, UsageError
from selfreview.feedback.watching.hints import Hints
from selfreview.feedback.watching.seams import Tell
from selfreview.feedback.watching.signature import MOST_BYTES, Hint, Refused, judge

_TIMEOUT_S = 10.0
_MOST_AT_ONCE = 32


class Receiver:
    """Listens while its block lasts.

    Args:
        address: Host and port; 0 is any free one.
        secret: What deliveries must be signed with.
        repository: ``owner/name``.
        hints: Where they go.
        acted_on: Whether a delivery was acted on already.
        tell: Is told of each.

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
        handler = type("Handler", (_Handler,), {"receiver": self})
        try:
            self._server = _Server(address, handler)
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise UsageError(f"--webhook: cannot listen on {address[0]}:{address[1]}: {why}") from error
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), name="webhook", daemon=True)

    @property
    def port(self) -> int:
        """Where it listens."""
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

    def take(self, headers: dict[str, str], raw: bytes) -> int:
        """Take a delivery; return the status that it is answered with."""
        found = judge(headers, raw, self._secret, self._repository)
        if isinstance(found, Refused):
            self._tell("refused", status=found.status, why=found.why)
            return found.status
        self._note(found)
        return 202

    def _note(self, hint: Hint) -> None:
        try:
            known = bool(hint.numbers) and self._acted_on(hint.delivery)
        except StoreError:  # once more does no harm
            known = False
        for number in () if known else hint.numbers:
            if self._hints.add(number, hint.delivery, time.monotonic()):
                self._tell("hint", number)


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, address: tuple[str, int], handler: type[http.server.BaseHTTPRequestHandler]) -> None:
        self._places = threading.BoundedSemaphore(_MOST_AT_ONCE)
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        super().__init__(address, handler)

    def server_bind(self) -> None:
        """Listen, without asking who the machine is."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def process_request(self, request: socket.socket | tuple[bytes, socket.socket], client_address: object) -> None:
        """Serve a connection on a thread, unless there are many."""
        if not self._places.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: object, client_address: object) -> None:
        """Serve it."""
        try:
            super().process_request_thread(request, client_address)  # type: ignore[arg-type]
        finally:
            self._places.release()

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: whoever went away knows."""


class _Handler(http.server.BaseHTTPRequestHandler):
    receiver: Receiver
    timeout = _TIMEOUT_S
    server_version = "selfreview"
    sys_version = ""

    def do_POST(self) -> None:
        """Take a delivery."""
        self.close_connection = True
        length = self.headers.get("content-length", "")
        if not length.isascii() or not length.isdigit():
            self._answer(411)
            return
        if int(length[:12]) > MOST_BYTES:
            self._answer(413)
            return
        raw = self._read(int(length))
        if raw is None:
            return
        self._answer(self.receiver.take({name.lower(): value for name, value in self.headers.items()}, raw))

    def _read(self, length: int) -> bytes | None:
        """Read the body, in all at most as long as one wait; None where it does not come."""
        deadline, parts = time.monotonic() + _TIMEOUT_S, []
        with contextlib.suppress(OSError):
            while length > 0 and time.monotonic() < deadline:
                part = self.rfile.read1(min(length, 65536))
                if not part:
                    return None
                parts.append(part)
                length -= len(part)
        return b"".join(parts) if length == 0 else None

    def _answer(self, status: int) -> None:
        with contextlib.suppress(OSError):
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.send_header("Connection", "close")
            self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as http.server calls it
        """Say nothing on standard error."""
