"""A base that is behind what others have merged since is told, with the base that fits."""

from __future__ import annotations

import pytest

from tests.conftest import Workspace
from tests.rows import few

NOTE = (
    "2 of 3 commits since main are in origin/main already, and reviewed as part of this change: "
    "--base origin/main leaves out what is there"
)


@pytest.fixture
def stale(workspace: Workspace) -> Workspace:
    """A branch upon what origin has by now, with a local main from before, which is the configured base."""
    workspace.git("switch", "-q", "--detach", "main")
    workspace.commit("settings", **{"selfreview.toml": 'base = "main"\n'})
    workspace.git("branch", "-f", "main", "HEAD")
    for name in ("one", "two"):
        workspace.commit(name, **{f"{name}.py": "x = 1\n"})
    workspace.git("update-ref", "refs/remotes/origin/main", "HEAD")
    workspace.git("remote", "add", "origin", "https://host/x.git")
    workspace.git("config", "branch.main.remote", "origin")
    workspace.git("config", "branch.main.merge", "refs/heads/main")
    workspace.git("branch", "-f", "work", "HEAD")
    workspace.git("switch", "-q", "work")
    workspace.commit("mine", **{"mine.py": "x = 1\n"})
    return workspace


@pytest.mark.parametrize(
    "more",
    few({one: one.split() for one in ("", "--base main", "--head HEAD", "--base refs/heads/main")}, "", "--head HEAD"),
)
def test_a_review_says_so(stale: Workspace, more: list[str]) -> None:
    document = stale.review("--no-fix", *more)
    assert NOTE.replace("since main", f"since {document['scope']['base']}") in document["notes"]
    assert document["scope"]["files"] == 3
    assert NOTE[:40] in stale.selfreview("run", "--no-fix", "--base", "main").out.replace("\n", " ")


def test_the_base_that_is_named_fits(stale: Workspace) -> None:
    document = stale.review("--no-fix", "--base", "origin/main")
    assert document["scope"]["files"] == 1
    assert not [note for note in document["notes"] if "already" in note]


def test_a_gate_and_doctor_say_so_too(stale: Workspace) -> None:
    ran = stale.selfreview("gate", "--base", "main", "--format", "json")
    assert f"note: {NOTE}" in ran.err.splitlines()
    assert NOTE in ran.json["notes"]
    assert f"   -  change: {NOTE}" in stale.selfreview("doctor").out.splitlines()


def test_a_branch_that_follows_one_of_another_name(stale: Workspace) -> None:
    stale.git("update-ref", "refs/remotes/origin/trunk", "origin/main")
    stale.git("update-ref", "-d", "refs/remotes/origin/main")
    stale.git("config", "branch.main.merge", "refs/heads/trunk")
    assert NOTE.replace("origin/main", "origin/trunk") in stale.review("--no-fix")["notes"]


def test_a_fork_that_is_behind_what_it_comes_from(stale: Workspace) -> None:
    stale.git("update-ref", "refs/remotes/upstream/main", "origin/main")
    stale.git("update-ref", "refs/remotes/origin/main", "main")
    notes = stale.review("--no-fix", "--base", "origin/main")["notes"]
    expected = NOTE.replace("since main", "since origin/main").replace("in origin/main", "in upstream/main")
    assert expected.replace("--base origin/main", "--base upstream/main") in notes


@pytest.mark.parametrize("pushed", ["work", "work~1"], ids=["all", "a part"])
@pytest.mark.parametrize("base", ["upstream/main", "main"])
def test_what_is_in_a_fork_of_ones_own_is_ones_own(stale: Workspace, base: str, pushed: str) -> None:
    stale.git("update-ref", "refs/remotes/upstream/main", "main")
    stale.git("remote", "add", "upstream", "https://host/theirs.git")
    stale.git("config", "branch.main.remote", "upstream")
    stale.git("update-ref", "refs/remotes/origin/main", pushed)
    document = stale.review("--no-fix", "--base", base)
    assert document["scope"]["files"] == 3
    assert not [note for note in document["notes"] if "already" in note]


def test_a_branch_that_is_merged_or_pushed_as_a_whole_is_left_alone(stale: Workspace) -> None:
    stale.git("update-ref", "refs/remotes/origin/main", "work")
    assert not [note for note in stale.review("--no-fix")["notes"] if "already" in note]


def test_a_gate_speaks_of_the_base_that_it_used(stale: Workspace) -> None:
    environ = {"GITLAB_CI": "true", "CI_DEFAULT_BRANCH": "main", "CI_COMMIT_BRANCH": "work"}
    ran = stale.selfreview("gate", "--format", "json", CI_PIPELINE_SOURCE="push", **environ)
    assert ran.json["scope"]["files"] == 1
    assert "already" not in ran.err
    assert not [note for note in ran.json["notes"] if "already" in note]


@pytest.mark.parametrize("where", ["behind", "ahead", "nowhere"])
def test_where_nothing_of_others_is_reviewed_nothing_is_said(stale: Workspace, where: str) -> None:
    if where == "behind":  # others went on, and the branch has none of it
        stale.git("reset", "-q", "--hard", "main")
        stale.commit("mine", **{"mine.py": "x = 1\n"})
    elif where == "ahead":
        stale.git("update-ref", "refs/remotes/origin/main", "main~1")
    else:
        stale.git("update-ref", "-d", "refs/remotes/origin/main")
    assert not [note for note in stale.review("--no-fix")["notes"] if "already" in note]
