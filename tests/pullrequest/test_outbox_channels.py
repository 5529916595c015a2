from __future__ import annotations

from typing import Any

import pytest

from selfreview.api import NoticeEvent
from selfreview.pullrequest.outbox import channels_for, matches
from selfreview.testing.context import MemoryConfig, default_config
from selfreview.testing.notifying import FakeNotifier, notice


def config(**more: Any) -> MemoryConfig:
    plugins = [FakeNotifier("one"), FakeNotifier("two")]
    values = {name.replace("__", "."): value for name, value in more.items()}
    return MemoryConfig({**default_config(*plugins), "notification_channels": ["one", "two"], **values})


def test_nobody_is_told_where_no_channel_is_named() -> None:
    assert channels_for(notice(), MemoryConfig(default_config())) == []


@pytest.mark.parametrize("event", NoticeEvent)
def test_all_but_fixes_are_told_by_default(event: NoticeEvent) -> None:
    assert channels_for(notice(event=event), config()) == ([] if event is NoticeEvent.FIXED else ["one", "two"])


def test_each_channel_has_its_own_events() -> None:
    given = config(notify__one__events=["fixed"], notify__two__events=[])
    assert channels_for(notice(event=NoticeEvent.FIXED), given) == ["one"]
    assert channels_for(notice(event=NoticeEvent.ERROR), given) == []


def test_a_channel_whose_plugin_declares_nothing_is_told_of_all_but_fixes() -> None:
    given = config(notification_channels=["other"])
    assert channels_for(notice(), given) == ["other"]
    assert channels_for(notice(event=NoticeEvent.FIXED), given) == []


def test_that_people_can_take_over_is_told_unless_that_is_off() -> None:
    given = config(notify_on_ready=False)
    assert channels_for(notice(), given) == []
    assert channels_for(notice(event=NoticeEvent.ESCALATED), given) == ["one", "two"]


def test_each_channel_has_its_own_branches() -> None:
    given = config(notify__one__branches=["release/*"], notify__two__branches=["!release/*"])
    assert channels_for(notice(branch="release/1.2"), given) == ["one"]
    assert channels_for(notice(branch="work"), given) == ["two"]


@pytest.mark.parametrize(
    ("patterns", "branch", "told"),
    [
        ([], "work", True),
        ([], "", True),
        (["main"], "main", True),
        (["main"], "main2", False),
        (["feature/*"], "feature/a/b", True),
        (["Feature/*"], "feature/a", False),
        (["!wip/*"], "wip/a", False),
        (["!wip/*"], "work", True),
        (["*", "!wip/*"], "wip/a", False),
        (["!wip/*", "*"], "wip/a", False),
        (["main", "dev"], "dev", True),
    ],
)
def test_patterns(patterns: list[str], branch: str, told: bool) -> None:
    assert matches(branch, patterns) is told
