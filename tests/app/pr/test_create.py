"""A program opens a pull request for what a review passed."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfreview.app.pr.create import create_request
from selfreview.app.pr.request import NewRequest
from selfreview.app.request import RunRequest
from selfreview.app.run import review_change
from selfreview.app.session import hold_session
from selfreview.app.ui import SilentUi
from selfreview.errors import OccupiedError, UsageError
from selfreview.git.repo import discover
from tests.pullrequest.lab import Lab


def test_what_passed_is_opened_once(connected: Lab) -> None:
    connected.workspace.commit("Greet", **{"greet.py": 'def greet():\n    return "hello"\n'})
    folder = connected.workspace.root
    with pytest.raises(UsageError, match="this branch was not reviewed"):
        create_request(NewRequest(folder=folder))
    assert review_change(RunRequest(folder=folder)).passed
    created = create_request(NewRequest(folder=folder, title="Say hello"))
    (pull,) = connected.repository.pulls
    assert (created.made, created.why, created.request.number) == (True, "", pull.number)
    assert (pull.title, pull.head, pull.draft) == ("Say hello", "topic", False)
    assert connected.head() == connected.workspace.git("rev-parse", "HEAD")
    ui = SilentUi()
    again = create_request(NewRequest(folder=folder, title="Greet"), ui=ui)
    assert (again.made, again.request.number, len(connected.repository.pulls)) == (False, pull.number, 1)
    assert [note for note in ui.notes if note.startswith("warning: --title counts only")]


def test_force_needs_a_reason(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--force needs a reason"):
        NewRequest(folder=tmp_path, force=True, reason=" ")


def test_a_run_in_the_working_tree_is_waited_for(connected: Lab) -> None:
    asked = NewRequest(folder=connected.workspace.root, force=True, reason="a spike")
    with hold_session(discover(connected.workspace.root, {})), pytest.raises(OccupiedError):
        create_request(asked)
    assert not connected.repository.pulls
    assert create_request(asked).made
