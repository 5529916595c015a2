"""Each message once a channel, whatever else goes wrong."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from selfreview.api import Delivery, HistoryEntry, Notice, NoticeEvent, NotifyContext
from selfreview.errors import NotifyError, UnsureError
from selfreview.pullrequest import outbox as module
from selfreview.pullrequest.outbox import LEASE_S, OLDEST_S, WAITS_S
from selfreview.store import Store
from selfreview.store.database import Database
from selfreview.store.outbox import Message
from selfreview.testing.context import MemoryConfig, default_config
from selfreview.testing.notifying import FakeNotifier, notice

NOW = 1_796_000_000.0
CONTEXT = NotifyContext(MemoryConfig(default_config()), {})


def still() -> float:
    return 0.0


class Outbox(module.Outbox):
    """One whose clock stands, unless a test says otherwise."""

    def __init__(self, *args: Any, clock: Callable[[], float] = still) -> None:
        super().__init__(*args, clock=clock)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "selfreview") as opened:
        yield opened


def raises(error: Exception, times: int = 1_000) -> Any:
    left = iter(range(times))

    def effect(_: Notice) -> None:
        if next(left, None) is not None:
            raise error

    return effect


def states(store: Store) -> list[tuple[str, str]]:
    return [(message.channel, message.state.value) for message in reversed(store.messages.latest(100))]


def only(store: Store) -> Message:
    (message,) = store.messages.latest(100)
    return message


def test_a_notice_is_sent_once_a_channel(store: Store) -> None:
    one, two = FakeNotifier("one"), FakeNotifier("two")
    outbox = Outbox(store, [one, two], CONTEXT)
    assert outbox.add(notice(), ["one", "two", "one"], NOW) == ["one", "two"]
    assert outbox.add(notice(title="other words"), ["one", "two"], NOW) == []
    assert {(d.channel, d.state) for d in outbox.deliver(NOW)} == {("one", Delivery.SENT), ("two", Delivery.SENT)}
    assert outbox.deliver(NOW + 10_000) == []
    assert outbox.add(notice(), ["one"], NOW) == []
    assert (one.sent, two.sent) == ([notice()], [notice()])


def test_what_could_not_be_done_of_a_message_is_kept(store: Store) -> None:
    outbox = Outbox(store, [FakeNotifier(effect=lambda _: ["no label", "no  review"])], CONTEXT)
    outbox.add(notice(), ["fake"], NOW)
    assert outbox.deliver(NOW)[0].said == "no label; no review"
    assert only(store).said == "no label; no review"


def test_a_channel_that_fails_keeps_no_other_back(store: Store) -> None:
    bad, good = FakeNotifier("bad", effect=raises(NotifyError("no route"))), FakeNotifier("good")
    outbox = Outbox(store, [bad, good], CONTEXT)
    for number in range(3):
        outbox.add(notice(str(number), NoticeEvent.FIXED), ["bad", "good"], NOW)
    outbox.deliver(NOW)
    assert [sent.key for sent in good.sent] == ["0", "1", "2"]
    assert bad.sent == []
    assert {channel: state for channel, state in states(store) if channel == "bad"} == {"bad": "waiting"}


def test_a_channel_that_never_comes_back_keeps_no_other_back(store: Store) -> None:
    released = threading.Event()

    def hang(_: Notice) -> None:
        released.wait(60)

    good = FakeNotifier("good")
    outbox = Outbox(store, [FakeNotifier("stuck", effect=hang), good], CONTEXT)
    outbox.add(notice(), ["stuck", "good"], NOW)
    done = outbox.deliver(NOW, within_s=0.05)
    assert [delivered.channel for delivered in done] == ["good"]
    assert states(store) == [("stuck", "sending"), ("good", "sent")]
    released.set()
    next(t for t in threading.enumerate() if t.name == "notify-stuck").join(60)
    assert states(store) == [("stuck", "sent"), ("good", "sent")]


def test_nothing_is_begun_once_the_time_is_up(store: Store) -> None:
    time = iter(range(0, 1_000, 3))
    channel = FakeNotifier()
    outbox = Outbox(store, [channel], CONTEXT, clock=lambda: float(next(time)))
    for number in range(5):
        outbox.add(notice(str(number), NoticeEvent.FIXED), ["fake"], NOW)
    outbox.deliver(NOW, within_s=10)
    assert 1 <= len(channel.sent) < 5
    outbox.deliver(NOW)
    assert [sent.key for sent in channel.sent] == ["0", "1", "2", "3", "4"]


def test_a_message_that_was_not_sent_is_tried_later_and_later_and_fails_in_the_end(store: Store) -> None:
    channel = FakeNotifier(effect=raises(NotifyError("no route")))
    outbox = Outbox(store, [channel], CONTEXT)
    outbox.add(notice(), ["fake"], NOW)
    now = NOW
    for tries, wait in enumerate(WAITS_S, 1):
        (done,) = outbox.deliver(now)
        assert (done.state, done.said, only(store).tries) == (Delivery.WAITING, "no route", tries)
        assert outbox.deliver(now + wait - 1) == []
        now += wait
    (done,) = outbox.deliver(now)
    assert (done.state, only(store).said) == (Delivery.FAILED, "no route")
    assert outbox.deliver(now + 10 * WAITS_S[-1]) == []


def test_a_message_arrives_once_the_channel_is_back(store: Store) -> None:
    channel = FakeNotifier(effect=raises(NotifyError("no route"), 2))
    outbox = Outbox(store, [channel], CONTEXT)
    outbox.add(notice(), ["fake"], NOW)
    for later in (0, 60, 360):
        outbox.deliver(NOW + later)
    assert channel.sent == [notice()]
    assert (only(store).state, only(store).said, only(store).tries) == (Delivery.SENT, "", 3)


def test_a_channel_that_wants_to_be_left_alone_is_for_all_its_messages(store: Store) -> None:
    channel = FakeNotifier(effect=raises(NotifyError("busy", wait_s=900), 1))
    outbox = Outbox(store, [channel], CONTEXT)
    outbox.add(notice("a", NoticeEvent.FIXED), ["fake"], NOW)
    outbox.add(notice("b", NoticeEvent.FIXED), ["fake"], NOW)
    outbox.deliver(NOW)
    assert outbox.deliver(NOW + 899) == []
    outbox.deliver(NOW + 900)
    assert [sent.key for sent in channel.sent] == ["a", "b"]


def test_a_message_that_the_receiver_refuses_keeps_the_others_back_for_one_pass_only(store: Store) -> None:
    def effect(told: Notice) -> None:
        if told.key == "bad":
            raise NotifyError("invalid_blocks")

    channel = FakeNotifier(effect=effect)
    outbox = Outbox(store, [channel], CONTEXT)
    outbox.add(notice("bad"), ["fake"], NOW)
    outbox.add(notice("good"), ["fake"], NOW)
    outbox.deliver(NOW)
    outbox.deliver(NOW + 1)
    assert [sent.key for sent in channel.sent] == ["good"]


@pytest.mark.parametrize("error", [UnsureError("the line broke"), RuntimeError("xoxb-12345")])
def test_what_may_have_been_sent_is_not_sent_again(store: Store, error: Exception) -> None:
    channel = FakeNotifier(effect=raises(error, 1))
    outbox = Outbox(store, [channel], CONTEXT)
    outbox.add(notice(), ["fake"], NOW)
    assert [done.state for done in outbox.deliver(NOW)] == [Delivery.UNKNOWN]
    assert outbox.deliver(NOW + 10_000_000) == []
    assert channel.sent == []
    assert "xoxb" not in only(store).said


@pytest.mark.parametrize("error", [UnsureError("the line broke"), RuntimeError("x")])
def test_a_channel_that_finds_its_own_messages_tries_again(store: Store, error: Exception) -> None:
    channel = FakeNotifier(leaves_mark=True, effect=raises(error, 1))
    outbox = Outbox(store, [channel], CONTEXT)
    outbox.add(notice(), ["fake"], NOW)
    assert [done.state for done in outbox.deliver(NOW)] == [Delivery.WAITING]
    assert [done.state for done in outbox.deliver(NOW + 60)] == [Delivery.SENT]


@pytest.mark.parametrize(("leaves_mark", "state"), [(False, Delivery.UNKNOWN), (True, Delivery.SENT)])
def test_a_sender_that_did_not_come_back(store: Store, leaves_mark: bool, state: Delivery) -> None:
    channel = FakeNotifier(leaves_mark=leaves_mark)
    outbox = Outbox(store, [channel], CONTEXT)
    outbox.add(notice(), ["fake"], NOW)
    assert store.messages.claim(only(store).seq, "gone", NOW, LEASE_S)
    assert outbox.deliver(NOW + LEASE_S - 1) == []
    assert only(store).state is Delivery.SENDING
    outbox.deliver(NOW + LEASE_S)
    assert only(store).state is state
    assert len(channel.sent) == (1 if leaves_mark else 0)


def test_a_sender_that_comes_back_late_still_says_that_it_sent(store: Store) -> None:
    Outbox(store, [], CONTEXT).add(notice(), ["fake"], NOW)
    seq = only(store).seq
    assert store.messages.claim(seq, "slow", NOW, LEASE_S)
    Outbox(store, [FakeNotifier()], CONTEXT).deliver(NOW + LEASE_S)
    assert only(store).state is Delivery.UNKNOWN
    assert store.messages.settle(seq, "slow", Delivery.SENT, "", NOW)
    assert only(store).state is Delivery.SENT


def test_a_sender_that_comes_back_after_another_took_over_says_nothing(store: Store) -> None:
    Outbox(store, [], CONTEXT).add(notice(), ["fake"], NOW)
    seq = only(store).seq
    assert store.messages.claim(seq, "slow", NOW, LEASE_S)
    Outbox(store, [FakeNotifier(leaves_mark=True)], CONTEXT).deliver(NOW + LEASE_S)
    assert not store.messages.settle(seq, "slow", Delivery.FAILED, "no route", NOW)
    assert only(store).state is Delivery.SENT


def test_a_channel_that_lacks_something_waits_for_it(store: Store) -> None:
    channel = FakeNotifier(lacks="SLACK_WEBHOOK_URL is not set")
    outbox = Outbox(store, [channel], CONTEXT)
    outbox.add(notice(), ["fake"], NOW)
    assert [done.said for done in outbox.deliver(NOW)] == ["SLACK_WEBHOOK_URL is not set"]
    channel.lacks = None
    outbox.deliver(NOW + 60)
    assert channel.sent == [notice()]


def test_a_channel_that_is_not_there_keeps_its_messages(store: Store) -> None:
    outbox = Outbox(store, [], CONTEXT)
    outbox.add(notice(), ["later"], NOW)
    assert outbox.deliver(NOW) == []
    channel = FakeNotifier("later")
    Outbox(store, [channel], CONTEXT).deliver(NOW + 5)
    assert channel.sent == [notice()]


def test_what_nobody_could_send_for_a_week_is_not_sent(store: Store) -> None:
    channel = FakeNotifier()
    outbox = Outbox(store, [channel], CONTEXT)
    outbox.add(notice(), ["fake"], NOW)
    assert outbox.deliver(NOW + OLDEST_S + 1) == []
    assert (channel.sent, only(store).state, only(store).said) == ([], Delivery.FAILED, "it is too old to be sent")


class Connected:
    """Stands for a connection; nothing here asks it anything."""


def test_a_channel_that_writes_on_pull_requests_is_told_of_them_alone(store: Store) -> None:
    channel = FakeNotifier(needs_request=True)
    connected: Any = Connected()
    outbox = Outbox(store, [channel], CONTEXT._replace(forge=connected))
    outbox.add(notice("a", number=None), ["fake"], NOW)
    outbox.add(notice("b"), ["fake"], NOW)
    outbox.deliver(NOW)
    assert [sent.key for sent in channel.sent] == ["b"]
    assert states(store) == [("fake", "sent")]


def test_a_message_for_a_pull_request_waits_for_a_connection(store: Store) -> None:
    channel = FakeNotifier(needs_request=True)
    outbox = Outbox(store, [channel], CONTEXT)
    outbox.add(notice(), ["fake"], NOW)
    assert outbox.deliver(NOW) == []
    assert (only(store).state, only(store).tries) == (Delivery.WAITING, 0)


SECRET = "ghp_" + "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2"


def test_no_secret_is_stored_or_sent(store: Store, tmp_path: Path) -> None:
    entry = HistoryEntry(who="ana", what=f"why is {SECRET} here", outcome=f"removed {SECRET}")
    channel = FakeNotifier(effect=raises(NotifyError(f"refused {SECRET}"), 1))
    outbox = Outbox(store, [channel], CONTEXT)
    outbox.add(notice(title=f"token {SECRET}", text=f"a\n{SECRET}\n", history=(entry,)), ["fake"], NOW)
    outbox.deliver(NOW)
    assert "refused" in only(store).said
    outbox.deliver(NOW + 60)
    assert len(channel.sent) == 1
    assert SECRET not in str(channel.sent)
    store.close()
    assert SECRET.encode() not in b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_old_messages_are_pruned_and_those_to_be_sent_are_not(tmp_path: Path) -> None:
    with Store(Database(tmp_path / "selfreview" / "store.db")) as store:
        store.messages._keep = 3
        Outbox(store, [], CONTEXT).add(notice("waits"), ["later"], NOW)
        outbox = Outbox(store, [FakeNotifier()], CONTEXT)
        for number in range(6):
            outbox.add(notice(str(number), NoticeEvent.FIXED), ["fake"], NOW)
            outbox.deliver(NOW)
        assert sorted(message.key for message in store.messages.latest(100)) == ["3", "4", "5", "waits"]


def test_a_surrogate_and_a_nul_survive(store: Store) -> None:
    channel = FakeNotifier()
    outbox = Outbox(store, [channel], CONTEXT)
    outbox.add(notice(text="a\0b\udc80c"), ["fake"], NOW)
    outbox.deliver(NOW)
    assert channel.sent[0].text in ("a\0b\ufffdc", "a\0b\udc80c")
