"""The base of a gate: the one that is named, or that the CI system names, and no other."""

from __future__ import annotations

import dataclasses
import os
from typing import Any

import pytest

from selfreview.app.gate.base import Head, Trusted, trusted_base
from selfreview.ci import CiChange
from selfreview.errors import ScopeError, UsageError
from selfreview.git.repo import Repo, discover
from selfreview.testing.workspace import Workspace


@pytest.fixture
def repo(workspace: Workspace) -> Repo:
    """``main`` moved on after ``work`` left it; ``merge`` is what a CI system makes of both."""
    workspace.commit(**{"work.txt": "1\n"})
    workspace.git("tag", "head")
    workspace.git("checkout", "--quiet", "main")
    workspace.git("tag", "left")
    workspace.commit(**{"main.txt": "1\n"})
    workspace.git("checkout", "--quiet", "-b", "merge")
    workspace.git("merge", "--quiet", "--no-ff", "-m", "merge", "work")
    return discover(workspace.root, os.environ)


def commit(repo: Repo, name: str) -> str:
    found = repo.git.line(["rev-parse", name])
    assert found
    return found


def head_of(repo: Repo, name: str) -> Head:
    return Head(name, repo.git.line(["rev-parse", "--verify", "--quiet", name]))


def ci(*bases: str, **more: Any) -> CiChange:
    return CiChange(system="GitHub Actions", bases=bases, **more)


@pytest.mark.parametrize("fork", [True, False, None])
def test_what_is_named_goes_before_what_the_system_says(repo: Repo, fork: bool | None) -> None:
    found = trusted_base(repo, "left", head_of(repo, "work"), ci("main", fork=fork))
    assert found[:3] == (commit(repo, "left"), "left", fork)
    assert found.meaning is not None
    assert found.meaning.name == "refs/tags/left"
    assert trusted_base(repo, "left", head_of(repo, "work"), None) == found._replace(fork=None)


def test_what_is_named_must_be_there(repo: Repo) -> None:
    with pytest.raises(ScopeError, match=r"^the base 'nowhere' names no commit"):
        trusted_base(repo, "nowhere", head_of(repo, "work"), ci("main"))


def test_nothing_is_guessed(repo: Repo) -> None:
    with pytest.raises(UsageError, match="the base to compare with is not known") as error:
        trusted_base(repo, None, head_of(repo, "work"), None)
    assert error.value.hint is not None
    assert error.value.hint.startswith("give --base REF, or set SELFREVIEW_CI_BASE;")
    with pytest.raises(UsageError, match=r"^GitHub Actions names no base for this run$") as error:
        trusted_base(repo, None, head_of(repo, "work"), ci())
    assert error.value.hint is not None
    assert error.value.hint.endswith("name the base with --base REF")
    with pytest.raises(UsageError, match=r"no base for this run \(schedule\)$"):
        trusted_base(repo, None, head_of(repo, "work"), dataclasses.replace(ci(), kind="schedule"))


def test_the_first_base_that_is_there_counts(repo: Repo) -> None:
    found = trusted_base(repo, None, head_of(repo, "work"), ci("nowhere", "left", "main", fork=True))
    assert found == Trusted(commit(repo, "left"), "left", True)
    assert trusted_base(repo, None, head_of(repo, "work"), ci("left", target="main")).name == "main"


@pytest.mark.parametrize(
    ("system", "hint"),
    [
        ("GitHub Actions", "check out with fetch-depth: 0"),
        ("GitLab CI", "set GIT_DEPTH: 0"),
        ("another", "fetch it before the gate runs"),
    ],
)
def test_a_clone_that_is_too_shallow_is_told_what_to_do(repo: Repo, system: str, hint: str) -> None:
    with pytest.raises(ScopeError, match=rf"^the base that {system} names is not in this clone: gone$") as error:
        trusted_base(repo, None, head_of(repo, "work"), CiChange(system=system, bases=("gone", "too")))
    assert error.value.hint == hint


