"""A message that says whose turn it is on a pull request is not sent once a newer one says it anew."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from selfreview.api import Delivery, Notice, NoticeEvent, NotifyContext
from selfreview.errors import NotifyError
from selfreview.pullrequest.outbox import WAITS_S, Outbox
from selfreview.store import Store
from selfreview.testing.context import MemoryConfig, default_config
from selfreview.testing.notifying import FakeNotifier, notice

NOW = 1_000_000.0
READY, ESCALATED = NoticeEvent.READY, NoticeEvent.ESCALATED


def sent(tmp_path: Path, old: Notice, new: Notice, *, channel: str = "fake") -> list[str]:
    """Return what is sent once a channel is back that failed with one notice, before there was another one."""

    def down(_: Notice) -> None:
        raise NotifyError("down")

    with Store.open(tmp_path) as store:
        context = NotifyContext(MemoryConfig(default_config()), {})
        bad = FakeNotifier(effect=down)
        Outbox(store, [bad], context).add(old, ["fake"], NOW)
        Outbox(store, [bad], context).deliver(NOW)
        good: Any = FakeNotifier()
        outbox = Outbox(store, [good], context)
        outbox.add(new, [channel], NOW + 1)
        outbox.deliver(NOW + WAITS_S[0] + 1)
        states = {message.state for message in store.messages.latest(9) if message.channel == "fake"}
        assert states == {Delivery.SENT}
    return [told.key for told in good.sent]


@pytest.mark.parametrize("old", [READY, ESCALATED])
@pytest.mark.parametrize("new", [READY, ESCALATED])
def test_an_older_one_is_dropped(tmp_path: Path, old: NoticeEvent, new: NoticeEvent) -> None:
    assert sent(tmp_path, notice("old", old), notice("new", new)) == ["new"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (notice("old", NoticeEvent.FIXED), notice("new", ESCALATED)),
        (notice("old", READY), notice("new", NoticeEvent.FIXED)),
        (notice("old", READY), notice("new", ESCALATED, number=8)),
        (notice("old", READY), notice("new", ESCALATED, repository="octo/other")),
        (notice("old", READY, number=None), notice("new", ESCALATED, number=None)),
    ],
    ids=["old is none", "new is none", "another number", "another repository", "no pull request"],
)
def test_all_else_is_sent(tmp_path: Path, old: Notice, new: Notice) -> None:
    assert sent(tmp_path, old, new) == ["old", "new"]


def test_each_channel_has_its_own(tmp_path: Path) -> None:
    assert sent(tmp_path, notice("old", READY), notice("new", ESCALATED), channel="another") == ["old"]
