"""Filtering and sorting of comments and reviews."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import TypeVar

from tests.forge.call import Call, RefusedError
from tests.forge.conversation import Remark

_R = TypeVar("_R", bound=Remark)


def since(call: Call, remarks: Iterable[_R]) -> list[_R]:
    """Return comments that were written or edited since the time that is asked for."""
    asked = call.query.get("since")
    if not asked:
        return list(remarks)
    try:
        moment = datetime.datetime.fromisoformat(asked)
    except ValueError as error:
        raise RefusedError(422, "Invalid request.\n\nInvalid value for 'since'.") from error
    moment = moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)
    return [one for one in remarks if one.updated >= moment]


def direction(call: Call, remarks: Iterable[_R]) -> list[_R]:
    """Return comments as ``sort`` and ``direction`` ask; the latter counts only with the former, as on the forge."""
    sort = call.query.get("sort")
    falling = sort is not None and call.query.get("direction", "desc") == "desc"
    if sort == "updated":
        return sorted(remarks, key=lambda one: (one.updated, one.id), reverse=falling)
    return sorted(remarks, key=lambda one: one.id, reverse=falling)
