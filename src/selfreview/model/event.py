"""Events: what happened, in order, as the store keeps it."""

from __future__ import annotations

import msgspec


class Event(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An event.

    Attributes:
        kind: A dotted name such as ``review.completed``.
        at: UTC, ISO 8601, ending in ``Z``.
        run_id: The run that it belongs to, or None.
        session: The session that it belongs to, or None.
        data: What else is known; JSON values only.
    """

    kind: str
    at: str
    run_id: str | None = None
    session: str | None = None
    data: dict[str, object] = {}
