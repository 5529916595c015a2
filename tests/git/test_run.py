"""What is said when git itself cannot work."""

from __future__ import annotations

import os
import shutil
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from selfreview.errors import GitError
from selfreview.git.run import Git

Usage = namedtuple("Usage", "total used free")


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script as git")
@pytest.mark.parametrize(
    ("free", "stderr", "says"),
    [
        (0, "", "git update-index failed: the disk is full, in "),
        (0, "fatal: unable to write new index file: No space left on device", "the disk is full, in "),
        (0, "fatal: bad index file", "git update-index failed: bad index file"),
        (1 << 30, "", "git update-index failed: 128"),
    ],
)
def test_a_full_disk_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, stderr: str, says: str
) -> None:
    git = tmp_path / "git"
    git.write_text(f"#!/bin/sh\necho '{stderr}' >&2\nexit 128\n")
    git.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: Usage(1 << 40, 0, free))
    with pytest.raises(GitError) as error:
        Git(tmp_path, {"PATH": str(tmp_path)}).run(["update-index"])
    assert says in error.value.message
    assert (error.value.hint is not None) == ("disk is full" in says)


@pytest.mark.skipif(sys.platform == "win32", reason="a FIFO")
def test_one_that_waits_for_ever_is_ended_and_leaves_no_lock(tmp_path: Path) -> None:
    git = Git(tmp_path, {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}, timeout=1.0)
    git.run(["init", "--quiet"])
    (tmp_path / "a").touch()
    os.mkfifo(tmp_path / ".gitattributes")
    with pytest.raises(GitError, match="git add did not finish within 1 s"):
        git.with_env(LC_ALL="C").run(["add", "--all"])
    assert not (tmp_path / ".git" / "index.lock").exists()
    (tmp_path / ".gitattributes").unlink()
    git.run(["add", "--all"])
