"""A fix that edits an existing test: that part waits for a person, and is never pushed by itself."""

from __future__ import annotations

import re

import pytest

from selfreview.errors import ExitCode
from tests.cli.terminal import on_terminal
from tests.fixers.talks import edit, says
from tests.forge import PullRequest
from tests.pullrequest.lab import APP, Lab
from tests.pullrequest.stories import (
    RENAME,
    RENAMED,
    calls_for_a_person,
    commits,
    configure,
    fix,
    model,
    talk,
)

TEST = "from app import name\n\n\ndef test_name():\n    assert name() == 'app'\n"
NEW_TEST = TEST.replace("'app'", "'the app'")
EDIT_TEST = edit("test_app.py", "'app'", "'the app'")


@pytest.fixture
def pull(lab: Lab) -> PullRequest:
    """A pull request whose branch has a test of what the reviewer wants changed."""
    configure(lab)
    lab.workspace.commit("test", **{"test_app.py": TEST})
    lab.workspace.git("push", "--quiet")
    found = lab.open()
    found.inline(lab.rev, "app.py", 10, "Say it in full.")
    return found


def kept(text: str) -> str:
    """Return the id of the patch that is named as the one that waits."""
    said = (
        "edits of tests that are there wait for a person: test_app.py:5: the test 'test_name' that you have is edited"
    )
    found = re.search(rf"{re.escape(said)} \(selfreview apply (p-[\w-]+)\)", " ".join(text.split()))
    assert found, text
    return found[1]


def test_what_is_free_is_pushed_and_the_edit_of_the_test_is_kept(lab: Lab, pull: PullRequest) -> None:
    with model(lab, talk(deed=says(RENAME, EDIT_TEST))):
        ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert len(commits(lab)) == 1
    assert (lab.file(), lab.file("test_app.py")) == (RENAMED, TEST)
    assert lab.workspace.git("status", "--porcelain") == ""
    applied = lab.workspace.selfreview("apply", kept(ran.out))
    assert applied.code == ExitCode.PASSED, applied
    assert (lab.workspace.root / "test_app.py").read_text() == NEW_TEST


def test_nobody_is_asked_on_a_terminal_and_a_person_is_called_where_nothing_is_free(
    lab: Lab, pull: PullRequest
) -> None:
    script = talk(deed=says(EDIT_TEST))
    with model(lab, [*script, *script[1:]]):
        shown = on_terminal(["pr", "fix", str(pull.number)], lab.workspace.root, b"y\n", **lab.environment)
    assert shown.code == ExitCode.ISSUES, shown.text
    assert "Apply it" not in shown.text
    assert not commits(lab)
    assert (lab.file(), lab.file("test_app.py")) == (APP, TEST)
    assert (lab.workspace.root / "test_app.py").read_text() == TEST
    (call,) = calls_for_a_person(lab, pull)
    assert kept(shown.text) in call
    applied = lab.workspace.selfreview("apply", kept(shown.text))
    assert applied.code == ExitCode.PASSED, applied
    assert (lab.workspace.root / "test_app.py").read_text() == NEW_TEST
