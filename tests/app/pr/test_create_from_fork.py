"""Pull requests from a contributor's clone: the branch is pushed to the fork, the pull request is at the parent."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from tests.forge import Repository
from tests.pullrequest.lab import Lab

pytestmark = pytest.mark.long

FORCE = ("create", "--force", "--reason", "to be seen")


@pytest.fixture
def fork(lab: Lab, tmp_path: Path) -> Repository:
    """A clone whose origin is a fork of ``octo/app``, on the branch ``idea``."""
    path = tmp_path / "fork.git"
    subprocess.run(["git", "clone", "--quiet", "--bare", str(lab.remote), str(path)], check=True)
    made = lab.forge.repository("dev/app", remote=path, parent=lab.repository)
    url = "https://github.com/dev/app.git"
    git = lab.workspace.git
    git("remote", "rename", "origin", "upstream")
    git("remote", "add", "origin", url)
    git("config", f"url.{path}.insteadOf", url)
    git("switch", "--quiet", "--create", "idea")
    lab.workspace.commit("An idea", **{"idea.py": "x = 1\n"})
    return made


@pytest.mark.parametrize(
    "settings",
    [
        (),
        (
            ("branch.idea.remote", "upstream"),
            ("branch.idea.merge", "refs/heads/main"),
            ("remote.pushDefault", "origin"),
        ),
        (("branch.idea.remote", "upstream"), ("branch.idea.pushRemote", "origin")),
    ],
)
@pytest.mark.parametrize("given", [(), ("--remote", "upstream")])
def test_it_is_opened_at_the_parent_and_found_there(
    lab: Lab, fork: Repository, settings: Sequence[tuple[str, str]], given: tuple[str, ...]
) -> None:
    for name, value in settings:
        lab.workspace.git("config", name, value)
    ran = lab.pr(*FORCE, *given)
    assert ran.code == ExitCode.PASSED, ran
    (pull,) = lab.repository.pulls
    assert pull.is_fork
    assert (pull.head, pull.base) == ("idea", "main")
    assert not fork.pulls
    assert "idea" not in lab.repository.heads()
    assert fork.sha("idea") == lab.workspace.git("rev-parse", "HEAD")
    again = lab.pr(*FORCE, *given)
    assert again.code == ExitCode.PASSED, again
    assert len(lab.repository.pulls) == 1
    for command in ("status", "feedback"):
        shown = lab.pr(command, *given)
        assert shown.code == ExitCode.PASSED, shown
        assert f"#{pull.number} {pull.title}" in shown.out


def test_a_fork_whose_parent_is_no_remote_is_not_taken_for_it(lab: Lab, fork: Repository) -> None:
    lab.workspace.git("remote", "remove", "upstream")
    ran = lab.pr(*FORCE)
    assert ran.code == ExitCode.USAGE, ran
    assert "origin (dev/app) is a fork of octo/app, which no remote is" in ran.err
    assert "git remote add upstream" in ran.err
    assert not fork.pulls
    assert "idea" not in fork.heads()


def test_it_is_opened_within_the_fork_where_that_is_named(lab: Lab, fork: Repository) -> None:
    ran = lab.pr(*FORCE, "--remote", "origin")
    assert ran.code == ExitCode.PASSED, ran
    assert len(fork.pulls) == 1
    assert not lab.repository.pulls
    assert lab.pr("status", "--remote", "origin").code == ExitCode.PASSED


def test_a_remote_that_is_named_and_is_no_parent_is_pushed_to(lab: Lab, fork: Repository) -> None:
    fork.parent = None
    ran = lab.pr(*FORCE, "--remote", "upstream")
    assert ran.code == ExitCode.PASSED, ran
    assert [pull.is_fork for pull in lab.repository.pulls] == [False]
    assert not fork.pulls
