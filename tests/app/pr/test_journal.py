"""The way of a session through its states: the shortest that the table allows, and never over an end."""

from __future__ import annotations

from typing import Any, cast

import pytest

from selfreview.api import SessionState
from selfreview.app.pr.journal import go
from selfreview.model.session import SessionState as S
from selfreview.refine.recorder import Recorder, new_session
from selfreview.refine.states import MOVES, TERMINAL


class Moves:
    """Moves a session as a recorder does, and nothing else."""

    def __init__(self, state: SessionState) -> None:
        self.session = new_session("topic", "", 3)
        self.session.state = state
        self.steps: list[SessionState] = []

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


def test_states_that_are_not_named_are_left_alone() -> None:
    assert not went(S.APPROVED, S.AWAITING_PR_FEEDBACK, only_from=frozenset({S.PR_CREATED}))
