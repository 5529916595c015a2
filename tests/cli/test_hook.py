"""``selfreview hook install | uninstall | status``."""

from __future__ import annotations

import os
import shlex
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from selfreview.cli.main import execute
from selfreview.git import hooks as git_hooks
from tests.conftest import Workspace

Hook = Callable[..., tuple[int, str, str]]


@pytest.fixture
def hook(workspace: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Hook:
    """Run ``selfreview hook``; return exit code, standard output and standard error."""

    def run(*args: str, cwd: Path = workspace.root) -> tuple[int, str, str]:
        monkeypatch.chdir(cwd)
        code = execute(["hook", *args])
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def hooks(workspace: Workspace) -> Path:
    return workspace.root.resolve() / ".git" / "hooks"


def content(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.suffix != ".sample"} if folder.is_dir() else {}


def foreign(folder: Path, name: str = "pre-commit", mode: int = 0o755) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(b"#!/bin/sh\nexit 0\n")
    path.chmod(mode)
    return path


def test_both_hooks_come_and_go(hook: Hook, hooks: Path) -> None:
    assert hook("install") == (0, f"installed {hooks}/pre-commit\ninstalled {hooks}/pre-push\n", "")
    assert set(content(hooks)) == {"pre-commit", "pre-push"}
    assert hook("uninstall") == (0, f"removed {hooks}/pre-commit\nremoved {hooks}/pre-push\n", "")
    assert content(hooks) == {}
    assert hook("uninstall") == (0, f"{hooks}/pre-commit does not exist\n{hooks}/pre-push does not exist\n", "")


def test_one_hook(hook: Hook, hooks: Path) -> None:
    assert hook("install", "--type", "pre-push")[0] == 0
    assert set(content(hooks)) == {"pre-push"}
    assert hook("uninstall", "--type", "pre-commit")[0] == 0
    assert set(content(hooks)) == {"pre-push"}


def test_installing_twice_changes_nothing(hook: Hook, hooks: Path) -> None:
    foreign(hooks)
    hook("install")
    before = {p.name: (p.stat().st_mtime_ns, p.stat().st_ino) for p in hooks.iterdir()}
    code, out, _ = hook("install")
    assert (code, out.count("is installed already")) == (0, 2)
    assert {p.name: (p.stat().st_mtime_ns, p.stat().st_ino) for p in hooks.iterdir()} == before


@pytest.mark.skipif(sys.platform == "win32", reason="modes")
def test_installing_again_makes_a_hook_run_that_did_not(hook: Hook, hooks: Path) -> None:
    hook("install")
    (hooks / "pre-commit").chmod(0o644)
    assert "not runnable" in hook("status")[1]
    assert hook("install")[1].startswith(f"updated {hooks}/pre-commit\n")
    assert stat.S_IMODE((hooks / "pre-commit").stat().st_mode) & 0o111


def test_another_interpreter_replaces_the_recorded_one(
    hook: Hook, hooks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", "/gone/python")
        hook("install")
    assert "/gone/python is gone" in hook("status")[1]
    assert hook("install")[1].startswith(f"updated {hooks}/pre-commit\n")
    assert "is gone" not in hook("status")[1]


def test_the_hook_that_was_there_is_kept_and_put_back(hook: Hook, hooks: Path) -> None:
    old = foreign(hooks)
    was = old.read_bytes()
    code, out, _ = hook("install", "--type", "pre-commit")
    assert code == 0
    assert "kept as pre-commit.selfreview-chained; it runs first" in out
    assert (hooks / "pre-commit.selfreview-chained").read_bytes() == was
    assert "pre-commit.selfreview-chained runs first" in hook("status")[1]
    assert hook("uninstall", "--type", "pre-commit") == (0, f"put back {hooks}/pre-commit as it was before\n", "")
    assert content(hooks) == {"pre-commit": was}


@pytest.mark.skipif(sys.platform == "win32", reason="modes")
def test_a_hook_that_git_did_not_run_is_said_not_to_run(hook: Hook, hooks: Path) -> None:
    foreign(hooks, mode=0o644)
    assert "not executable" in hook("install")[1]
    assert "not executable" in hook("status")[1]


def test_somebody_elses_hook_stays(hook: Hook, hooks: Path) -> None:
    old = foreign(hooks)
    code, out, _ = hook("uninstall")
    assert code == 0
    assert f"{old} is not selfreview's, and stays" in out
    assert old.exists()


def test_an_edited_hook_stops_before_anything_is_done(hook: Hook, hooks: Path) -> None:
    hook("install")
    path = hooks / "pre-push"
    path.write_bytes(path.read_bytes() + b"echo mine\n")
    was = content(hooks)
    for command in ("install", "uninstall"):
        code, out, err = hook(command)
        assert (code, out) == (4, "")
        assert err.startswith(f"error: {path} is selfreview's, but somebody changed it\nhint: ")
    assert content(hooks) == was
    assert "changed" in hook("status")[1]


def test_one_hook_that_cannot_be_installed_stops_both(hook: Hook, hooks: Path) -> None:
    foreign(hooks, "pre-push")
    foreign(hooks, "pre-push.selfreview-chained")
    was = content(hooks)
    assert hook("install")[0] == 4
    assert content(hooks) == was


def test_a_hook_of_pre_commit_has_a_better_way(hook: Hook, hooks: Path) -> None:
    path = foreign(hooks)
    path.write_bytes(b"#!/bin/sh\n# File generated by pre-commit: https://pre-commit.com\n")
    was = content(hooks)
    code, _, err = hook("install")
    assert code == 4
    assert "entry: selfreview hook run pre-commit" in err
    assert content(hooks) == was
    assert hook("install", "--force")[0] == 0
    assert content(hooks)["pre-commit.selfreview-chained"] == was["pre-commit"]


@pytest.mark.skipif(sys.platform == "win32", reason="what can be run")
@pytest.mark.parametrize("force", [(), ("--force",)])
def test_a_hook_that_pre_commit_keeps_is_not_put_around_it(hook: Hook, hooks: Path, force: tuple[str, ...]) -> None:
    hook("install", "--type", "pre-push")
    (hooks / "pre-push").rename(hooks / "pre-push.legacy")
    (hooks / "pre-push").write_bytes(b"#!/bin/sh\n# File generated by pre-commit: https://pre-commit.com\n")
    was = content(hooks)
    code, out, _ = hook("install", "--type", "pre-push", *force)
    assert (code, out) == (
        0,
        f"{hooks}/pre-push is pre-commit's, and runs selfreview's pre-push.legacy first already\n",
    )
    assert content(hooks) == was
    assert "it runs selfreview's pre-push.legacy first" in hook("status")[1]
    foreign(hooks, "pre-push.legacy")
    assert hook("install", "--type", "pre-push")[0] == 4
    assert "legacy" not in hook("status")[1]


def test_a_folder_of_the_working_tree_names_no_program_of_this_machine(hook: Hook, workspace: Workspace) -> None:
    workspace.git("config", "core.hooksPath", ".githooks")
    code, _, err = hook("install")
    assert code == 0
    assert "needs selfreview on PATH" in err
    assert content(workspace.root / ".githooks")["pre-commit"] == git_hooks.render("pre-commit", None)


def test_a_hook_of_the_working_tree_is_not_renamed_unasked(hook: Hook, workspace: Workspace) -> None:
    workspace.git("config", "core.hooksPath", ".githooks")
    old = foreign(workspace.root / ".githooks")
    code, _, err = hook("install")
    assert code == 4
    assert "write into it: selfreview hook run pre-commit" in err
    assert content(old.parent) == {"pre-commit": old.read_bytes()}
    assert hook("install", "--force")[0] == 0


def test_a_folder_of_all_repositories_is_left_alone_unasked(hook: Hook, workspace: Workspace, tmp_path: Path) -> None:
    shared = tmp_path / "everybody"
    workspace.git("config", "core.hooksPath", str(shared))
    code, _, err = hook("install")
    assert code == 4
    assert err.startswith(f"error: git takes hooks from {shared.resolve()} (file:.git/config), which other")
    assert "--force" in err
    assert not shared.exists()
    assert hook("install", "--force")[0] == 0
    assert set(content(shared)) == {"pre-commit", "pre-push"}


def test_husky_is_told_where_to_write(hook: Hook, workspace: Workspace) -> None:
    workspace.git("config", "core.hooksPath", ".husky/_")
    foreign(workspace.root / ".husky" / "_")
    code, _, err = hook("install")
    assert code == 4
    assert ".husky/pre-commit" in err


def test_hooks_that_git_does_not_reach_are_told(hook: Hook, workspace: Workspace) -> None:
    hook("install")
    workspace.git("config", "core.hooksPath", ".githooks")
    code, out, _ = hook("status")
    assert code == 0
    assert out.count("not installed") == 2
    assert "where pre-commit and pre-push is installed" in out


def test_a_linked_worktree_shares_the_hooks(hook: Hook, hooks: Path, workspace: Workspace) -> None:
    workspace.git("worktree", "add", "-q", "../linked")
    linked = workspace.root.parent / "linked"
    assert hook("install", cwd=linked)[0] == 0
    assert set(content(hooks)) == {"pre-commit", "pre-push"}
    assert hook("uninstall")[0] == 0


def test_print_writes_nothing(workspace: Workspace, hooks: Path) -> None:
    ran = workspace.selfreview("hook", "install", "--print", "--type", "pre-push")
    assert (ran.code, ran.err) == (0, "")
    assert ran.raw == git_hooks.render("pre-push", sys.executable)
    assert content(hooks) == {}


def test_print_shows_one_hook(hook: Hook) -> None:
    code, out, err = hook("install", "--print")
    assert (code, out) == (4, "")
    assert "--type" in err


@pytest.mark.parametrize("command", ["install", "uninstall", "status"])
def test_a_bare_repository_has_no_use_for_hooks(hook: Hook, workspace: Workspace, command: str) -> None:
    workspace.git("init", "-q", "--bare", "bare.git")
    code, _, err = hook(command, cwd=workspace.root / "bare.git")
    assert code == 4
    assert "bare repository" in err


def test_no_repository(hook: Hook, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    assert hook("install", cwd=tmp_path / "plain")[0] == 4


def test_installing_does_not_import_the_review(workspace: Workspace) -> None:
    code = (
        "import sys\n"
        "from selfreview.cli.main import execute\n"
        "assert execute(['hook', 'install']) == 0\n"
        "print(*[m for m in ('selfreview.review', 'selfreview.app.run') if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=workspace.root, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == ""


@pytest.mark.skipif(sys.platform == "win32", reason="a shell")
def test_the_interpreter_recorded_is_the_one_that_runs(hook: Hook, hooks: Path, workspace: Workspace) -> None:
    hook("install")
    text = (hooks / "pre-commit").read_text()
    assert f"\npython={shlex.quote(sys.executable)}\n" in text
    done = subprocess.run(
        [hooks / "pre-commit"],
        cwd=workspace.root,
        env={**os.environ, "PATH": "/usr/bin:/bin", "PRE_COMMIT": "1"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
