"""``selfreview doctor``: every line is true."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Workspace


def lines(out: str, mark: str) -> list[str]:
    return [line[6:] for line in out.splitlines() if line[:4].strip() == mark]


def test_an_ordinary_repository(workspace: Workspace) -> None:
    workspace.write("app.py", "LIMIT = 3\n")
    ran = workspace.selfreview("doctor")
    assert ran.code == ExitCode.PASSED
    fine = lines(ran.out, "ok")
    assert f"repository: {workspace.root}" in fine
    assert "change: 1 changed file against main" in fine
    assert "store: empty, the first review creates it" in fine
    assert "hooks: not installed (optional)" in lines(ran.out, "-")
    assert not (workspace.root / ".git" / "selfreview").exists()
    workspace.selfreview("run")
    workspace.selfreview("hook", "install")
    fine = lines(workspace.selfreview("doctor").out, "ok")
    assert f"store: {workspace.root / '.git' / 'selfreview' / 'store.db'}" in fine
    assert "hooks: pre-commit and pre-push" in fine


def corrupt_index(space: Workspace) -> str:
    space.write(".git/index", b"garbage")
    return "index"


def bad_configuration(space: Workspace) -> str:
    space.write("selfreview.toml", "nonsense = 3\n")
    return "selfreview.toml:1: unknown key nonsense"


def no_base(space: Workspace) -> str:
    space.write("selfreview.toml", 'base = "nowhere"\n')
    return "the base 'nowhere' names no commit"


def broken_head(space: Workspace) -> str:
    space.write(".git/refs/heads/work", "0" * 39 + "1\n")
    return "HEAD"


@pytest.mark.parametrize("damage", [corrupt_index, bad_configuration, no_base, broken_head])
def test_what_stops_a_review_fails(workspace: Workspace, damage: object) -> None:
    says = damage(workspace)  # type: ignore[operator]
    assert workspace.selfreview("run").code == ExitCode.USAGE
    ran = workspace.selfreview("doctor")
    assert ran.code == ExitCode.USAGE
    (failed,) = lines(ran.out, "FAIL")
    assert says in failed


def test_what_does_not_stop_a_review_does_not_fail(workspace: Workspace) -> None:
    workspace.write(".git/selfreview", "a file where the folder should be")
    workspace.write("selfreview_conf.py", "x = 1\n")
    ran = workspace.selfreview("doctor")
    assert ran.code == workspace.selfreview("run", "--fail-on", "never").code == ExitCode.PASSED
    missing = lines(ran.out, "-")
    assert any("reviews work, but nothing is remembered" in line for line in missing)
    assert "not trusted, so not run: selfreview_conf.py of this repository" in missing


def test_outside_of_a_repository(workspace: Workspace, tmp_path: Path) -> None:
    ran = workspace.selfreview("doctor", cwd=tmp_path)
    assert ran.code == ExitCode.PASSED
    assert "this folder is not in a git repository" in lines(ran.out, "-")


def test_without_git_it_is_said_once(workspace: Workspace, tmp_path: Path) -> None:
    ran = workspace.selfreview("doctor", PATH=str(tmp_path))
    assert ran.code == ExitCode.USAGE
    assert ran.out.count("git is not installed") == 1


def test_a_library_that_cannot_be_imported_fails(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "unidiff.py").write_text("raise ImportError('wrong architecture')\n")
    ran = workspace.selfreview("doctor", PYTHONPATH=str(tmp_path))
    assert ran.code == ExitCode.USAGE
    assert lines(ran.out, "FAIL") == ["unidiff cannot be imported: wrong architecture"]


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX programs")
def test_tools_are_those_that_a_review_would_start(workspace: Workspace, tmp_path: Path) -> None:
    git = shutil.which("git")
    assert git is not None
    tool = tmp_path / "semgrep"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    out = workspace.selfreview("doctor", PATH=f"{tmp_path}:{Path(git).parent}").out
    assert f"semgrep: {tool}" in lines(out, "ok")


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX programs")
def test_what_could_ask_a_model_is_named_and_no_key_is_shown(workspace: Workspace, tmp_path: Path) -> None:
    git = shutil.which("git")
    assert git is not None
    path = f"{tmp_path}:{Path(git).parent}"
    missing = lines(workspace.selfreview("doctor", PATH=path).out, "-")
    assert "model: anthropic, no credentials (optional)" in missing
    assert "agent-codex: not installed (optional)" in missing
    tool = tmp_path / "codex"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    environ = {"ANTHROPIC_API_KEY": "sk-very-private", "ANTHROPIC_BASE_URL": "http://me:word@127.0.0.1:8080/x"}
    ran = workspace.selfreview("doctor", PATH=path, **environ)
    (model,) = [line for line in lines(ran.out, "ok") if line.startswith("model: ")]
    assert model.startswith("model: anthropic, server 127.0.0.1:8080, with ")
    assert "sk-very-private" not in ran.out
    assert "word" not in model
    assert f"agent-codex: {tool}" in lines(ran.out, "ok")
