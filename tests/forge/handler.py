"""One connection to the forge."""

from __future__ import annotations

import contextlib
import email.utils
import json
import socket
import struct
import time
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, ClassVar

from tests.forge.call import Answer
from tests.forge.recorded import ForgeRequest

if TYPE_CHECKING:
    from tests.forge.server import FakeGitHub


class Handler(BaseHTTPRequestHandler):
    """Reads requests and writes what the forge answers."""

    owner: ClassVar[FakeGitHub]
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # an answer leaves as one piece, and no part of it waits for the other

    def handle(self) -> None:
        """Answer requests until the client goes away, which is its right at any time."""
        with contextlib.suppress(ConnectionError):
            super().handle()

    def answer(self) -> None:
        """Answer one request."""
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        scheme, _, token = headers.pop("authorization", "").partition(" ")
        request = ForgeRequest(
            method=self.command,
            target=self.path,
            headers=headers,
            raw=raw,
            token=token.strip() if scheme.lower() in {"bearer", "token"} else None,
            at=time.monotonic(),
        )
        answer = self.owner.answer(request, secure=self.connection.family != socket.AF_INET)
        if answer.status == 0:
            self._reset()
        else:
            self._write(answer)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = answer  # noqa: N815 - the base class names them so

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
        """Log nothing."""

    def date_time_string(self, timestamp: float | None = None) -> str:
        """Return the forge's time, not this machine's."""
        return email.utils.formatdate(timestamp or self.owner.clock.now.timestamp(), usegmt=True)

    def _write(self, answer: Answer) -> None:
        body = b"" if answer.body is None else json.dumps(answer.body).encode("ascii")
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.status not in {204, 304}:
            self.send_header("content-type", "application/json; charset=utf-8")
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _reset(self) -> None:
        """Close the connection with a reset instead of a regular end."""
        self.close_connection = True
        if self.connection.family == socket.AF_INET:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
