"""New comments in a resolved thread: they are treated like any other feedback.

The forge does not say when a thread was resolved. What came after our last answer there, or after the last word of the
person whose account it is, counts as said since; so does what was not there when the thread was seen resolved before.
"""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from selfreview.feedback.marks import is_marked
from selfreview.feedback.trust import Policy
from selfreview.feedback.visible import visible
from selfreview.model.feedback import Feedback, FeedbackItem, Thread


def reopened(feedback: Feedback, policy: Policy, settled: Collection[str]) -> Feedback:
    """Return feedback in which resolved threads name the comments made since.

    Args:
        feedback: All that is said.
        policy: Who is listened to; a bot, which may resolve threads itself, reopens none.
        settled: Ids of what :func:`settled_in` returned when it was read last.
    """
    by_id = {item.id: item for item in feedback.items}
    threads = tuple(
        msgspec.structs.replace(thread, since=_since(thread, by_id, policy, settled)) if thread.resolved else thread
        for thread in feedback.threads
    )
    return msgspec.structs.replace(feedback, threads=threads)


def settled_in(feedback: Feedback) -> list[str]:
    """Return the ids of feedback that people settled by resolving its thread, in the order of threads."""
    return [name for thread in feedback.threads if thread.resolved for name in thread.items if name not in thread.since]


def _since(thread: Thread, by_id: dict[str, FeedbackItem], policy: Policy, settled: Collection[str]) -> tuple[str, ...]:
    items = [by_id[name] for name in thread.items if name in by_id]
    last = max((at for at, item in enumerate(items) if _is_ours(item, policy)), default=-1)
    if any(item.id in settled for item in items):
        later = [item for item in items[last + 1 :] if item.id not in settled]
    else:
        later = items[last + 1 :] if last >= 0 else []
    return (*thread.since, *(item.id for item in later if item.id not in thread.since and _counts(item, policy)))


def _is_ours(item: FeedbackItem, policy: Policy) -> bool:
    return policy.is_persons(item.author) or (policy.is_me(item.author) and is_marked(item.body))


def _counts(item: FeedbackItem, policy: Policy) -> bool:
    person = item.author is not None and not item.author.is_bot
    return person and policy.refusal(item.author) is None and not is_marked(item.body) and bool(visible(item.body))
