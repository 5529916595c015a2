"""Removal of the label of a call for a person: only the forge's record of who removed it settles the call.

That the label is not shown is not enough: a copy of the forge's data may lag, another machine may have called since the
pull request was read, and labels are renamed.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable

from selfreview.api import Connection, Feedback, FeedbackItem, LabelChange, TellsLabelChanges
from selfreview.errors import NotFoundError, RefusedError
from selfreview.feedback.marks import handed_over_in, is_marked, is_there, label_in
from selfreview.feedback.trust import Policy

_OURS_FOR = datetime.timedelta(seconds=60)
"""Time after a comment in which the token's own account may be another cycle, which takes the label back."""


def taken_away(
    connection: Connection, feedback: Feedback, policy: Policy, note: Callable[[str], None]
) -> frozenset[str]:
    """Return the ids of our comments whose label a person removed, which settles all that they call for.

    Args:
        connection: The forge.
        feedback: The snapshot.
        policy: Who may write.
        note: Told where the forge does not say it.

    Raises:
        ForgeError: If the forge cannot be asked for now.
    """
    labels = feedback.request.labels
    gone = {
        item: name
        for item in feedback.items
        if policy.is_me(item.author) and is_marked(item.body) and handed_over_in([item.body])
        if (name := label_in(item.body)) is not None and not is_there(name, labels)
    }
    if not gone or not isinstance(connection, TellsLabelChanges):
        return frozenset()
    try:
        changes = connection.label_changes(feedback.request.number)
    except (RefusedError, NotFoundError) as error:
        note(f"who took a label away cannot be read: {error.message}")
        return frozenset()
    last = {change.name.casefold(): change for change in changes}
    return frozenset(
        item.id
        for item, name in gone.items()
        if (change := last.get(name.casefold())) is not None and _settles(change, item, policy)
    )


def _settles(change: LabelChange, call: FeedbackItem, policy: Policy) -> bool:
    """Return whether a label was removed after a call, and by a person who may write."""
    by = change.by
    if change.added or by is None or by.is_bot or not policy.permission(by.login).may_write:
        return False
    try:
        written = max(_time(at) for at in (call.created, call.updated) if at)
        since = _time(change.at) - written
    except (ValueError, TypeError):  # no time, or none that can be compared: it is not sure
        return False
    return since > (_OURS_FOR if policy.is_me(by) else datetime.timedelta())


def _time(at: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(at)
