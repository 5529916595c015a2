"""A pull request that merges the repository's default branch into another: a fix there would be merged already."""

from __future__ import annotations

import pytest

from selfreview.errors import ExitCode
from tests.forge import PullRequest
from tests.pullrequest.lab import APP, Lab
from tests.pullrequest.stories import SUGGESTED, calls_for_a_person, fix, suggest
from tests.pullrequest.watching.scene import AUTO

pytestmark = pytest.mark.long

ALLOWED = "feedback.fix_default_branch=true"
NO = "main is the repository's default branch, where nothing is pushed by selfreview"


@pytest.fixture
def pull(lab: Lab) -> PullRequest:
    """A pull request of ``main`` for ``production``, with a suggestion; ``main`` is checked out."""
    git = lab.workspace.git
    git("push", "--quiet", "origin", "main:refs/heads/production")
    git("checkout", "--quiet", "main")
    lab.workspace.commit("more", **{"app.py": APP})
    git("push", "--quiet", "origin", "main")
    pull = lab.repository.pull("main", author=lab.dev, base="production")
    suggest(lab, pull)
    return pull


def test_nothing_is_pushed_to_the_default_branch_and_a_person_is_called_once(lab: Lab, pull: PullRequest) -> None:
    before = lab.head("main")
    lab.pr("watch", "--once", *AUTO)
    (call,) = calls_for_a_person(lab, pull)
    assert NO in call
    ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert len(calls_for_a_person(lab, pull)) == 1
    assert (lab.head("main"), lab.workspace.git("rev-parse", "HEAD")) == (before, before)


def test_the_key_is_named_that_allows_it(lab: Lab, pull: PullRequest) -> None:
    ran = fix(lab, pull)
    assert (ran.code, NO in ran.out) == (ExitCode.ISSUES, True), ran
    assert "feedback.fix_default_branch" in ran.err
    assert "feedback.fix_default_branch" not in calls_for_a_person(lab, pull)[0]


def test_it_is_fixed_where_that_is_allowed(lab: Lab, pull: PullRequest) -> None:
    ran = fix(lab, pull, "-o", ALLOWED)
    assert ran.code == ExitCode.PASSED, ran
    assert lab.file(branch="main") == SUGGESTED


def test_a_base_that_nobody_agreed_to_does_not_allow_it(lab: Lab, pull: PullRequest) -> None:
    git = lab.workspace.git
    git("checkout", "--quiet", "-b", "odd", "main^")
    lab.workspace.commit("settings", **{"selfreview.toml": "[feedback]\nfix_default_branch = true\n"})
    git("push", "--quiet", "origin", "odd")
    git("checkout", "--quiet", "main")
    pull.close()
    theirs = lab.repository.pull("main", author=lab.rev, base="odd")
    suggest(lab, theirs)
    before = lab.head("main")
    ran = fix(lab, theirs)
    assert (ran.code, lab.head("main")) == (ExitCode.ISSUES, before), ran
    assert "not trusted" in ran.err


def test_another_default_branch_makes_main_one_like_others(lab: Lab, pull: PullRequest) -> None:
    lab.repository.default_branch = "production"
    assert fix(lab, pull).code == ExitCode.PASSED
    assert lab.file(branch="main") == SUGGESTED
