"""The pull request as a channel, on a fake GitHub and on forges that can do less."""

from __future__ import annotations

from typing import Any

import pytest

from selfreview.api import Connection, HistoryEntry, Location, Marked, NoticeEvent, NotifyContext, Person
from selfreview.errors import BusyError, NotifyError, RefusedError, UnsureError
from selfreview.pullrequest.notifiers import forge as module
from selfreview.pullrequest.notifiers.forge import ForgeNotifier
from selfreview.testing.context import MemoryConfig, default_config
from selfreview.testing.notifying import notice


class Bare:
    """A forge that can only be connected to."""

    location = Location("forge.example.org", "octo/app")

    def whoami(self) -> Person:
        return Person(login="bot")

    def close(self) -> None:
        pass


class Full(Bare):
    """A forge that can do all that the channel asks for, and keeps it."""

    def __init__(self, error: Exception | None = None) -> None:
        self.comments: dict[tuple[int, str], str] = {}
        self.labels: set[str] = set()
        self.asked: list[str] = []
        self.error = error

    def comment(self, number: int, mark: str, body: str) -> Marked:
        self.comments[number, mark] = body
        return Marked(id="comment:1")

    def add_label(self, number: int, name: str) -> None:
        if self.error is not None:
            error, self.error = self.error, None
            raise error
        self.labels.add(name)

    def remove_label(self, number: int, name: str) -> None:
        self.labels.discard(name)

    def request_reviews(self, number: int, logins: Any) -> list[str]:
        self.asked += logins
        return [login for login in logins if login == "gone"]


def send(forge: Connection | None, event: NoticeEvent = NoticeEvent.READY, **more: Any) -> list[str]:
    config = MemoryConfig({**default_config(module), "notify.github.reviewers": ["ana", "gone"]})
    return list(ForgeNotifier().send(notice(event=event, **more), NotifyContext(config, {}, forge)))


def test_that_people_can_take_over() -> None:
    forge = Full()
    forge.labels.add("human-review-required")  # a person's, or a fix cycle's, which takes its own away itself
    assert send(forge) == ["cannot be asked for a review: gone"]
    assert forge.labels == {"ready-for-review", "human-review-required"}
    assert forge.asked == ["ana", "gone"]
    ((number, mark),) = forge.comments
    assert number == 7
    assert mark.startswith("notice:")


def test_that_a_person_is_needed() -> None:
    forge = Full()
    forge.labels.add("ready-for-review")
    entry = HistoryEntry(who="ben", what="@all see #1 <img src=x> [x](javascript:1)", outcome="*done*", cycle=2)
    assert send(forge, NoticeEvent.ESCALATED, mention=("ana", "x> <b>"), text="why & how", history=(entry,)) == []
    assert forge.labels == set()
    assert forge.asked == []
    (body,) = forge.comments.values()
    assert "@ana" in body
    assert "@all" not in body
    assert "<img" not in body
    assert "<b>" not in body
    assert "](javascript" not in body
    assert r"\*done\*" in body


@pytest.mark.parametrize("event", [NoticeEvent.FIXED, NoticeEvent.ERROR])
def test_other_news_change_no_label(event: NoticeEvent) -> None:
    forge = Full()
    forge.labels.add("ready-for-review")
    send(forge, event)
    assert (forge.labels, forge.asked) == ({"ready-for-review"}, [])


def test_the_same_notice_is_one_comment_and_another_is_another() -> None:
    forge = Full()
    send(forge, NoticeEvent.ESCALATED)
    send(forge, NoticeEvent.ESCALATED, title="edited")
    assert ["edited" in body for body in forge.comments.values()] == [True]
    send(forge, NoticeEvent.ESCALATED, key="other")
    assert len(forge.comments) == 2


def test_that_people_can_take_over_is_one_comment_for_each_commit() -> None:
    forge = Full()
    send(forge)
    send(forge, title="again")
    send(forge, key="other", title="next")
    assert [("again" in body, "next" in body) for body in forge.comments.values()] == [(True, False), (False, True)]


def test_a_forge_that_can_do_nothing_says_so() -> None:
    assert send(Bare()) == [
        "this forge takes no comments", "this forge has no labels", "this forge cannot be asked for reviews",
    ]  # fmt: skip


def test_what_the_forge_says_decides_what_comes_next() -> None:
    with pytest.raises(NotifyError, match="archived"):
        send(Full(RefusedError("archived")))
    with pytest.raises(UnsureError):
        send(Full(UnsureError("broke")))
    with pytest.raises(NotifyError) as caught:
        send(Full(BusyError("busy", wait_s=77)))
    assert caught.value.wait_s == 77


def test_a_step_that_failed_is_done_the_next_time() -> None:
    forge = Full(RefusedError("not now"))
    with pytest.raises(NotifyError):
        send(forge)
    send(forge)
    assert forge.labels == {"ready-for-review"}
    assert len(forge.comments) == 1


def test_without_a_connection_nothing_is_sent() -> None:
    with pytest.raises(NotifyError):
        send(None)
