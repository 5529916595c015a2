"""How cycles end that something kept from going on."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from selfreview.errors import NotFreeError
from selfreview.model.cycle import Analysis, Overall
from selfreview.pullrequest.answered_state import Standing
from selfreview.pullrequest.cycle import Answering
from selfreview.pullrequest.ending import Endings
from selfreview.pullrequest.git.trailers import FixCommit
from selfreview.pullrequest.ports import Outcome, Rules
from tests.pullrequest.said import feedback, item, policy


class Journal:
    """Remembers how often nothing could be done, and what was told."""

    again = False

    def __init__(self) -> None:
        self.waits = 0
        self.told: list[Any] = []

    def waited(self) -> int:
        self.waits += 1
        return self.waits

    def note(self, text: str) -> None:
        """Forget it."""

    def tell(self, notice: Any) -> None:
        self.told.append(notice)

    def now(self) -> str:
        return "2026-01-01T00:00:00Z"


def test_a_quota_that_stays_used_up_is_told_people_here() -> None:
    journal, said = Journal(), feedback(item("Rename it."))
    parts: Any = SimpleNamespace(
        journal=journal,
        rules=SimpleNamespace(waits=3),
        policy=policy(),
        connection=SimpleNamespace(location=SimpleNamespace(host="github.com", path="octo/app")),
    )
    commit = FixCommit("a" * 40, 1, ())
    endings = Endings(parts, said, Standing.read(said, (), policy()), None, pushed=commit)
    for number in range(1, 5):
        ended = endings.limited("usage limit reached", 600, [said.items[0].key])
        assert (ended.outcome, ended.wait_s, ended.commit, ended.called) == (Outcome.WAITING, 600, commit, False)
        assert ended.why == ("a quota is used up: usage limit reached",)
        assert len(journal.told) == max(0, number - 2)
    assert journal.told[0].number is None  # no comment is made of it
    assert journal.told[0].key == journal.told[1].key


def test_what_waits_is_blocked_and_what_is_not_asked_for_is_not() -> None:
    said = feedback(item("Rename it."))
    journal = Journal()
    parts: Any = SimpleNamespace(journal=journal, rules=Rules(), policy=policy())
    standing = Standing.read(said, (), policy())
    for overall, waits in (
        (Overall.READY_TO_FIX, Overall.BLOCKED),
        (Overall.NEEDS_HUMAN_INPUT, Overall.BLOCKED),
        (Overall.NOTHING_TO_DO, Overall.NOTHING_TO_DO),
    ):
        endings = Endings(parts, said, standing, Analysis(number=5, overall=overall))
        for outcome, told in ((Outcome.WAITING, waits), (Outcome.ESCALATED, overall)):
            ended = endings.end(outcome)
            assert ended.analysis is not None
            assert ended.analysis.overall is told


@pytest.mark.parametrize("step", ["branch", "landing"])
def test_what_keeps_a_branch_from_being_looked_at_is_waited_for(step: str) -> None:
    def refuse(*_: object) -> None:
        raise NotFreeError("somebody is at work here")

    journal, said = Journal(), feedback()
    workshop = SimpleNamespace(
        begin=lambda _: None,
        branch=lambda _: None,
        why_off=lambda _: None,
        landing=None,
        analyse=lambda *_: Analysis(number=5),
    )
    setattr(workshop, step, refuse)
    parts: Any = SimpleNamespace(
        journal=journal, rules=Rules(), policy=policy(), connection=SimpleNamespace(), workshop=workshop
    )
    ended = Answering(parts, said).run()
    assert (ended.outcome, ended.why) == (Outcome.WAITING, ("somebody is at work here",))
    assert journal.waits == 1
