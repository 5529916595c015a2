"""Address of a forge, and the headers that all requests share."""

from __future__ import annotations

import dataclasses
import urllib.parse
from collections.abc import Mapping


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
