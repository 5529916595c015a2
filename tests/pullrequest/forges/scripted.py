"""A server that answers as a test says, byte by byte if need be, and time that passes when it is told to."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import socket
import struct
import threading
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Self

from selfreview.pullrequest.forges.http.client import Client
from selfreview.pullrequest.forges.http.limits import Pauses
from selfreview.pullrequest.forges.http.wire import Service

TOKEN = "ghp_0123456789abcdefghijKLMNOPqrstuvwxyz"


class ToldClock:
    """Passes only where somebody sleeps, and remembers how long."""

    def __init__(self) -> None:
        self.time = 1000.0
        self.slept: list[float] = []

    def now(self) -> float:
        return self.time

    def wall(self) -> float:
        return 1_700_000_000.0 + self.time

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds


@dataclasses.dataclass(frozen=True)
class Said:
    """An answer."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = dataclasses.field(default_factory=dict)

    @property
    def raw(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


class Reset:
    """The connection is reset after the request was read."""


class HalfSaid:
    """The answer ends before it is whole."""


@dataclasses.dataclass(frozen=True)
class Asked:
    method: str
    path: str
    headers: dict[str, str]
    body: Any


Step = Said | Reset | HalfSaid
Script = Callable[[Asked], Step]


class Scripted:
    """Answers requests in order from a list, or by a function."""

    def __init__(self, steps: Iterable[Step] | Script) -> None:
        self.asked: list[Asked] = []
        self._steps = steps if callable(steps) else None
        self._queue = [] if callable(steps) else list(steps)
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"owner": self}))
        self._clients: list[Client] = []
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for client in self._clients:
            client.close()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def said(self) -> list[str]:
        """What was asked, in short."""
        return [f"{one.method} {one.path}" for one in self.asked]

    def step(self, asked: Asked) -> Step:
        with self._lock:
            self.asked.append(asked)
        if self._steps is not None:
            return self._steps(asked)
        with self._lock:
            return self._queue.pop(0) if self._queue else Said(599, {"message": "nothing is scripted for this"})

    def client(
        self,
        clock: ToldClock | None = None,
        *,
        pauses: Pauses | None = None,
        token: str = TOKEN,
        timeout_s: float = 30.0,
    ) -> Client:
        service = Service(name="GitHub", host="github.com", rest=self.url, graphql=f"{self.url}/graphql", headers={})
        client = Client(service, token, clock=clock or ToldClock(), pauses=pauses or Pauses(), timeout_s=timeout_s)
        self._clients.append(client)
        return client


class _Handler(BaseHTTPRequestHandler):
    owner: ClassVar[Scripted]
    protocol_version = "HTTP/1.1"

    def _any(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        step = self.owner.step(Asked(self.command, self.path, headers, json.loads(raw) if raw else None))
        if isinstance(step, Reset):
            self.close_connection = True
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            return
        said = step if isinstance(step, Said) else Said(200, [])
        data = b"" if said.status in (204, 304) else said.raw
        self.send_response_only(said.status)
        for name, value in said.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data) + (10 if isinstance(step, HalfSaid) else 0)))
        self.end_headers()
        self.wfile.write(data)
        if isinstance(step, HalfSaid):
            self.close_connection = True

    def __getattr__(self, name: str) -> Callable[[], None]:
        if name.startswith("do_"):
            return self._any
        raise AttributeError(name)

    def log_message(self, *_: object) -> None:
        pass

    def finish(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            super().finish()
