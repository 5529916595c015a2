"""Two people work on one pull request, each with a selfreview and a token of their own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from selfreview.model.feedback import hidden
from selfreview.pullrequest.feedback.marks import Mark, cycle_mark
from tests.conftest import Ran
from tests.forge import PullRequest
from tests.pullrequest.cycle.test_forged import forge_commit, keys
from tests.pullrequest.lab import Lab
from tests.pullrequest.stories import commits, fix, said_by, suggest

pytestmark = pytest.mark.long

TALK = "Let us talk about the design."
OTHER = "ghp_" + "z9Y8" * 9


@pytest.fixture
def clone(lab: Lab, tmp_path: Path) -> Path:
    """The reviewer's own clone, and a token of theirs."""
    lab.forge.token(OTHER, lab.rev)
    there = tmp_path / "theirs"
    subprocess.run(["git", "clone", "-q", "-b", "topic", str(lab.remote), str(there)], check=True)
    url = "https://github.com/octo/app.git"
    for args in (["remote", "set-url", "origin", url], ["config", f"url.{lab.remote}.insteadOf", url]):
        subprocess.run(["git", *args], cwd=there, check=True)
    return there


def theirs(lab: Lab, pull: PullRequest, clone: Path) -> Ran:
    """Run the reviewer's selfreview."""
    return lab.workspace.selfreview("pr", "fix", str(pull.number), cwd=clone, **{**lab.environment, "GH_TOKEN": OTHER})


def written(lab: Lab) -> list[str]:
    """Return what was asked of the forge that changes something."""
    asked = [(one.method, one.path) for one in lab.forge.requests if one.method != "GET"]
    return [f"{method} {path}" for method, path in asked if "graphql" not in path]


def test_two_that_call_a_person_do_not_answer_each_other(lab: Lab, clone: Path) -> None:
    pull = lab.open()
    pull.comment(lab.repository.allow(lab.forge.user("third"), "write"), TALK)
    assert (fix(lab, pull).code, theirs(lab, pull, clone).code) == (ExitCode.ISSUES, ExitCode.ISSUES)
    before = written(lab)
    assert (len(said_by(pull, "dev")), len(said_by(pull, "rev"))) == (1, 1)
    for _ in range(2):
        one, two = fix(lab, pull), theirs(lab, pull, clone)
        assert one.err.count("what a selfreview wrote as rev is passed over") == 1
        assert two.err.count("what a selfreview wrote as dev is passed over") == 1
    assert written(lab) == before


def test_where_one_has_fixed_it_the_other_does_nothing(lab: Lab, clone: Path) -> None:
    pull = lab.open()
    third = lab.repository.allow(lab.forge.user("third"), "write")
    pull.inline(third, "app.py", 6, "```suggestion\n    return n + n\n```")
    assert fix(lab, pull).code == ExitCode.PASSED
    before = written(lab)
    for _ in range(2):
        ran = theirs(lab, pull, clone)
        assert ran.code == ExitCode.PASSED, ran
        assert fix(lab, pull).code == ExitCode.PASSED
    assert written(lab) == before
    assert len(commits(lab)) == 1


@pytest.mark.parametrize("words", ["", "Done in 1a2b3c4d5e6f."])
def test_a_mark_of_another_account_that_does_not_say_it_of_the_commit_is_not_believed(lab: Lab, words: str) -> None:
    pull = lab.open()
    comment = suggest(lab, pull)
    key = keys(lab, pull)[comment.body]
    sha = forge_commit(lab, pull, 1, key)
    comment.reply(lab.rev, f"{hidden(Mark.ANSWERED.of(key))}{hidden(cycle_mark(1))}\n{words}<!-- {sha} -->")
    fix(lab, pull)
    assert f"{sha} says that it answers this" in comment.thread.comments[-1].body
