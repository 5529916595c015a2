"""Deliveries of webhooks: ``/hooks/{id}/deliveries``."""

from __future__ import annotations

from typing import Any

from tests.forge.call import Answer, Call, not_found
from tests.forge.repository import Repository
from tests.forge.route import Route
from tests.forge.webhooks import Delivery, Webhook
from tests.forge.world import stamp

_ATTEMPTS = 100
"""Maximum attempts of one delivery; each has an id of its own."""


def deliveries(call: Call, repository: Repository, id: int) -> Answer:  # noqa: A002 - as the path names it
    """Answer with all attempts of deliveries, the newest first; ``cursor`` is that of the next page."""
    found = [
        _told(one, number)
        for one in reversed(_hook(call, id).deliveries)
        if one.repository is repository
        for number in reversed(range(len(one.statuses)))
    ]
    size, start = int(call.query.get("per_page", 30)), int(call.query.get("cursor", 0))
    where = f"{call.links.api}{call.path}?per_page={size}&cursor={start + size}"
    headers = {"link": f'<{where}>; rel="next"'} if start + size < len(found) else {}
    return Answer(200, found[start : start + size], headers)


def again(call: Call, repository: Repository, id: int, number: int) -> Answer:  # noqa: A002 - as the path names it
    """Redeliver an event."""
    for one in _hook(call, id).deliveries:
        if one.repository is repository and one.id == number // _ATTEMPTS:
            one.again()
            return Answer(202, {})
    raise not_found()


def _hook(call: Call, number: int) -> Webhook:
    for one in call.world.webhooks:
        if one.id == number:
            return one
    raise not_found()


def _told(one: Delivery, number: int) -> dict[str, Any]:
    status = one.statuses[number]
    said = "failed to connect" if status is None else "OK" if status < 300 else f"Invalid HTTP Response: {status}"
    return {
        "id": one.id * _ATTEMPTS + number,
        "guid": one.guid,
        "delivered_at": stamp(one.created),
        "redelivery": number > 0,
        "duration": 0.1,
        "status": said,
        "status_code": status or 0,
        "event": one.event,
        "action": one.action,
        "installation_id": None,
        "repository_id": one.repository.id,
    }


ROUTES = (
    Route("GET", "/hooks/{id}/deliveries", deliveries, needs="admin"),
    Route("POST", "/hooks/{id}/deliveries/{number}/attempts", again, needs="admin", right="administration"),
)
