"""One connection to the server."""

from __future__ import annotations

import json
import select
import socket
import struct
import time
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, ClassVar

from selfreview.testing.messages import wire
from selfreview.testing.messages.recorded import RecordedRequest
from selfreview.testing.messages.script import Answer, Cut, ErrorEvent, Raw, Reply, Reset, Silence, Status

if TYPE_CHECKING:
    from selfreview.testing.messages.server import MessagesServer

_EVENTS = "text/event-stream; charset=utf-8"
_JSON = "application/json"


class Handler(BaseHTTPRequestHandler):
    """Reads requests and writes what the script says."""

    owner: ClassVar[MessagesServer]
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        """Answer."""
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        request = RecordedRequest(
            path=self.path,
            headers={name.lower(): value for name, value in self.headers.items()},
            raw=body,
            body=_object(body),
            at=time.monotonic(),
        )
        try:
            self._answer(request, self.owner.answer(request))
        except (ConnectionError, TimeoutError):
            self.close_connection = True  # the client went away, which is its right

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
        """Log nothing."""

    def _answer(self, request: RecordedRequest, answer: Answer) -> None:
        if isinstance(answer, str):
            answer = Reply(text=answer)
        if isinstance(answer, ErrorEvent) and not request.streams:
            answer = Status(code=529, type=answer.type, message=answer.message)
        match answer:
            case Status():
                headers = {} if answer.retry_after is None else {"retry-after": answer.retry_after}
                self._whole(answer.code, _JSON, wire.error(answer), headers)
            case Raw():
                self._whole(answer.code, answer.content_type or (_EVENTS if request.streams else _JSON), answer.body)
            case Reply():
                self._reply(request, answer)
            case _:
                self._fail(request, answer)

    def _reply(self, request: RecordedRequest, reply: Reply) -> None:
        usage, model = self.owner.meter.charge(request, reply), str(request.body["model"])
        if request.path.startswith("/v1/messages/count_tokens"):
            self._whole(200, _JSON, wire.encode({"input_tokens": self.owner.meter.input_tokens(request.body)}))
        elif request.streams:
            self._start_events()
            self._chunks(wire.opening(reply, model, usage))
            self._chunks(wire.closing(reply, usage))
            self._end_events()
        else:
            self._whole(200, _JSON, wire.encode(wire.message(reply, model, usage)))

    def _fail(self, request: RecordedRequest, fault: ErrorEvent | Cut | Reset | Silence) -> None:
        self.close_connection = True
        if fault.text is not None:
            self._partly(request, fault.text)
        match fault:
            case ErrorEvent():
                self._chunks([wire.event("error", error={"type": fault.type, "message": fault.message})])
                self._end_events()
            case Cut(clean=True) if request.streams:
                self._end_events()
            case Reset():
                # Closing with this option sends a reset instead of a regular end.
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()
            case Silence():
                select.select([self.connection, self.owner.closing], [], [])

    def _partly(self, request: RecordedRequest, text: str) -> None:
        """Send an answer up to its end, which is missing."""
        reply = Reply(text=text)
        usage, model = self.owner.meter.charge(request, reply), str(request.body["model"])
        if request.streams:
            self._start_events()
            self._chunks(wire.opening(reply, model, usage))
        else:
            body = wire.encode(wire.message(reply, model, usage))
            self._head(200, {"content-type": _JSON, "content-length": str(len(body))})
            self.wfile.write(body[: len(body) // 2])

    def _head(self, code: int, headers: dict[str, str]) -> None:
        self.send_response(code)
        for name, value in {"request-id": "req_test", **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def _whole(self, code: int, kind: str, body: bytes, headers: dict[str, str] | None = None) -> None:
        self._head(code, {"content-type": kind, "content-length": str(len(body)), **(headers or {})})
        self.wfile.write(body)

    def _start_events(self) -> None:
        self._head(200, {"content-type": _EVENTS, "transfer-encoding": "chunked"})

    def _chunks(self, chunks: Iterable[bytes]) -> None:
        for chunk in chunks:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))

    def _end_events(self) -> None:
        self.wfile.write(b"0\r\n\r\n")


def _object(body: bytes) -> dict[str, object]:
    try:
        value = json.loads(body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
