"""Feedback as values, for tests of what decides about it."""

from __future__ import annotations

from typing import Any

from selfreview.model.feedback import (
    ChangeRequest,
    Feedback,
    FeedbackItem,
    ItemKind,
    Opinion,
    Permission,
    Person,
    RequestState,
    Spot,
    Thread,
)
from selfreview.pullrequest.feedback.trust import Policy

ME, REV, BOT, GUEST = (
    Person(login="dev", id="1"),
    Person(login="rev", id="2"),
    Person(login="lint[bot]", id="3", is_bot=True),
    Person(login="guest", id="4"),
)
SPOT = Spot(path="app.py", line=2, commit="a" * 40, original_line=2, original_commit="a" * 40)


def policy(**more: Any) -> Policy:
    """Return one in which all but ``guest`` may write."""
    given: dict[str, Any] = {"permission": lambda login: Permission.NONE if login == "guest" else Permission.WRITE}
    return Policy(**given | {"me": ME} | more)


def item(body: str, author: Person | None = REV, **more: Any) -> FeedbackItem:
    """Return a general comment, or what ``more`` makes of it."""
    given: dict[str, Any] = {"id": "comment:1", "kind": ItemKind.COMMENT, "created": "2026-01-01T00:00:00Z"}
    return FeedbackItem(body=body, author=author, **given | more)


def inline(body: str, author: Person | None = REV, **more: Any) -> FeedbackItem:
    """Return an inline comment of thread ``t1``."""
    return item(body, author, **{"id": "inline:1", "kind": ItemKind.INLINE, "spot": SPOT, "thread": "t1"} | more)


def review(
    body: str, author: Person | None = REV, opinion: Opinion = Opinion.CHANGES_REQUESTED, **more: Any
) -> FeedbackItem:
    """Return a review."""
    return item(body, author, **{"id": "review:1", "kind": ItemKind.REVIEW, "opinion": opinion} | more)


def feedback(*items: FeedbackItem, resolved: bool = False, **more: Any) -> Feedback:
    """Return a snapshot of pull request 5, with the threads that its items name."""
    names = dict.fromkeys(one.thread for one in items if one.thread is not None)
    threads = tuple(
        Thread(id=name, items=tuple(one.id for one in items if one.thread == name), resolved=resolved) for name in names
    )
    request = ChangeRequest(
        number=5, url="https://github.com/octo/app/pull/5", title="T", body="", state=RequestState.OPEN, draft=False,
        author=ME, head="topic", head_sha="a" * 40, base="main", head_repository="octo/app", same_repository=True,
        may_push=True, updated="",
    )  # fmt: skip
    return Feedback(request=request, items=items, threads=threads, **more)
