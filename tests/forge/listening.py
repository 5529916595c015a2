"""Listening sockets of the server."""

from __future__ import annotations

import contextlib
import socket
import socketserver
from http.server import ThreadingHTTPServer
from typing import Any


class Http(ThreadingHTTPServer):
    """An HTTP server that closes its open connections with it, so that no thread remains."""

    daemon_threads = False
    request_queue_size = 64

    def __init__(self, *args: Any) -> None:
        self._open: set[Any] = set()
        super().__init__(*args)

    def server_bind(self) -> None:
        """Listen, without looking up the machine's name."""
        socketserver.TCPServer.server_bind(self)

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
            with contextlib.suppress(OSError):  # it closed by itself
                connection.shutdown(socket.SHUT_RDWR)
        self.server_close()


class UnixHttp(Http):
    """An HTTP server on a unix socket."""

    address_family = getattr(socket, "AF_UNIX", socket.AF_INET)  # Windows has none
