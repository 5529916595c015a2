"""What is said when git itself cannot work."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from selfreview.errors import GitError
from selfreview.git import run
from selfreview.git.repo import discover
from selfreview.git.run import Git, as_tool
from selfreview.proc import Runner
from tests.conftest import Workspace

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


def test_what_is_written_and_read_is_utf8_whatever_is_set(workspace: Workspace) -> None:
    for name, value in {"i18n.commitEncoding": "ISO-8859-1", "i18n.logOutputEncoding": "ISO-8859-1"}.items():
        workspace.git("config", name, value)
    who = {f"GIT_{role}_{what}": "dev@example.com" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    git = discover(workspace.root, os.environ).git.with_env(**who)
    git.run(["commit", "--quiet", "--allow-empty", "-F", "-"], stdin="Café\n".encode())
    assert git.line(["log", "-1", "--format=%s"]) == "Café"
    assert b"encoding" not in git.run(["cat-file", "commit", "HEAD"])


def test_a_git_that_does_not_end_when_asked_to_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "_GRACE_S", 0.2)
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 0.05; done\n")
    program.chmod(0o755)
    git = Git(tmp_path, {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}, timeout=0.2)
    with pytest.raises(GitError, match="did not finish within"):
        git.call(["status"])


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script as git")
def test_nothing_that_it_started_is_waited_for(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nsleep 3600\n")
    program.chmod(0o755)
    git = Git(tmp_path, {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}, timeout=0.2)
    for args in (["-c", "a.b=c", "-C", ".", "--no-pager", "push", "-q"], [b"push"]):
        for stdin in (None, b"x" * 100_000):
            with pytest.raises(GitError, match=r"^git push did not finish within 0\.2 s$"):
                git.call(args, stdin=stdin)
    with pytest.raises(GitError, match=r"^git itself did not"):
        git.call(["--version"])


def test_what_is_read_and_written_is_the_same_with_a_limit(workspace: Workspace) -> None:
    git = discover(workspace.root, os.environ).git
    data = bytes(range(256)) * 10_000
    for one in (git, git.within(60)):
        name = one.run(["hash-object", "-w", "--stdin"], stdin=data).decode().strip()
        assert one.run(["cat-file", "blob", name]) == data
        assert one.call(["cat-file", "blob", "0" * 40]).stderr.startswith(b"fatal:")


def test_a_git_that_a_fixer_starts_is_under_the_same_settings(workspace: Workspace, tmp_path: Path) -> None:
    git, root = workspace.git, workspace.root
    workspace.commit("start", **{"app.py": "x = 1\n"})
    (root / "other.py").write_text("x = 2\n")
    git("replace", git("rev-parse", "HEAD:app.py"), git("hash-object", "-w", "other.py"))
    git("config", "core.fsmonitor", f"touch {tmp_path / 'ran'}; false")
    argv, env = as_tool(["cat-file", "blob", "HEAD:app.py"])
    assert Runner().run(argv, cwd=root, timeout=30, env=env).stdout == b"x = 1\n"
    argv, env = as_tool(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
    assert b"other.py\0" in Runner().run(argv, cwd=root, timeout=30, env=env).stdout
    assert not (tmp_path / "ran").exists()
    argv, env = as_tool(["config", "--get", "safe.bareRepository"])
    assert Runner().run(argv, cwd=root, timeout=30, env=env).stdout == b"explicit\n"


def test_no_other_module_starts_git_by_its_name() -> None:
    source = Path(run.__file__).parent.parent
    # Whatever begins with the word, as a command line does, or looks it up.
    names = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if re.search(r"[\[(]\s*[\"']git[\"'],", path.read_text())
    }
    expected = {"git/run.py", "cli/fastpath.py"}  # the latter imports nothing, and sets the same by itself
    assert {name for name in names if not name.startswith(("testing/", "rules/"))} == expected
