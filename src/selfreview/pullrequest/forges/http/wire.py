"""Exchange of one request and its answer, or how far it came."""

from __future__ import annotations

import dataclasses
import json
import threading
import time
import urllib.parse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from selfreview.errors import ForgeError
from selfreview.redirects import FOLLOW_REDIRECTS

if TYPE_CHECKING:
    import httpx2


class Clock:
    """Clock of this machine."""

    def now(self) -> float:
        """Return the monotonic clock's seconds."""
        return time.monotonic()

    def wall(self) -> float:
        """Return the seconds since 1970."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Service:
    """API of a forge.

    Attributes:
        name: The forge, as people call it.
        host: The forge's host, as people call it.
        rest: Address that paths are put behind, without a slash at the end.
        graphql: Address of GraphQL.
        headers: What every request carries, the token aside.
    """

    name: str
    host: str
    rest: str
    graphql: str
    headers: Mapping[str, str]

    @property
    def loopback(self) -> bool:
        """Return whether it is a server of this machine; no proxy is used then."""
        return is_loopback(self.rest)

    @property
    def encrypted(self) -> bool:
        """Return whether TLS is used; it is everywhere but on this machine."""
        return self.rest.startswith("https://") or self.graphql.startswith("https://")

    def holds(self, url: str) -> bool:
        """Return whether a URL is of this API: the token is sent nowhere else."""
        return url.startswith(self.rest + "/")


def is_loopback(url: str) -> bool:
    """Return whether a URL is of this machine."""
    try:
        host = urllib.parse.urlsplit(url).hostname
    except ValueError:
        return False
    return host in {"localhost", "::1"} or (host or "").startswith("127.")


_CONNECT_S = 10.0
_READ_S = 20.0
_LATE = "the time that it may take is over"
MAX_BYTES = 32 * 1024 * 1024


class NotSentError(Exception):
    """The forge cannot have seen the request."""


class LostError(Exception):
    """The request was sent, and its outcome is not known."""


class TooLargeError(LostError):
    """The answer is larger than the maximum; the next would be, too."""


class Answer(NamedTuple):
    """Answer of a forge to an HTTP request.

    Attributes:
        status: The status.
        headers: By lower-case name.
        body: As it came, decompressed.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text; bytes that are not UTF-8 stay visible as such."""
        return self.body.decode("utf-8", "surrogateescape")

    @property
    def data(self) -> Any:
        """The body as JSON, with whatever characters it holds; None where there is none.

        Raises:
            ForgeError: If it is something else.
        """
        if not self.body.strip():
            return None
        try:
            return json.loads(self.text)
        except (ValueError, RecursionError) as error:
            raise ForgeError("the forge answered with something else than JSON") from error


class Wire:
    """Connections to one service, shared by all threads."""

    def __init__(self, service: Service, token: str, clock: Clock, max_bytes: int = MAX_BYTES) -> None:
        self._service = service
        self._token = token
        self._clock = clock
        self._max_bytes = max_bytes
        self._client: httpx2.Client | None = None
        self._lock = threading.Lock()

    def close(self) -> None:
        """Close all connections; a later request opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def exchange(
        self, method: str, url: str, headers: Mapping[str, str], content: bytes | None, deadline: float
    ) -> Answer:
        """Send a request and read the whole answer, by a deadline of the clock.

        Raises:
            NotSentError: If no connection came to be, or the time was over before.
            LostError: If the answer did not come, or not whole.
        """
        import httpx2

        left = deadline - self._clock.now()
        if left <= 0:
            raise NotSentError(_LATE)
        timeout = httpx2.Timeout(min(_READ_S, left), connect=min(_CONNECT_S, left))
        try:
            with self._open().stream(method, url, headers=headers, content=content, timeout=timeout) as response:
                body = self._read(response, deadline)
                found = {name.lower(): value for name, value in response.headers.items()}
                return Answer(response.status_code, found, body)
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError) as error:
            raise NotSentError(_why(error)) from error
        except (httpx2.UnsupportedProtocol, httpx2.InvalidURL, httpx2.LocalProtocolError) as error:
            raise NotSentError("the address or the token is malformed") from error
        except httpx2.HTTPError as error:
            raise LostError(_why(error)) from error

    def _read(self, response: httpx2.Response, deadline: float) -> bytes:
        body = bytearray()
        for chunk in response.iter_bytes():
            body += chunk
            if len(body) > self._max_bytes:
                raise TooLargeError(f"the answer is larger than {self._max_bytes} bytes")
            if self._clock.now() > deadline:
                raise LostError(_LATE)
        return bytes(body)

    def _open(self) -> httpx2.Client:
        import httpx2

        with self._lock:
            if self._client is None:
                self._client = httpx2.Client(
                    headers={**self._service.headers, "Authorization": f"Bearer {self._token}"},
                    follow_redirects=FOLLOW_REDIRECTS,
                    trust_env=not self._service.loopback,
                    verify=self._service.encrypted,  # reading all certificates for nothing takes a tenth of a second
                    limits=httpx2.Limits(max_connections=10, keepalive_expiry=30.0),
                )
            return self._client


def _why(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
