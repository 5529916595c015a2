"""A person's commands in each state of a branch: one table, and every refusal in words that say what to do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from selfreview.app.permitted_commands import demand, is_permitted
from selfreview.cli.main import execute
from selfreview.cli.results.status import session_advice
from selfreview.errors import ExitCode, UsageError
from selfreview.model.event import Event
from selfreview.model.refinement import Stop
from selfreview.model.session import Session
from selfreview.model.session import SessionState as S
from selfreview.refine.recorder import new_session
from selfreview.store import Store
from tests.conftest import Workspace

COMMANDS = ("refine", "retry", "resume", "ready", "reset", "skip")

PERMITTED = {
    # state: what makes sense in it
    S.PENDING_SELF_REVIEW: {"reset", "skip"},
    S.SELF_REVIEWING: {"retry", "resume", "reset", "skip"},
    S.SELF_REVIEW_PASSED: {"retry", "ready", "reset", "skip"},
    S.SELF_REVIEW_FAILED: {"refine", "retry", "ready", "reset", "skip"},
    S.REFINING: {"retry", "resume", "reset", "skip"},
    S.PR_CREATED: {"reset"},
    S.AWAITING_PR_FEEDBACK: {"ready"},
    S.ADDRESSING_FEEDBACK: {"ready"},
    S.READY_FOR_HUMAN_REVIEW: {"reset", "skip"},
    S.APPROVED: set(),
    S.MERGED: set(),
    S.FAILED: {"refine", "retry", "resume", "ready", "reset", "skip"},
    S.CLOSED: set(),
}

REFUSED = [
    ("refine", S.PENDING_SELF_REVIEW, "there is nothing to refine: nothing was reviewed yet, or not since the reset",
     "start with: selfreview run"),
    ("refine", S.SELF_REVIEW_PASSED, "there is nothing to refine: the last review passed",
     "selfreview run reviews again"),
    ("refine", S.REFINING, "there is nothing to refine: a refinement was interrupted",
     "selfreview resume continues; selfreview run starts over"),
    ("retry", S.APPROVED, "there is nothing to retry: people have approved its pull request",
     "selfreview run reviews, and changes nothing about that"),
    ("resume", S.SELF_REVIEW_FAILED, "no run was interrupted: the last review finished, and did not pass",
     "selfreview refine runs the fixers again; selfreview run starts over"),
    ("ready", S.SELF_REVIEWING, "this branch cannot be marked as ready: a review was interrupted",
     "selfreview resume continues; selfreview run starts over"),
    ("ready", S.READY_FOR_HUMAN_REVIEW,
     "this branch cannot be marked as ready: it is marked as ready for people to review",
     "selfreview run reviews, and changes nothing about that; selfreview reset starts over"),
    ("reset", S.AWAITING_PR_FEEDBACK, "this branch cannot be reset: its pull request waits for people",
     "selfreview run reviews, and changes nothing about that"),
    ("skip", S.PR_CREATED, "there is nothing to skip: it has a pull request",
     "selfreview run reviews, and changes nothing about that; selfreview reset starts over"),
    ("reset", S.MERGED, "this branch cannot be reset: its pull request is merged",
     "the next selfreview run starts over"),
]  # fmt: skip


def in_state(state: S, worktree: str = "/w") -> Session:
    session = new_session("work", worktree, 3)
    session.state = state
    return session


@pytest.mark.parametrize("state", S)
def test_what_is_permitted_in_a_state(state: S) -> None:
    assert {command for command in COMMANDS if is_permitted(command, in_state(state))} == PERMITTED[state]


@pytest.mark.parametrize(("command", "state", "message", "hint"), REFUSED)
def test_a_refusal_says_what_is_the_case_and_what_to_do(command: str, state: S, message: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        demand(command, in_state(state))
    assert (caught.value.message, caught.value.hint) == (message, hint)


@pytest.mark.parametrize("state", S)
@pytest.mark.parametrize("command", COMMANDS)
def test_no_refusal_uses_names_of_states_or_advises_what_is_refused(command: str, state: S) -> None:
    session = in_state(state)
    if is_permitted(command, session):
        return
    with pytest.raises(UsageError) as caught:
        demand(command, session)
    assert "_" not in f"{caught.value.message} {caught.value.hint}"
    for advised in re.findall(r"selfreview (\w+)", caught.value.hint or ""):
        assert advised == "run" or is_permitted(advised, session)


@pytest.mark.parametrize("state", S)
def test_status_advises_only_what_is_permitted(state: S) -> None:
    text = session_advice(in_state(state), passed=False, holds=True) or ""
    for advised in re.findall(r"selfreview (\w+)", text):
        assert is_permitted(advised, in_state(state))


def test_a_refinement_that_waits_is_named_with_both_ways() -> None:
    session = in_state(S.PENDING_SELF_REVIEW)
    session.patch = "p-1"
    for command, hint in (
        ("refine", "selfreview apply puts it into your tree; selfreview run starts over"),
        ("ready", "selfreview run --no-fix reviews your tree as it is; or first selfreview apply, then selfreview run"),
    ):
        with pytest.raises(UsageError, match=r"a refinement waits to be applied \(p-1\)") as caught:
            demand(command, session)
        assert caught.value.hint == hint
    assert is_permitted("retry", session)


def test_what_was_interrupted_can_be_gone_on_with_but_not_once_people_took_over() -> None:
    session = in_state(S.PENDING_SELF_REVIEW)
    session.stop = Stop.INTERRUPTED
    assert is_permitted("resume", session)
    assert is_permitted("retry", session)
    session.state = S.READY_FOR_HUMAN_REVIEW
    assert not is_permitted("resume", session)


# --- the commands themselves, on a branch in each state -----------------------------------------------------------

AFTER = {"ready": S.READY_FOR_HUMAN_REVIEW, "reset": S.PENDING_SELF_REVIEW, "skip": None}


@pytest.mark.parametrize("command", AFTER)
def test_the_commands_hold_to_the_table(
    command: str, workspace: Workspace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace.root)
    folder = workspace.root / ".git" / "selfreview"
    folder.mkdir(exist_ok=True)
    branch = workspace.git("branch", "--show-current")
    for state in S:
        session = in_state(state, str(workspace.root))
        session.branch = branch
        _save(folder, session)
        code = execute([command, "--reason", "release"])
        said = capsys.readouterr()
        with Store.open(folder) as store:
            found = store.session(str(workspace.root), branch)
        assert found is not None
        if command in PERMITTED[state]:
            assert (state, code, found.state) == (state, ExitCode.PASSED, AFTER[command] or state)
            assert [decision.action for decision in found.decisions] == [command]
        elif command == "skip" and state in (S.MERGED, S.CLOSED):  # that session is over: another begins
            assert (code, found.state, found.id == session.id) == (ExitCode.PASSED, S.PENDING_SELF_REVIEW, False)
        else:
            assert (state, code) == (state, ExitCode.USAGE)
            assert said.err.count("error: ") == said.err.count("hint: ") == 1
            assert (found.state, found.decisions) == (state, [])


def _save(folder: Path, session: Session) -> None:
    with Store.open(folder) as store:
        store.save_session(session, Event(kind="session.made", at=session.updated, session=session.id))
