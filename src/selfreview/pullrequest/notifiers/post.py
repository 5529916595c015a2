"""Sending of one HTTP request, and whether it may have arrived when it breaks off."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from selfreview.errors import NotifyError, UnsureError
from selfreview.redirects import FOLLOW_REDIRECTS, destination

if TYPE_CHECKING:
    import httpx2


_MAX_BYTES = 65_536
_MAX_WAIT_S = 86_400.0


class Answer(NamedTuple):
    """An HTTP response: its status, the beginning of its body, and the seconds to wait before a retry."""

    status: int
    text: str
    retry_after_s: float | None


def check_url(url: str) -> str | None:
    """Return the error in the URL of a service, or None: it must use TLS, or stay on this machine."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "is no address"
    if not host or not url.isascii() or not url.isprintable() or " " in url or parts.username is not None:
        return "is no address"
    if parts.scheme != "https" and not (parts.scheme == "http" and is_local(host)):
        return "must start with https://"
    return None


def is_local(host: str) -> bool:
    """Return whether a host is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def post(url: str, body: bytes, *, headers: Mapping[str, str], timeout_s: float) -> Answer:
    """Send JSON, once; follow no redirection.

    Args:
        url: An address that :func:`check_url` has nothing against. Its path may be a secret: it is told to nobody.
        body: JSON.
        headers: More headers.
        timeout_s: Seconds that each step may take.

    Raises:
        NotifyError: If nothing was sent, or the answer is a redirect.
        UnsureError: If the line broke before the answer.
    """
    import httpx2

    parts = urlsplit(url)
    origin = f"{parts.scheme}://{parts.netloc}"
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    given = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "selfreview", **headers}
    try:
        with httpx2.Client(timeout=timeout_s, follow_redirects=FOLLOW_REDIRECTS) as client:
            # Not as the request's address, which the library writes into logs.
            request = client.build_request(
                "POST", origin, content=body, headers=given, extensions={"target": target.encode()}
            )
            response = client.send(request, stream=True)
            try:
                text = _read(response)
            finally:
                response.close()
    except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError) as error:
        raise NotifyError(f"{parts.hostname} cannot be reached ({type(error).__name__})") from None
    except httpx2.TransportError as error:
        raise UnsureError(f"the connection to {parts.hostname} broke ({type(error).__name__})") from None
    if response.is_redirect:
        to = destination(origin, response.headers.get("location", ""), path=False)
        raise NotifyError(
            f"{parts.hostname} redirects to {to} (HTTP {response.status_code}), where nothing is sent",
            hint="if the service has moved, give its new address",
        )
    return Answer(response.status_code, text, _seconds(response.headers.get("retry-after")))


def _read(response: httpx2.Response) -> str:
    """Return the beginning of a body."""
    data = b""
    for chunk in response.iter_bytes():
        data += chunk
        if len(data) > _MAX_BYTES:
            break
    return data[:_MAX_BYTES].decode("utf-8", "replace")


def _seconds(value: str | None) -> float | None:
    """Return ``Retry-After`` in seconds; a date, which Slack never sends, counts as a minute."""
    if value is None:
        return None
    try:
        return min(max(float(value), 1.0), _MAX_WAIT_S)
    except ValueError:
        return 60.0
