"""Working trees that were made for pull requests are removed when those are over, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from tests.forge import PullRequest
from tests.pullrequest.lab import Lab
from tests.pullrequest.stories import commits, fix, suggest
from tests.pullrequest.watching.scene import AUTO, named, told

pytestmark = pytest.mark.long

MAKE = ("-o", "feedback.recreate_worktree=true")


def trees(lab: Lab) -> list[Path]:
    """Return the working trees besides the person's."""
    said = lab.workspace.git("worktree", "list", "--porcelain").splitlines()
    found = [Path(line.removeprefix("worktree ")) for line in said if line.startswith("worktree ")]
    return [path for path in found if path.resolve() != lab.workspace.root.resolve()]


@pytest.fixture
def pull(lab: Lab) -> PullRequest:
    """A pull request that was answered in a working tree of its own."""
    lab.workspace.git("checkout", "--quiet", "main")
    pull = lab.open()
    suggest(lab, pull)
    fix(lab, pull, *MAKE)
    assert len(commits(lab)) == len(trees(lab)) == 1
    return pull


@pytest.mark.parametrize("end", ["merge", "close"])
def test_one_that_is_over_needs_none(lab: Lab, pull: PullRequest, end: str) -> None:
    (tree,) = trees(lab)
    fix(lab, pull)
    assert trees(lab) == [tree]  # it is open still
    head = lab.head()
    getattr(pull, end)()
    ran = fix(lab, pull)
    assert (ran.code, trees(lab), tree.exists()) == (ExitCode.PASSED, [], False)
    assert f"note: the working tree {tree} was removed: it is {end}d" in ran.err
    assert lab.workspace.git("rev-parse", "topic").strip() == head  # the branch stays


def test_one_that_somebody_works_in_stays(lab: Lab, pull: PullRequest) -> None:
    (tree,) = trees(lab)
    (tree / "mine.py").write_text("mine = 1\n")
    pull.merge()
    ran = fix(lab, pull)
    assert (trees(lab), (tree / "mine.py").read_text()) == ([tree], "mine = 1\n")
    assert "is not needed any more and stays" in ran.err


def test_one_that_a_person_made_stays(lab: Lab, pull: PullRequest, tmp_path: Path) -> None:
    (tree,) = trees(lab)
    lab.workspace.git("worktree", "move", str(tree), str(tmp_path / "theirs"))
    pull.merge()
    ran = fix(lab, pull)
    assert trees(lab) == [tmp_path / "theirs"]
    assert "working tree" not in ran.err


def test_one_that_another_pull_request_needs_stays(lab: Lab, pull: PullRequest) -> None:
    lab.workspace.git("push", "--quiet", "origin", "main:other")
    lab.repository.pull("topic", author=lab.dev, base="other")
    pull.close()
    fix(lab, pull)
    assert len(trees(lab)) == 1


def test_the_end_of_a_forks_pull_request_says_nothing_of_a_branch_here(lab: Lab, pull: PullRequest) -> None:
    guest = lab.forge.user("guest")
    fork = lab.forge.repository("guest/app", remote=lab.remote, parent=lab.repository)
    theirs = lab.repository.pull("topic", author=guest, fork=fork)
    for over in (pull, theirs):
        over.close()
    assert "it is closed" in (ran := fix(lab, theirs)).out + ran.err
    assert len(trees(lab)) == 1
    fix(lab, pull)
    assert trees(lab) == []


def test_a_watcher_removes_them(lab: Lab, pull: PullRequest) -> None:
    (tree,) = trees(lab)
    assert named(told(lab.pr("watch", "--once", *AUTO)), "tree_removed") == []
    pull.merge()
    ran = lab.pr("watch", "--once", *AUTO)
    assert [event["path"] for event in named(told(ran), "tree_removed")] == [str(tree)]
    assert trees(lab) == []


def test_a_watcher_tells_which_stay(lab: Lab, pull: PullRequest) -> None:
    (tree,) = trees(lab)
    (tree / "app.py").write_text("mine = 1\n")
    pull.merge()
    ran = lab.pr("watch", "--once", *AUTO)
    assert [event["branch"] for event in named(told(ran), "tree_stays")] == ["topic"]
    assert trees(lab) == [tree]