def test_of_the_systems_own_merge_the_first_parent_counts(repo: Repo) -> None:
    """Which may be later than the base that the event names."""
    head, tip = commit(repo, "head"), commit(repo, "main")
    found = trusted_base(repo, None, head_of(repo, "merge"), ci(tip, merged=head, fork=False))
    assert found == Trusted(tip, tip, False)
    repo.git.run(["update-ref", "refs/remotes/origin/main", tip])
    assert trusted_base(repo, None, head_of(repo, "merge"), ci("left", merged=head, target="main")).name == "main"


def test_a_merge_into_what_the_author_may_have_made_is_refused(workspace: Workspace, repo: Repo) -> None:
    """Only the target branch, or the event's base, can be the first parent of the system's own merge."""
    head = commit(repo, "head")
    workspace.git("update-ref", "refs/remotes/origin/main", "left")
    for target in ("main", None):
        with pytest.raises(ScopeError, match=f"not known to be of {target or 'the target branch'}") as error:
            trusted_base(repo, None, head_of(repo, "merge"), ci("left", merged=head, target=target))
        assert error.value.hint == "check out with fetch-depth: 0"


def test_where_the_head_itself_is_checked_out_the_base_of_the_event_counts(repo: Repo) -> None:
    found = trusted_base(repo, None, head_of(repo, "work"), ci("left", merged=commit(repo, "head")))
    assert found.commit == commit(repo, "left")


def test_a_merge_of_the_change_itself_is_not_taken_for_the_systems(workspace: Workspace, repo: Repo) -> None:
    head = commit(repo, "head")
    workspace.git("checkout", "--quiet", "-b", "backwards", "work")
    workspace.git("merge", "--quiet", "--no-ff", "-m", "merge", "main")
    assert trusted_base(repo, None, head_of(repo, "backwards"), ci("left", merged=head)).commit == commit(repo, "left")
    workspace.commit(**{"more.txt": "1\n"})
    assert trusted_base(repo, None, head_of(repo, "backwards"), ci("left", merged=head)).commit == commit(repo, "left")


def test_a_merge_of_three_is_not_taken_for_the_systems(workspace: Workspace, repo: Repo) -> None:
    head, tree = commit(repo, "head"), commit(repo, "merge^{tree}")
    parents = [argument for name in ("main", "head", "left") for argument in ("-p", commit(repo, name))]
    octopus = workspace.git("commit-tree", tree, *parents, "-m", "octopus")
    assert trusted_base(repo, None, head_of(repo, octopus), ci("left", merged=head)).commit == commit(repo, "left")


@pytest.mark.parametrize("given", ["left", None])
def test_another_head_than_the_system_says_is_refused(repo: Repo, given: str | None) -> None:
    head = commit(repo, "head")
    with pytest.raises(ScopeError, match=rf"^main does not hold {head[:12]}, which GitHub Actions says") as error:
        trusted_base(repo, given, head_of(repo, "main"), ci("left", merged=head))
    assert error.value.hint is not None
    assert "under pull_request_target the base is checked out" in error.value.hint


def test_a_head_that_is_nowhere_is_refused(repo: Repo) -> None:
    with pytest.raises(ScopeError, match=r"^nowhere does not hold "):
        trusted_base(repo, None, head_of(repo, "nowhere"), ci("left", merged=commit(repo, "head")))


@pytest.mark.parametrize("given", ["base", None])
def test_histories_that_cross_over_are_refused(workspace: Workspace, repo: Repo, given: str | None) -> None:
    tree = commit(repo, "merge^{tree}")
    for name, parents in (("base", ("main", "work")), ("crossing", ("work", "main"))):
        merge = workspace.git("commit-tree", tree, "-p", parents[0], "-p", parents[1], "-m", name)
        workspace.git("branch", name, merge)
    with pytest.raises(ScopeError, match=r"^base and crossing have several merge bases") as error:
        trusted_base(repo, given, head_of(repo, "crossing"), ci("base"))
    assert error.value.hint == "merge base into the change, or rebase it"
