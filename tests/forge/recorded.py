"""A request as it arrived."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit


@dataclasses.dataclass(kw_only=True)
class ForgeRequest:
    """A request as it arrived.

    Attributes:
        target: Path and query, as they were sent.
        headers: Headers, names in lower case, without the authorization.
        raw: The body's bytes.
        token: What came in ``Authorization``, or None.
        at: When it had arrived, ``time.monotonic()``.
        status: What it was answered with; None where the connection was cut.
        points: What it counts for the limits.
    """

    method: str
    target: str
    headers: Mapping[str, str]
    raw: bytes
    token: str | None = dataclasses.field(repr=False)
    at: float
    status: int | None = None
    points: int = 0

    @property
    def authorized(self) -> bool:
        """Return whether the request carries a token."""
        return self.token is not None

    @property
    def path(self) -> str:
        """The path, without the prefix of an enterprise server and without the query."""
        path = urlsplit(self.target).path
        return path.removeprefix(self.prefix) or "/"

    @property
    def prefix(self) -> str:
        """``/api/v3`` where it was used, as by clients of an enterprise server."""
        path = urlsplit(self.target).path
        for prefix in ("/api/v3", "/api"):
            if path == prefix or path.startswith(f"{prefix}/"):
                return prefix
        return ""

    @property
    def query(self) -> dict[str, str]:
        """The last value of each name of the query."""
        return dict(parse_qsl(urlsplit(self.target).query, keep_blank_values=True))

    @property
    def body(self) -> Any:
        """The body as JSON; an empty object where there is none.

        Raises:
            ValueError: If it is no JSON.
        """
        return json.loads(self.raw) if self.raw.strip() else {}
