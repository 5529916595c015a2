"""What is told of a review on this machine, and when."""

from __future__ import annotations

from typing import Any

import pytest

from selfreview.model.notice import NoticeEvent
from selfreview.model.session import Decision, SessionState
from selfreview.pullrequest import notify
from selfreview.pullrequest.notifiers.forge import mark_of
from selfreview.refine.recorder import new_session
from selfreview.testing.context import MemoryConfig
from selfreview.testing.notifying import notice

READY = Decision(action="ready", who="dev", at="2026-01-01T00:00:00Z", reason="", fingerprint=None)


@pytest.mark.parametrize(
    ("state", "told"),
    [(SessionState.READY_FOR_HUMAN_REVIEW, []), (SessionState.SELF_REVIEW_FAILED, ["it goes in circles"])],
)
def test_what_a_person_once_called_ready_is_not_told_again_for_what_comes_later(
    monkeypatch: pytest.MonkeyPatch, state: SessionState, told: list[str]
) -> None:
    said: list[Any] = []
    monkeypatch.setattr(notify, "_put_in", lambda one, *_: said.append((one.event, one.text.split("\n")[0])))
    session = new_session("topic", "/x", 3)
    session.decisions, session.state = [READY], state
    config = MemoryConfig({"notification_channels": ["slack"]})
    notify.selfreview_ready_for_human(session=session, summary="it goes in circles", config=config)
    assert said == [(NoticeEvent.ESCALATED, why) for why in told]
    notify.selfreview_ready_for_human(session=session, summary="x", config=MemoryConfig({"notification_channels": []}))
    assert len(said) == len(told)


def test_every_notice_on_a_pull_request_is_a_comment_of_its_own() -> None:
    ready = [notice(event=NoticeEvent.READY, key=key) for key in ("ready:1", "ready:2", "ready:1")]
    marks = [mark_of(one) for one in ready]
    assert marks[0] == marks[2] != marks[1]
