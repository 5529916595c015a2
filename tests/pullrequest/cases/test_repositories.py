"""Case 62: odd names, links, submodules, hooks, shallow and sparse clones, pointers, bytes as they are."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from tests.pullrequest.lab import Lab
from tests.pullrequest.stories import (
    SUGGESTED,
    commits,
    fix,
    hook,
    suggest,
)

pytestmark = pytest.mark.long


NAMES = [b"with space.txt", b"line\nfeed.txt", b'quo"te.txt', b"caf\xe9.txt", b"-dash.txt", b":(glob)x.txt"]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_case_62_names_of_files_are_bytes(lab: Lab, name: bytes) -> None:
    path = lab.workspace.root / os.fsdecode(name)
    path.write_bytes(b"one\ntwo\n")
    lab.workspace.commit("odd")
    lab.workspace.git("push", "--quiet")
    pull = lab.open()
    if name == b"caf\xe9.txt":  # JSON cannot name it: the forge tells of it with a replacement
        lab.workspace.write("notes.txt", "one\ntwo\n")
        lab.workspace.commit("plain")
        lab.workspace.git("push", "--quiet")
        name = b"notes.txt"
        path = lab.workspace.root / "notes.txt"
    suggest(lab, pull, 2, "TWO", path=name.decode(), hunk="@@ -0,0 +1,2 @@\n+one\n+two")
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert path.read_bytes() == b"one\nTWO\n"
    assert len(commits(lab)) == 1


def test_case_62_links_and_submodules_are_not_followed(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("one\ntwo\n")
    (lab.workspace.root / "link.txt").symlink_to(tmp_path / "outside.txt")
    lab.workspace.commit("link")
    lab.workspace.git("push", "--quiet")
    pull = lab.open()
    suggest(lab, pull, 2, "TWO", path="link.txt", hunk="@@ -0,0 +1,2 @@\n+one\n+two")
    assert fix(lab, pull).code == ExitCode.ISSUES
    assert (tmp_path / "outside.txt").read_text() == "one\ntwo\n"
    assert not commits(lab)


@pytest.mark.parametrize("refuses", [True, False])
def test_case_62_hooks_of_the_repository_run_at_the_commit(lab: Lab, refuses: bool, tmp_path: Path) -> None:
    folder = tmp_path / "hooks"
    hook(folder, "pre-commit", f"echo seen >> '{tmp_path}/seen'; echo 'no commits today' >&2; exit {int(refuses)}")
    lab.workspace.git("config", "core.hooksPath", str(folder))
    pull = lab.open()
    suggest(lab, pull)
    ran = fix(lab, pull)
    assert (tmp_path / "seen").exists()
    assert lab.workspace.git("status", "--porcelain") == ""
    if refuses:
        assert ran.code == ExitCode.ISSUES, ran
        assert "no commits today" in ran.err
        assert "no commits today" not in ran.out
        assert not commits(lab)
    else:
        assert len(commits(lab)) == 1


def test_case_62_a_shallow_clone_is_fixed_as_any_other(lab: Lab) -> None:
    head = lab.workspace.git("rev-parse", "HEAD~1")
    (lab.workspace.root / ".git" / "shallow").write_text(f"{head}\n")
    pull = lab.open()
    suggest(lab, pull)
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert lab.file() == SUGGESTED


def test_case_62_a_pointer_of_lfs_is_not_edited(lab: Lab) -> None:
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 12\n"
    lab.workspace.commit("large", **{".gitattributes": "*.bin filter=lfs diff=lfs -text\n", "large.bin": pointer})
    lab.workspace.git("push", "--quiet")
    pull = lab.open()
    suggest(lab, pull, 3, "size 13", path="large.bin", hunk="@@ -0,0 +1,3 @@\n+v\n+o\n+size 12")
    assert fix(lab, pull).code == ExitCode.ISSUES
    assert (lab.workspace.root / "large.bin").read_text() == pointer
    assert not commits(lab)


@pytest.mark.parametrize("changed", [False, True], ids=["not of the request", "of the request"])
def test_case_62_what_a_sparse_checkout_leaves_out_stays_as_it_is(lab: Lab, changed: bool) -> None:
    lab.workspace.git("checkout", "--quiet", "main")
    lab.workspace.commit("more", **{"far/away.py": "away = 1\n", "near/here.py": "here = 1\n"})
    lab.workspace.git("push", "--quiet", "origin", "main")
    lab.workspace.git("checkout", "--quiet", "topic")
    lab.workspace.git("rebase", "--quiet", "main")
    if changed:
        lab.workspace.commit("far", **{"far/away.py": "away = 2\n"})
    lab.workspace.git("push", "--quiet", "--force")
    lab.workspace.git("sparse-checkout", "set", "near")
    assert not (lab.workspace.root / "far").exists()
    pull = lab.open()
    suggest(lab, pull)
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert (lab.file(), lab.file("far/away.py")) == (SUGGESTED, f"away = {1 + changed}\n")
    assert not (lab.workspace.root / "far").exists()
    assert lab.workspace.git("status", "--porcelain") == ""


def test_case_62_a_rename_by_case_alone_is_followed(lab: Lab) -> None:
    pull = lab.open()
    comment = suggest(lab, pull)
    lab.workspace.git("mv", "app.py", "App.py")
    lab.workspace.commit("case")
    lab.workspace.git("push", "--quiet")
    lab.repository.look()
    comment.thread.outdate()
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert lab.file("App.py") == SUGGESTED
    assert lab.there("ls-tree", "--name-only", "topic").split() == ["App.py", "README.md"]


@pytest.mark.parametrize("content", [b"one\r\ntwo\r\n", b"caf\xe9\ntwo\n"], ids=["crlf", "latin-1"])
def test_case_62_the_bytes_on_the_remote_are_the_files_own(lab: Lab, content: bytes) -> None:
    lab.workspace.commit("text", **{"notes.txt": content})
    lab.workspace.git("push", "--quiet")
    pull = lab.open()
    suggest(lab, pull, 2, "TWO", path="notes.txt", hunk="@@ -0,0 +1,2 @@\n+one\n+two")
    assert fix(lab, pull).code == ExitCode.PASSED
    done = subprocess.run(
        ["git", "cat-file", "blob", "topic:notes.txt"], cwd=lab.remote, capture_output=True, check=True
    )
    assert done.stdout == content.replace(b"two", b"TWO")
