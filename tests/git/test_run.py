"""What is said when git itself cannot work."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from selfreview.errors import GitError
from selfreview.git import run
from selfreview.git.repo import discover
from selfreview.git.run import Git, as_tool, terminate
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
    expected = {"git/run.py", "cli/entry.py"}  # the latter imports nothing, and sets the same by itself
    assert {name for name in names if not name.startswith(("testing/", "rules/"))} == expected


pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there one program does all of it")

STUBBORN = "trap '' TERM; sleep 3600 & echo begun; wait; wait"


def start(script: str) -> subprocess.Popen[bytes]:
    """Start a shell, and return when what it runs has begun."""
    child = subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"begun\n"
    return child


@pytest.fixture(params=["proc", "ps"])
def source(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have processes listed in each way that there is."""
    if request.param == "ps":
        monkeypatch.setattr(run, "_PROC", Path("/nonexistent"))
    usable = shutil.which("ps") if request.param == "ps" else Path("/proc/self/stat").is_file()
    if not usable:
        pytest.skip(f"there is no {request.param}")


@pytest.mark.usefixtures("source")
@pytest.mark.parametrize("script", ["sleep 3600 & echo begun; wait", f"sh -c '{STUBBORN}' & wait", STUBBORN])
def test_all_that_it_started_ends(script: str) -> None:
    child, other = start(script.replace("''", '""')), start("echo begun; exec sleep 3600")
    try:
        terminate(child, 0.2)
        assert child.returncode is not None
        assert child.stdout is not None
        assert child.stdout.read() == b""  # it is closed by the last of them
        assert other.poll() is None
    finally:
        for one in (child, other):
            one.kill()
            one.communicate()


@pytest.mark.usefixtures("source")
def test_it_may_do_what_is_left_to_be_done_when_it_is_asked_to_end() -> None:
    child = start("trap 'echo tidied; exit 3' TERM; echo begun; while :; do sleep 0.02; done")
    terminate(child, 60)
    assert child.communicate()[0] == b"tidied\n"
    assert child.returncode == 3


LATE = """sh -c 'trap "while kill -0 $PPID; do sleep 0.02; done; echo tidied; exit" TERM
    echo begun; while :; do sleep 0.02; done' 2>&- & wait"""


@pytest.mark.usefixtures("source")
def test_what_it_started_may_do_that_too_when_it_itself_has_ended() -> None:
    child = start(LATE)
    terminate(child, 60)
    assert child.communicate()[0] == b"tidied\n"


def test_one_that_has_ended_and_that_nobody_asks_about_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, state in (("self", "R"), ("12", "Z"), ("13", "S")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "stat").write_text(f"{name} (a) b) {state} 7 {' '.join(map(str, range(40)))}\n")
    monkeypatch.setattr(run, "_PROC", tmp_path)
    assert run._running() == {13: (7, "17")}


@pytest.mark.usefixtures("source")
def test_one_that_is_over_is_no_matter() -> None:
    child = start("echo begun")
    child.wait()
    terminate(child, 0.2)
    assert child.communicate()[0] == b""


def test_where_processes_cannot_be_listed_it_alone_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "_running", dict)
    child = start("echo begun; exec sleep 3600")
    terminate(child, 60)
    child.communicate()
    assert child.returncode == -signal.SIGTERM


def test_a_number_that_another_process_has_by_now_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[int, int]] = []
    child = start("echo begun; exec sleep 3600")
    listed = [{child.pid: (1, "a"), -5: (child.pid, "a"), -6: (-5, "a")}, {-5: (1, "b"), -6: (1, "a"), -7: (-6, "c")}]
    monkeypatch.setattr(run, "_running", lambda: listed.pop(0) if len(listed) > 1 else listed[0])
    kill = os.kill
    monkeypatch.setattr(os, "kill", lambda pid, number: kill(pid, number) if pid > 0 else sent.append((pid, number)))
    terminate(child, 0)
    child.communicate()
    assert sorted(sent) == sorted(
        [(-5, signal.SIGTERM), (-6, signal.SIGTERM), (-6, signal.SIGKILL), (-7, signal.SIGKILL)]
    )
