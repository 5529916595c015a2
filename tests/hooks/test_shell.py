"""The shims as shell programs, under every shell that is here, with stand-ins for selfreview and for the hook kept."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from selfreview.git import hooks as git_hooks
from selfreview.resources import folder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Git for Windows brings the shell")

SHELLS = [
    command
    for command in (["dash"], ["bash", "--posix"], ["busybox", "sh"], ["ksh"], ["mksh"], ["zsh", "--emulate", "sh"])
    if shutil.which(command[0])
] or [["sh"]]
LINES = "refs/heads/a 1111 refs/heads/a 2222\n(delete) 0000 refs/heads/b 3333\n"
SKIPPED = "selfreview: skipped, because SELFREVIEW_SKIP is set\n"

RECORDER = """#!/bin/sh
here=${0%/*}; name=${0##*/}
for word; do printf '%s\\n' "$word"; done >"$here/$name.args"
printf '%s' "${PRE_COMMIT-unset}" >"$here/$name.env"
[ -z "$READS" ] || cat >"$here/$name.stdin"
exit "${EXIT-0}"
"""


class Hooks:
    """A hooks folder, and a ``PATH`` of its own."""

    def __init__(self, root: Path, shell: list[str], hook: str) -> None:
        self.folder, self.bin, self.shell, self.hook = root / "git hooks", root / "bin", shell, hook
        self.folder.mkdir(parents=True)
        self.bin.mkdir()
        for program in ("sh", "cat", "grep", shell[0]):
            (self.bin / program).symlink_to(str(shutil.which(program)))
        self.install(None)

    def install(self, python: Path | None) -> None:
        (self.folder / self.hook).write_bytes(git_hooks.render(self.hook, str(python) if python else None))

    def stand_in(self, path: Path, *, exits: int = 0, reads: bool = True, mode: int = 0o755) -> Path:
        text = RECORDER.replace("${EXIT-0}", str(exits)).replace("$READS", "yes" if reads else "")
        path.write_text(text)
        path.chmod(mode)
        return path

    def selfreview(self, **how: int) -> Path:
        return self.stand_in(self.bin / "selfreview", **how)

    def kept(self, **how: int) -> Path:
        return self.stand_in(self.folder / f"{self.hook}{git_hooks.KEPT_SUFFIX}", **how)

    def run(self, *args: str, stdin: str = "", **env: str) -> tuple[int, str]:
        done = subprocess.run(
            [*self.shell, str(self.folder / self.hook), *args],
            env={"PATH": str(self.bin), **env},
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
        )
        assert done.stdout == ""
        return done.returncode, done.stderr


def args(stand_in: Path) -> list[str]:
    return Path(f"{stand_in}.args").read_text().splitlines()


def stdin(stand_in: Path) -> str:
    return Path(f"{stand_in}.stdin").read_text()


def ran(stand_in: Path) -> bool:
    return Path(f"{stand_in}.args").exists()


@pytest.fixture(params=SHELLS, ids=lambda command: command[0])
def shell(request: pytest.FixtureRequest) -> list[str]:
    value: list[str] = request.param
    return value


@pytest.fixture(params=git_hooks.TYPES)
def hooks(request: pytest.FixtureRequest, tmp_path: Path, shell: list[str]) -> Hooks:
    return Hooks(tmp_path, shell, request.param)


@pytest.fixture
def push(tmp_path: Path, shell: list[str]) -> Hooks:
    return Hooks(tmp_path, shell, "pre-push")


def test_it_hands_everything_on(hooks: Hooks) -> None:
    tool = hooks.selfreview()
    assert hooks.run("origin", "ssh://a b", stdin=LINES) == (0, "")
    assert args(tool) == ["hook", "run", hooks.hook, "origin", "ssh://a b"]
    assert stdin(tool) == LINES


@pytest.mark.parametrize("kept", [False, True])
def test_the_result_is_that_of_the_review(hooks: Hooks, kept: bool) -> None:
    hooks.selfreview(exits=5)
    if kept:
        hooks.kept()
    assert hooks.run(stdin=LINES) == (5, "")


def test_the_recorded_interpreter_comes_first(hooks: Hooks, tmp_path: Path) -> None:
    tool = hooks.selfreview()
    python = hooks.stand_in(tmp_path / "it's python")
    hooks.install(python)
    assert hooks.run(stdin=LINES) == (0, "")
    assert args(python) == ["-P", "-m", "selfreview", "hook", "run", hooks.hook]
    assert not ran(tool)


def test_path_is_searched_when_the_recorded_interpreter_is_gone(hooks: Hooks, tmp_path: Path) -> None:
    tool = hooks.selfreview()
    hooks.install(tmp_path / "gone")
    assert hooks.run(stdin=LINES) == (0, "")
    assert ran(tool)


@pytest.mark.parametrize("kept", [False, True])
def test_a_missing_program_stops_git_with_one_line(hooks: Hooks, kept: bool) -> None:
    if kept:
        hooks.kept()
    code, said = hooks.run(stdin=LINES)
    assert code == 1
    assert said.startswith("selfreview: not found")
    assert said.count("\n") == 1


@pytest.mark.parametrize("value", ["1", "true"])
def test_skipping(hooks: Hooks, value: str) -> None:
    tool = hooks.selfreview()
    assert hooks.run(stdin=LINES, SELFREVIEW_SKIP=value) == (0, SKIPPED)
    assert not ran(tool)


@pytest.mark.parametrize("value", ["", "0"])
def test_not_skipping(hooks: Hooks, value: str) -> None:
    tool = hooks.selfreview()
    assert hooks.run(stdin=LINES, SELFREVIEW_SKIP=value) == (0, "")
    assert ran(tool)


def test_skipping_needs_no_program(hooks: Hooks) -> None:
    assert hooks.run(SELFREVIEW_SKIP="1") == (0, SKIPPED)


def test_a_kept_hook_runs_first_with_the_same_words(hooks: Hooks) -> None:
    tool, kept = hooks.selfreview(), hooks.kept()
    assert hooks.run("origin", "a  b", "", stdin=LINES) == (0, "")
    assert args(kept) == ["origin", "a  b", ""]
    assert args(tool) == ["hook", "run", hooks.hook, "origin", "a  b", ""]


def test_a_kept_hook_that_fails_stops_git(hooks: Hooks) -> None:
    tool = hooks.selfreview()
    hooks.kept(exits=7)
    assert hooks.run(stdin=LINES) == (7, "")
    assert not ran(tool)


def test_a_kept_hook_runs_although_the_review_is_skipped(hooks: Hooks) -> None:
    kept = hooks.kept(exits=7)
    assert hooks.run(stdin=LINES, SELFREVIEW_SKIP="1") == (7, "")
    assert ran(kept)


def test_a_kept_hook_that_git_would_not_run_is_not_run(hooks: Hooks) -> None:
    hooks.selfreview()
    kept = hooks.kept(exits=7, mode=0o644)
    assert hooks.run(stdin=LINES) == (0, "")
    assert not ran(kept)


def test_a_kept_hook_without_a_first_line_is_a_shell_script(hooks: Hooks) -> None:
    hooks.selfreview()
    kept = hooks.kept()
    kept.write_text("exit 7\n")
    assert hooks.run(stdin=LINES) == (7, "")


def test_a_shim_kept_by_hand_does_not_call_itself(hooks: Hooks) -> None:
    tool = hooks.selfreview()
    kept = hooks.kept()
    kept.write_bytes((hooks.folder / hooks.hook).read_bytes())
    assert hooks.run(stdin=LINES) == (0, "")
    assert ran(tool)


def test_the_kept_hook_sees_a_run_of_pre_commit_and_the_review_does_not(hooks: Hooks) -> None:
    tool, kept = hooks.selfreview(), hooks.kept()
    hooks.run(stdin=LINES, PRE_COMMIT="1")
    assert Path(f"{kept}.env").read_text() == "1"
    assert Path(f"{tool}.env").read_text() == "unset"


@pytest.mark.parametrize("lines", ["", LINES, LINES * 5000, "a$(b) `c` $HOME \\\\ \\n 'd' 1 x 2\n"], ids=len)
def test_both_read_what_git_says(push: Hooks, lines: str) -> None:
    tool, kept = push.selfreview(), push.kept()
    assert push.run("origin", "url", stdin=lines) == (0, "")
    assert stdin(kept) == stdin(tool) == lines


@pytest.mark.parametrize("exits", [0, 7])
def test_a_kept_hook_need_not_read(push: Hooks, exits: int) -> None:
    tool = push.selfreview()
    push.kept(reads=False, exits=exits)
    assert push.run("origin", "url", stdin=LINES * 5000) == (exits, "")
    assert ran(tool) is (exits == 0)


@pytest.mark.parametrize("hook", git_hooks.TYPES)
def test_shellcheck_finds_nothing(hook: str) -> None:
    checker = shutil.which("shellcheck", path=str(Path(sys.executable).parent)) or shutil.which("shellcheck")
    if checker is None:
        pytest.skip("shellcheck is not installed")
    done = subprocess.run([checker, "--shell=sh", str(folder("hooks") / hook)], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.parametrize("of_pre_commit", [False, True])
def test_below_pre_commits_hook_that_one_does_not_run_again(hooks: Hooks, of_pre_commit: bool) -> None:
    ours, kept = hooks.selfreview(), hooks.kept()
    if of_pre_commit:
        kept.write_text(kept.read_text() + "# File generated by pre-commit: https://pre-commit.com\n")
    assert hooks.run("origin", "url", stdin=LINES, PRE_COMMIT_RUNNING_LEGACY="1") == (0, "")
    assert Path(f"{kept}.args").exists() is not of_pre_commit
    assert args(ours) == ["hook", "run", hooks.hook, "origin", "url"]
    assert hooks.run("origin", "url", stdin=LINES) == (0, "")
    assert Path(f"{kept}.args").exists()
