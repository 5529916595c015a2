"""Real pushes to a remote on this disk: what would arrive there is reviewed before it leaves."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.conftest import Workspace
from tests.hooks.hooked import BAD, Hooked

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Git for Windows brings the shell")


@pytest.fixture
def remote(repo: Hooked, tmp_path: Path) -> Path:
    path = tmp_path / "remote.git"
    repo.git("init", "-q", "--bare", "--initial-branch=main", str(path))
    repo.git("remote", "add", "origin", str(path))
    repo.git("push", "-q", "origin", "main")
    return path


def branch(repo: Hooked, name: str, content: str, start: str = "main") -> None:
    repo.git("switch", "-q", "-C", name, start)
    repo.commit(**{f"{name}.txt": content})


@pytest.mark.usefixtures("remote")
def test_a_new_branch(repo: Hooked) -> None:
    branch(repo, "good", "fine\n")
    assert "1 file" in repo.passes("push", "origin", "good")
    branch(repo, "bad", BAD)
    said = repo.stopped("push", "origin", "bad")
    assert "bad.txt:1" in said
    assert "SELFREVIEW_SKIP=1 git push" in said
    assert "skipped" in repo.passes("push", "origin", "bad", SELFREVIEW_SKIP="1")


@pytest.mark.usefixtures("remote")
def test_an_update_reviews_the_new_commits_only(repo: Hooked) -> None:
    branch(repo, "old", BAD)
    repo.git("push", "-q", "origin", "old")
    branch(repo, "new", "fine\n", "old")
    repo.passes("push", "origin", "new:old")


@pytest.mark.usefixtures("remote")
def test_the_working_tree_does_not_count(repo: Hooked) -> None:
    branch(repo, "bad", BAD)
    repo.write("bad.txt", "fine\n")
    repo.stopped("push", "origin", "bad")
    repo.git("reset", "-q", "--hard")
    branch(repo, "good", "fine\n")
    repo.write("good.txt", BAD)
    repo.git("add", "--all")
    repo.write("untracked.txt", BAD)
    repo.passes("push", "origin", "good")


@pytest.mark.usefixtures("remote")
def test_every_ref_is_reviewed_and_the_worst_counts(repo: Hooked) -> None:
    branch(repo, "bad", BAD)
    branch(repo, "good", "fine\n")
    branch(repo, "worse", BAD)
    ran = repo.hooked("push", "origin", "bad", "good", "worse", "good:again")
    assert ran.code == 1
    said = ran.out + ran.err
    for number, name in enumerate(("bad", "again, good", "worse"), 1):
        assert f"selfreview: {number} of 3: {name} (1 commit)" in said.replace("good, again", "again, good")
    assert "bad.txt:1" in said
    assert "worse.txt:1" in said
    assert not repo.git("ls-remote", "origin", "good")


@pytest.mark.usefixtures("remote")
def test_pushes_that_bring_nothing(repo: Hooked) -> None:
    repo.git("push", "-q", "origin", "main:gone")
    repo.git("tag", "here", "main")
    assert "selfreview" not in repo.passes("push", "origin", ":gone")
    assert "the remote has these commits already" in repo.passes("push", "origin", "here")
    assert "nothing to push" in repo.passes("push", "origin", "main")


@pytest.mark.usefixtures("remote")
def test_a_tag_brings_its_commits(repo: Hooked) -> None:
    branch(repo, "bad", BAD)
    repo.git("tag", "-a", "-m", "release", "v1")
    assert "bad.txt:1" in repo.stopped("push", "origin", "v1")


@pytest.mark.usefixtures("remote")
def test_a_tag_that_cannot_be_reviewed_stops(repo: Hooked) -> None:
    repo.git("tag", "blob", "HEAD:README.md")
    assert "refs/tags/blob points at no commit" in repo.stopped("push", "origin", "blob")


def test_a_forced_push_over_commits_that_are_not_here(repo: Hooked, remote: Path, tmp_path: Path) -> None:
    repo.git("clone", "-q", str(remote), str(tmp_path / "colleague"))
    colleague = Workspace(tmp_path / "colleague")
    colleague.git("switch", "-qc", "bad")
    colleague.commit("theirs", **{"theirs.txt": BAD})
    colleague.git("push", "-q", "origin", "bad")
    branch(repo, "bad", BAD)
    said = repo.stopped("push", "--force", "origin", "bad")
    assert "bad.txt:1" in said
    assert "theirs" not in said


def test_the_first_push_of_all(repo: Hooked, tmp_path: Path) -> None:
    branch(repo, "bad", BAD)
    repo.git("init", "-q", "--bare", str(tmp_path / "remote.git"))
    said = repo.stopped("push", str(tmp_path / "remote.git"), "bad")
    assert "bad.txt:1" in said
    assert "against the empty tree" in said


def test_from_a_linked_worktree(repo: Hooked, remote: Path) -> None:
    branch(repo, "bad", BAD)
    repo.git("switch", "-q", "main")
    repo.git("worktree", "add", "-q", "../linked", "bad")
    linked = Hooked(Workspace(repo.root.parent / "linked"))
    assert "bad.txt:1" in linked.stopped("push", str(remote), "HEAD")


@pytest.mark.usefixtures("remote")
def test_a_hook_that_was_there_reads_the_refs_too(repo: Hooked, tmp_path: Path) -> None:
    kept = repo.root / ".git" / "hooks" / "pre-push.selfreview-chained"
    kept.write_text(f'#!/bin/sh\ncat >"{tmp_path}/said"\n')
    kept.chmod(0o755)
    branch(repo, "bad", BAD)
    assert "bad.txt:1" in repo.stopped("push", "origin", "bad")
    assert (tmp_path / "said").read_text().startswith("refs/heads/bad ")
