"""Feedback that people settled: by resolving a thread, or by removing the label of a call for a person.

The forge does not say when a thread was resolved. What came after our last answer there, or after the last word of the
person whose account it is, counts as said since; so does what was not there when the thread was seen resolved before.

Only the forge's record of who removed a label settles a call. That the label is not shown is not enough: a copy of the
forge's data may lag, another machine may have called since the pull request was read, and labels are renamed.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection

import msgspec

from selfreview.api import Connection, LabelChange, TellsLabelChanges
from selfreview.errors import NotFoundError, RefusedError
from selfreview.model.feedback import Feedback, FeedbackItem, Thread
from selfreview.pullrequest.feedback.markdown import visible
from selfreview.pullrequest.feedback.marks import handed_over_in, is_marked, is_there, label_in
from selfreview.pullrequest.feedback.trust import Policy


def reopened(feedback: Feedback, policy: Policy, resolved: Collection[str]) -> Feedback:
    """Return feedback in which resolved threads name the comments made since.

    Args:
        feedback: All that is said.
        policy: Who is listened to; a bot, which may resolve threads itself, reopens none.
        resolved: Ids of what :func:`resolved_in` returned when it was read last.
    """
    by_id = {item.id: item for item in feedback.items}
    threads = tuple(
        msgspec.structs.replace(thread, since=_since(thread, by_id, policy, resolved)) if thread.resolved else thread
        for thread in feedback.threads
    )
    return msgspec.structs.replace(feedback, threads=threads)


def resolved_in(feedback: Feedback) -> list[str]:
    """Return the ids of feedback that people settled by resolving its thread, in the order of threads."""
    return [name for thread in feedback.threads if thread.resolved for name in thread.items if name not in thread.since]


def _since(
    thread: Thread, by_id: dict[str, FeedbackItem], policy: Policy, resolved: Collection[str]
) -> tuple[str, ...]:
    items = [by_id[name] for name in thread.items if name in by_id]
    last = max((at for at, item in enumerate(items) if _is_ours(item, policy)), default=-1)
    if any(item.id in resolved for item in items):
        later = [item for item in items[last + 1 :] if item.id not in resolved]
    else:
        later = items[last + 1 :] if last >= 0 else []
    return (*thread.since, *(item.id for item in later if item.id not in thread.since and _counts(item, policy)))


def _is_ours(item: FeedbackItem, policy: Policy) -> bool:
    return policy.is_persons(item.author) or (policy.is_me(item.author) and is_marked(item.body))


def _counts(item: FeedbackItem, policy: Policy) -> bool:
    person = item.author is not None and not item.author.is_bot
    return person and policy.refusal(item.author) is None and not is_marked(item.body) and bool(visible(item.body))


_OURS_FOR = datetime.timedelta(seconds=60)
"""Time after a comment in which the token's own account may be another cycle, which takes the label back."""


def removed_labels(
    connection: Connection, feedback: Feedback, policy: Policy, note: Callable[[str], None]
) -> frozenset[str]:
    """Return the ids of our comments whose label a person removed, which settles all that they call for.

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
