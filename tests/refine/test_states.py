"""The table of moves: every state can be reached and left, and nothing else is possible."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview.errors import UsageError
from selfreview.model.session import SessionState as S
from selfreview.refine.states import AFTER_PUSH, MOVES, TERMINAL, allowed, check

states = st.sampled_from(list(S))


def reachable(start: S) -> set[S]:
    found, new = {start}, [start]
    while new:
        for state in MOVES[new.pop()] - found:
            found.add(state)
            new.append(state)
    return found


def test_the_table_knows_every_state() -> None:
    assert set(MOVES) == set(S)


def test_every_state_is_reached_from_the_beginning() -> None:
    assert reachable(S.PENDING_SELF_REVIEW) == set(S)


@given(states)
def test_a_state_is_final_or_leads_to_an_end_and_back_to_the_beginning(state: S) -> None:
    if state in TERMINAL:
        assert not MOVES[state]
    else:
        assert reachable(state) >= TERMINAL
        assert S.FAILED in MOVES[state] or state is S.FAILED
        assert S.PENDING_SELF_REVIEW in reachable(state)


@given(states, states)
def test_what_is_not_in_the_table_is_refused(old: S, new: S) -> None:
    if allowed(old, new):
        check(old, new)
    else:
        with pytest.raises(UsageError, match=f"state {old} cannot become {new}"):
            check(old, new)


@given(states)
def test_no_state_moves_to_itself(state: S) -> None:
    assert not allowed(state, state)


def test_only_what_was_pushed_is_merged_or_closed() -> None:
    for state in set(S) - TERMINAL - {S.FAILED}:
        assert (MOVES[state] >= TERMINAL) == (state in AFTER_PUSH)


def test_a_refinement_is_always_reviewed() -> None:
    """Nothing passes out of ``refining`` but through a review."""
    assert S.SELF_REVIEW_PASSED not in MOVES[S.REFINING]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (S.PENDING_SELF_REVIEW, S.SELF_REVIEWING),
        (S.SELF_REVIEWING, S.SELF_REVIEW_PASSED),
        (S.SELF_REVIEWING, S.SELF_REVIEW_FAILED),
        (S.SELF_REVIEW_FAILED, S.REFINING),
        (S.REFINING, S.SELF_REVIEWING),
        (S.REFINING, S.PR_CREATED),
        (S.SELF_REVIEW_PASSED, S.PR_CREATED),
        (S.PR_CREATED, S.AWAITING_PR_FEEDBACK),
        (S.AWAITING_PR_FEEDBACK, S.ADDRESSING_FEEDBACK),
        (S.ADDRESSING_FEEDBACK, S.READY_FOR_HUMAN_REVIEW),
        (S.READY_FOR_HUMAN_REVIEW, S.APPROVED),
        (S.APPROVED, S.MERGED),
    ],
)
def test_the_documented_way(old: S, new: S) -> None:
    assert allowed(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (S.PENDING_SELF_REVIEW, S.SELF_REVIEW_PASSED),
        (S.PENDING_SELF_REVIEW, S.MERGED),
        (S.SELF_REVIEW_FAILED, S.MERGED),
        (S.MERGED, S.PENDING_SELF_REVIEW),
        (S.CLOSED, S.FAILED),
    ],
)
def test_no_short_cut(old: S, new: S) -> None:
    assert not allowed(old, new)
