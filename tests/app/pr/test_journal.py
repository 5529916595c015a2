"""The way of a session through its states: the shortest that the table allows, and never over an end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import msgspec
import pytest

from selfreview.api import SessionState
from selfreview.app.pr.journal import SessionJournal, go
from selfreview.model.session import SessionState as S
from selfreview.pullrequest.git.trailers import FixCommit
from selfreview.pullrequest.ports import Ended, Outcome
from selfreview.refine.recorder import Recorder, new_session
from selfreview.refine.states import MOVES, TERMINAL
from tests.pullrequest.said import feedback


class Moves:
    """Moves a session as a recorder does, and nothing else."""

    def __init__(self, state: SessionState) -> None:
        self.session = new_session("topic", "", 3)
        self.session.state = state
        self.steps: list[SessionState] = []

    def note(self, _event: object) -> None:
        """Tell nobody."""

    def move(self, new: SessionState, **_: Any) -> None:
        """Go to another state."""
        assert new in MOVES[self.session.state]
        self.session.state = new
        self.steps.append(new)


def went(start: SessionState, target: SessionState, **more: Any) -> list[SessionState]:
    moves = Moves(start)
    go(cast(Recorder, moves), target, **more)
    return moves.steps


@pytest.mark.parametrize("target", SessionState)
@pytest.mark.parametrize("start", SessionState)
def test_it_goes_there_by_allowed_moves_or_stays(start: SessionState, target: SessionState) -> None:
    steps = went(start, target)
    assert not steps or steps[-1] is target
    assert not set(steps[:-1]) & (TERMINAL | {S.FAILED})
    assert len(steps) == len(set(steps))
    if start in TERMINAL or start is target:
        assert not steps
    elif target in MOVES[start]:
        assert steps == [target]


@pytest.mark.parametrize("start", [S.PENDING_SELF_REVIEW, S.SELF_REVIEW_FAILED, S.SELF_REVIEW_PASSED, S.PR_CREATED])
def test_feedback_can_arrive_in_any_state_before(start: SessionState) -> None:
    steps = went(start, S.AWAITING_PR_FEEDBACK)
    assert steps[-1] is S.AWAITING_PR_FEEDBACK
    assert S.READY_FOR_HUMAN_REVIEW not in steps  # nobody was called
    assert S.ADDRESSING_FEEDBACK in MOVES[steps[-1]]


REQUEST = feedback().request


@pytest.mark.parametrize(
    "answered",
    [
        lambda journal: journal.pushed(FixCommit("a" * 40, 1, ("f1",))),
        lambda journal: journal.ended(Ended(outcome=Outcome.ESCALATED, request=REQUEST), {}),
        lambda journal: journal.found(msgspec.structs.replace(REQUEST, number=6)),
    ],
    ids=["pushed", "ended", "another pull request"],
)
def test_what_a_reset_asked_for_is_over_with_its_answer(answered: Callable[[SessionJournal], None]) -> None:
    moves = Moves(S.AWAITING_PR_FEEDBACK)
    journal = SessionJournal(cast(Recorder, moves), cast("Any", None), "github", cast("Any", None))
    journal.found(REQUEST)
    moves.session.request_reset = True
    journal.found(REQUEST)
    assert journal.again
    answered(journal)
    assert not journal.again


def test_states_that_are_not_named_are_left_alone() -> None:
    assert not went(S.APPROVED, S.AWAITING_PR_FEEDBACK, only_from=frozenset({S.PR_CREATED}))
