"""A fake Messages API on a loopback port, to test model clients without a model.

It speaks HTTP, streaming or not, so that a real client is driven against it and nothing has to be patched::

    from selfreview.testing.messages import MessagesServer, Status

    def test_my_reviewer():
        with MessagesServer([Status(code=529), '{"issues": [], "summary": "Right.", "verdict": "pass"}']) as server:
            review_with(base_url=server.base_url)
        assert len(server.requests) == 2
        assert "secret" not in server.requests[0].user

An answer to a prompt that begins and ends with a random word is given both, as somebody who read it would repeat them.

A script's steps are answers (a string, or :class:`Reply`), faults (:class:`Status`, :class:`ErrorEvent`, :class:`Cut`,
:class:`Reset`, :class:`Silence`, :class:`Raw`), or functions that make either from the :class:`RecordedRequest`.
"""

from __future__ import annotations

import dataclasses
import json
import select
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Collection, Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, ClassVar, Self

from selfreview.llm.transport.fences import FIRST
from selfreview.testing.messages import wire
from selfreview.testing.messages.script import (
    Answer,
    Cut,
    ErrorEvent,
    Raw,
    RecordedRequest,
    Reply,
    Reset,
    Script,
    Silence,
    Status,
    mismatch,
    prompt_of,
    refusal,
)
from selfreview.testing.messages.wire import Meter
from selfreview.testing.words import with_words

__all__ = [
    "Answer",
    "Cut",
    "ErrorEvent",
    "MessagesServer",
    "Raw",
    "RecordedRequest",
    "Reply",
    "Reset",
    "Script",
    "Silence",
    "Status",
]


class MessagesServer:
    """A Messages API on a loopback port, on a thread of this process.

    Leaving it raises ``AssertionError`` where a request came that nothing was scripted for, or where a scripted answer
    does not match the request's schema, which the service would have kept to.

    Args:
        script: What is answered, in the order in which requests arrive; each once.
        default: What is answered when the script is used up; None makes any further request an error.
        api_key: The only credential that is accepted, or None for any and none.
        enforce_schema: Whether ``output_config.format`` is honoured; False is a server that ignores it.
        rejects: Names of parameters that are refused with status 400, as by a server that only speaks the basics.
        repeat_words: Whether scripted answers are given the two words of their prompts, which they cannot know; an
            answer that has one of its own keeps it. False is a model that reads nothing.

    Attributes:
        requests: Every request to ``/v1/messages``, in the order of arrival.
        counted: Every request to ``/v1/messages/count_tokens``.
        delay_s: Seconds that every answer waits first, to be set.
    """

    def __init__(
        self,
        script: Iterable[Script] = (),
        *,
        default: Script | None = None,
        api_key: str | None = None,
        enforce_schema: bool = True,
        rejects: Collection[str] = (),
        repeat_words: bool = True,
    ) -> None:
        self.requests: list[RecordedRequest] = []
        self.counted: list[RecordedRequest] = []
        self.delay_s = 0.0
        self.meter = Meter()
        self._script = deque(script)
        self._default = default
        self._api_key = api_key
        self._enforce_schema = enforce_schema
        self._rejects = tuple(rejects)
        self._repeat_words = repeat_words
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._problems: list[str] = []
        self.closing, self._close = socket.socketpair()
        self._http = _Http(("127.0.0.1", 0), type("Handler", (Handler,), {"owner": self}))
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), name="messages-server")

    @property
    def base_url(self) -> str:
        """The URL that the server listens at, for ``ANTHROPIC_BASE_URL``."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closed.set()
        self._close.close()  # wakes the answers that are silent
        self._http.shutdown()
        self._thread.join()
        self._http.close_all()
        self.closing.close()
        if error is None and self._problems:
            raise AssertionError("; ".join(self._problems))

    def answer(self, request: RecordedRequest) -> Answer:
        """Record a request and choose its answer; called by the connections."""
        counts = request.path.startswith("/v1/messages/count_tokens")
        with self._lock:
            (self.counted if counts else self.requests).append(request)
        if not request.path.startswith("/v1/messages"):
            return Status(code=404, message=f"Not found: {request.path}")
        refused = refusal(request, self._api_key, self._rejects)
        if refused is not None:
            return refused
        if counts:
            return Reply()
        answer = self._next(request)
        self._closed.wait(self.delay_s)
        return answer

    def _next(self, request: RecordedRequest) -> Answer:
        with self._lock:
            step = self._script.popleft() if self._script else self._default
        if step is None:
            return self._problem("nothing is scripted for this request")
        answer = step(request) if callable(step) else step
        if isinstance(answer, str):
            answer = Reply(text=answer)
        asks = request.schema is None or FIRST in request.schema.get("properties", ())
        if asks and self._repeat_words and isinstance(answer, Reply) and answer.text is not None:
            answer = dataclasses.replace(answer, text=with_words(answer.text, prompt_of(request)))
        if self._enforce_schema and isinstance(answer, Reply):
            problem = mismatch(answer, request)
            if problem is not None:
                return self._problem(f"the scripted answer does not match the request's schema: {problem}")
        return answer

    def _problem(self, problem: str) -> Status:
        with self._lock:
            self._problems.append(problem)
        return Status(code=400, message=problem)


class _Http(ThreadingHTTPServer):
    """An HTTP server that closes its open connections with it, so that no thread remains."""

    daemon_threads = False
    request_queue_size = 64

    def __init__(self, *args: Any) -> None:
        self._open: set[Any] = set()
        super().__init__(*args)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Remember the connection, and serve it on a thread."""
        self._open.add(request)
        super().process_request(request, client_address)

    def close_request(self, request: Any) -> None:
        """Close a connection."""
        self._open.discard(request)
        super().close_request(request)

    def close_all(self) -> None:
        """Close every connection and wait for its thread."""
        for connection in list(self._open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # it closed by itself
        self.server_close()


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
