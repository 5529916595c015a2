"""Allowed transitions between the states of a session: one table, no I/O."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from selfreview.errors import UsageError
from selfreview.model.session import SessionState as S

TERMINAL = frozenset({S.MERGED, S.CLOSED})
"""States that nothing leads out of."""

AFTER_PUSH = frozenset(
    {S.PR_CREATED, S.AWAITING_PR_FEEDBACK, S.ADDRESSING_FEEDBACK, S.READY_FOR_HUMAN_REVIEW, S.APPROVED}
)
"""States in which there is a pull request, which may be merged or closed at any time."""

_OWN: Mapping[S, frozenset[S]] = {
    S.PENDING_SELF_REVIEW: frozenset({S.SELF_REVIEWING, S.PR_CREATED}),
    S.SELF_REVIEWING: frozenset({S.SELF_REVIEW_PASSED, S.SELF_REVIEW_FAILED, S.PENDING_SELF_REVIEW}),
    S.SELF_REVIEW_PASSED: frozenset({S.PR_CREATED, S.PENDING_SELF_REVIEW, S.READY_FOR_HUMAN_REVIEW}),
    S.SELF_REVIEW_FAILED: frozenset(
        {S.REFINING, S.PR_CREATED, S.PENDING_SELF_REVIEW, S.SELF_REVIEW_PASSED, S.READY_FOR_HUMAN_REVIEW}
    ),
    S.REFINING: frozenset({S.SELF_REVIEWING, S.SELF_REVIEW_FAILED, S.PR_CREATED, S.PENDING_SELF_REVIEW}),
    S.PR_CREATED: frozenset({S.AWAITING_PR_FEEDBACK, S.PENDING_SELF_REVIEW}),
    S.AWAITING_PR_FEEDBACK: frozenset({S.ADDRESSING_FEEDBACK, S.READY_FOR_HUMAN_REVIEW, S.APPROVED}),
    S.ADDRESSING_FEEDBACK: frozenset({S.AWAITING_PR_FEEDBACK, S.READY_FOR_HUMAN_REVIEW}),
    S.READY_FOR_HUMAN_REVIEW: frozenset({S.ADDRESSING_FEEDBACK, S.APPROVED, S.PENDING_SELF_REVIEW}),
    S.APPROVED: frozenset({S.ADDRESSING_FEEDBACK}),
    S.MERGED: frozenset(),
    S.CLOSED: frozenset(),
    # Back to where it failed, or to the beginning by a person's reset.
    S.FAILED: frozenset(S) - TERMINAL - {S.FAILED},
}


def _table() -> Mapping[S, frozenset[S]]:
    table = {}
    for state, own in _OWN.items():
        further = set() if state in TERMINAL else {S.FAILED} if state is not S.FAILED else set()
        table[state] = own | further | (TERMINAL if state in AFTER_PUSH else frozenset())
    return MappingProxyType(table)


MOVES: Mapping[S, frozenset[S]] = _table()
"""States that each state may move to."""


def allowed(old: S, new: S) -> bool:
    """Return whether a session may move from one state to another."""
    return new in MOVES[old]


def check(old: S, new: S) -> None:
    """Refuse a move that is not in the table.

    Raises:
        UsageError: If it is not allowed.
    """
    if not allowed(old, new):
        there = ", ".join(sorted(MOVES[old])) or "nowhere"
        raise UsageError(f"a session in state {old} cannot become {new}", hint=f"from there it can go to: {there}")
