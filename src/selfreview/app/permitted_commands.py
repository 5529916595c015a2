"""Commands that each state of a session permits, and the error with a hint for the others."""

from __future__ import annotations

from collections.abc import Mapping

from selfreview.errors import UsageError
from selfreview.model.refinement import Stop
from selfreview.model.session import Session
from selfreview.model.session import SessionState as S
from selfreview.refine.states import AFTER_PUSH, TERMINAL, allowed
from selfreview.text.escape import visible

_PULL_REQUEST = AFTER_PUSH - {S.READY_FOR_HUMAN_REVIEW}
_BROKEN_OFF = frozenset({S.SELF_REVIEWING, S.REFINING, S.FAILED})
"""States in which no run ends: without a holder, the session was interrupted."""

_REFUSALS: Mapping[str, str] = {
    "refine": "there is nothing to refine",
    "retry": "there is nothing to retry",
    "resume": "no run was interrupted",
    "ready": "this branch cannot be marked as ready",
    "reset": "this branch cannot be reset",
    "skip": "there is nothing to skip",
}
_CASES: Mapping[S, str] = {
    S.PENDING_SELF_REVIEW: "nothing was reviewed yet, or not since the reset",
    S.SELF_REVIEWING: "a review was interrupted",
    S.SELF_REVIEW_PASSED: "the last review passed",
    S.SELF_REVIEW_FAILED: "the last review finished, and did not pass",
    S.REFINING: "a refinement was interrupted",
    S.PR_CREATED: "it has a pull request",
    S.AWAITING_PR_FEEDBACK: "its pull request waits for people",
    S.ADDRESSING_FEEDBACK: "feedback on its pull request is being addressed",
    S.READY_FOR_HUMAN_REVIEW: "it is marked as ready for people to review",
    S.APPROVED: "people have approved its pull request",
    S.MERGED: "its pull request is merged",
    S.FAILED: "the last run failed",
    S.CLOSED: "its pull request is closed",
}


def is_permitted(command: str, session: Session) -> bool:
    """Return whether the state of a session permits a command.

    Args:
        command: ``refine``, ``retry``, ``resume``, ``ready``, ``reset`` or ``skip``.
        session: The session, which no run holds.
    """
    state = session.state
    match command:
        case "refine":
            return allowed(state, S.REFINING)
        case "retry":  # the review or the refinement that ended last, or broke off
            ended = state is not S.PENDING_SELF_REVIEW or session.stop is not None or session.patch is not None
            return ended and state not in AFTER_PUSH | TERMINAL
        case "resume":
            interrupted = session.stop is Stop.INTERRUPTED and state not in AFTER_PUSH | TERMINAL
            return state in _BROKEN_OFF or interrupted
        case "ready":
            return allowed(state, S.READY_FOR_HUMAN_REVIEW)
        case "reset":
            asked = session.request is not None and state in AFTER_PUSH
            return asked or state is S.PENDING_SELF_REVIEW or allowed(state, S.PENDING_SELF_REVIEW)
        case _:
            return state not in _PULL_REQUEST | TERMINAL


def demand(command: str, session: Session) -> None:
    """Refuse a command that the state of the session does not permit.

    Args:
        command: As for :func:`is_permitted`.
        session: The session, which no run holds.

    Raises:
        UsageError: If it makes none; it says what is the case and what to do instead.
    """
    if not is_permitted(command, session):
        case = _CASES[session.state]
        if _waits(session):
            case = f"a refinement waits to be applied ({visible(session.patch or '')})"
        raise UsageError(f"{_REFUSALS[command]}: {case}", hint=_hint(command, session))


def _waits(session: Session) -> bool:
    return session.state is S.PENDING_SELF_REVIEW and session.patch is not None


def _hint(command: str, session: Session) -> str:
    state = session.state
    if _waits(session):
        if command == "ready":
            return "selfreview run --no-fix reviews your tree as it is; or first selfreview apply, then selfreview run"
        return "selfreview apply puts it into your tree; selfreview run starts over"
    if state is S.PENDING_SELF_REVIEW:
        return "start with: selfreview run"
    if state in _BROKEN_OFF:
        return "selfreview resume continues; selfreview run starts over"
    if state in TERMINAL:
        return "the next selfreview run starts over"
    if state in AFTER_PUSH:
        return "selfreview run reviews, and changes nothing about that" + reset_advice(state)
    if state is S.SELF_REVIEW_FAILED:
        return "selfreview refine runs the fixers again; selfreview run starts over"
    return "selfreview run reviews again"


def reset_advice(state: S) -> str:
    """Return a suggestion to reset, as the end of a sentence, or nothing where that is impossible."""
    return "; selfreview reset starts over" if allowed(state, S.PENDING_SELF_REVIEW) else ""
