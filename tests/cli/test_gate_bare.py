"""A gate reads commits only, so a bare clone will do; a bare repository that a change brings along will not."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Ran, Workspace

BAD = "def load():\n    return itmes\n"


@pytest.fixture
def bare(workspace: Workspace, tmp_path: Path) -> Path:
    workspace.commit("bad", **{"app.py": BAD, "docs/notes.md": "x\n", ".gitattributes": "*.md text\n"})
    target = tmp_path / "clones" / "it.git"
    workspace.git("clone", "-q", "--bare", str(workspace.root), str(target))
    return target


def gate(workspace: Workspace, folder: Path, *args: str, **env: str) -> Ran:
    command = ("gate", "--base", "main", "--head", "work", "--format", "json", *args)
    return workspace.selfreview(*command, cwd=folder, **env)


def test_the_same_is_found_as_in_a_clone_with_a_tree(workspace: Workspace, bare: Path) -> None:
    there = gate(workspace, workspace.root)
    here = gate(workspace, bare)
    assert (here.code, there.code) == (ExitCode.ISSUES, ExitCode.ISSUES)
    assert [i["fingerprint"] for i in here.json["issues"]] == [i["fingerprint"] for i in there.json["issues"]]
    assert here.json["scope"] == there.json["scope"]


def test_it_can_be_named_from_anywhere(workspace: Workspace, bare: Path, tmp_path: Path) -> None:
    assert gate(workspace, tmp_path, GIT_DIR=str(bare)).code == ExitCode.ISSUES
    assert gate(workspace, tmp_path, GIT_DIR="clones/it.git").code == ExitCode.ISSUES
    assert gate(workspace, bare, "app.py").code == ExitCode.ISSUES
    assert gate(workspace, bare, "docs").code == ExitCode.PASSED


def test_the_configuration_of_the_base_counts_and_no_file_beside_it(workspace: Workspace, bare: Path) -> None:
    (bare / "selfreview.toml").write_text('severity_threshold = "never"\n')
    (bare / "selfreview_conf.py").write_text("open('pwned', 'w')\n")
    assert gate(workspace, bare).code == ExitCode.ISSUES
    assert not (bare / "pwned").exists()


@pytest.mark.parametrize("depth", ["sub", "a/b/c"])
def test_one_that_a_change_brings_along_is_refused(workspace: Workspace, bare: Path, depth: str) -> None:
    planted = workspace.root / depth / "planted"
    planted.parent.mkdir(parents=True)
    bare.rename(planted)
    with (planted / "config").open("a") as config:
        config.write('[core]\n\tfsmonitor = "touch pwned"\n\tsshCommand = "touch pwned"\n')
    for command in (("gate", "--base", "main", "--head", "work"), ("gate",), ("run",), ("status",)):
        ran = workspace.selfreview(*command, cwd=planted)
        assert ran.code == ExitCode.USAGE
        assert "bare repository" in ran.err
    assert not list(workspace.root.rglob("pwned"))


def test_a_person_who_wants_bare_repositories_named_names_them(workspace: Workspace, bare: Path) -> None:
    config = bare.parent / "config"
    config.write_text("[safe]\n\tbareRepository = explicit\n")
    ran = gate(workspace, bare, GIT_CONFIG_GLOBAL=str(config))
    assert ran.code == ExitCode.USAGE
    assert "GIT_DIR=. selfreview gate" in ran.err
    assert gate(workspace, bare, GIT_CONFIG_GLOBAL=str(config), GIT_DIR=".").code == ExitCode.ISSUES
    config.write_text("[safe]\n\tbareRepository = all\n")
    with (bare / "config").open("a") as own:  # says nothing of itself, as for git
        own.write("[safe]\n\tbareRepository = explicit\n")
    assert gate(workspace, bare, GIT_CONFIG_GLOBAL=str(config)).code == ExitCode.ISSUES


def test_a_git_directory_is_not_taken_for_a_change_s_doing(workspace: Workspace) -> None:
    ran = gate(workspace, workspace.root / ".git")
    assert ran.code == ExitCode.USAGE
    assert "git directory, not in a working tree" in ran.err


@pytest.mark.parametrize("place", ["proj/.git", "proj/.bare"])
def test_the_folder_around_one_says_to_name_it(workspace: Workspace, bare: Path, tmp_path: Path, place: str) -> None:
    (tmp_path / "proj").mkdir()
    bare.rename(tmp_path / place)
    if place == "proj/.bare":  # as for a worktree a branch
        (tmp_path / "proj" / ".git").write_text("gitdir: ./.bare\n")
    ran = gate(workspace, tmp_path / "proj")
    assert ran.code == ExitCode.USAGE
    assert "GIT_DIR=.git selfreview gate" in ran.err
    assert gate(workspace, tmp_path / "proj", GIT_DIR=".git").code == ExitCode.ISSUES


def test_a_line_feed_in_its_path(workspace: Workspace, bare: Path) -> None:
    odd = bare.with_name("two\nlines.git")
    bare.rename(odd)
    assert gate(workspace, odd).code == ExitCode.ISSUES


def test_what_lies_below_the_top_is_not_it(workspace: Workspace, bare: Path) -> None:
    assert gate(workspace, bare / "refs").code == ExitCode.USAGE
    assert gate(workspace, workspace.root / ".git").code == ExitCode.USAGE


def test_what_needs_a_tree_still_says_so(workspace: Workspace, bare: Path) -> None:
    for command in (("run",), ("status",), ("hook", "run", "pre-commit")):
        ran = workspace.selfreview(*command, cwd=bare)
        assert ran.code == ExitCode.USAGE
        assert "working tree" in ran.err
