"""Stopping of fix cycles on pull requests that were merged or closed meanwhile."""

from __future__ import annotations

from collections.abc import Sequence

from selfreview.api import ReadsRequests
from selfreview.feedback.watching.ports import Queue, Tell
from selfreview.model.feedback import ChangeRequest


def still_open(connection: ReadsRequests, tasks: Queue, tell: Tell) -> Sequence[ChangeRequest]:
    """Return all open pull requests; stop the fix cycles of others, for nobody waits for these any more.

    Raises:
        ForgeError: If the forge cannot be asked.
    """
    found = connection.all_open()
    for number in tasks.active.keys() - {request.number for request in found}:
        if tasks.stop(number):
            tell("ending", number)
    return found
