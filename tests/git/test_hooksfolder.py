"""The folder that git takes hooks from is the one that git itself would name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from selfreview.errors import GitError, HookError
from selfreview.git.hooksfolder import HooksFolder, hooks_folder, hooks_in_tree
from selfreview.git.repo import discover
from tests.conftest import Workspace


def folder(space: Workspace) -> HooksFolder:
    found = hooks_folder(discover(space.root, os.environ))
    named = os.path.realpath(space.root / space.git("rev-parse", "--git-path", "hooks"))
    assert str(found.path) == named
    return found


def test_nothing_is_set(workspace: Workspace) -> None:
    path = workspace.root.resolve() / ".git" / "hooks"
    assert folder(workspace) == HooksFolder(path, None, tracked=False, shared=False, husky=False)


def test_a_linked_worktree_uses_those_of_the_repository(workspace: Workspace) -> None:
    workspace.git("worktree", "add", "-q", "../linked")
    assert folder(Workspace(workspace.root.parent / "linked")) == folder(workspace)


def test_a_submodule_has_its_own(workspace: Workspace) -> None:
    workspace.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(workspace.root), "sub")
    found = folder(Workspace(workspace.root / "sub"))
    assert found.path == workspace.root.resolve() / ".git" / "modules" / "sub" / "hooks"
    assert not found.tracked
    assert not found.shared


def test_a_separate_git_directory(workspace: Workspace, tmp_path: Path) -> None:
    workspace.git("init", "-q", "--separate-git-dir", str(tmp_path / "elsewhere"))
    found = folder(workspace)
    assert found.path == (tmp_path / "elsewhere" / "hooks").resolve()
    assert not found.shared


def test_a_folder_of_the_working_tree(workspace: Workspace) -> None:
    workspace.git("config", "core.hooksPath", ".githooks")
    found = folder(workspace)
    assert found.tracked
    assert not found.shared
    assert found.setting == "file:.git/config"


def test_a_folder_of_the_working_tree_seen_from_below(workspace: Workspace) -> None:
    workspace.git("config", "core.hooksPath", ".githooks")
    (workspace.root / "sub").mkdir()
    assert hooks_folder(discover(workspace.root / "sub", os.environ)) == folder(workspace)


def test_husky(workspace: Workspace) -> None:
    workspace.git("config", "core.hooksPath", ".husky/_")
    assert folder(workspace).husky


def test_a_folder_of_the_user(workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    config = tmp_path / "gitconfig"
    config.write_text("[core]\n\thooksPath = ~/all hooks\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    found = folder(workspace)
    assert found.path == (tmp_path / "all hooks").resolve()
    assert found.shared
    assert found.setting == f"file:{config}"


def test_a_link_out_of_the_repository(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    hooks = workspace.root / ".git" / "hooks"
    for name in hooks.iterdir():
        name.unlink()
    hooks.rmdir()
    hooks.symlink_to(tmp_path / "dotfiles")
    assert folder(workspace).shared


def test_the_nearest_setting_wins(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace.git("config", "core.hooksPath", ".githooks")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.hooksPath")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", ".others")
    assert folder(workspace).path.name == ".others"


@pytest.mark.parametrize("value", ["", os.devnull])
def test_a_setting_that_turns_hooks_off(workspace: Workspace, value: str) -> None:
    workspace.git("config", "core.hooksPath", value)
    with pytest.raises(HookError, match="runs no hooks") as caught:
        hooks_folder(discover(workspace.root, os.environ))
    assert caught.value.hint


def test_a_setting_that_git_cannot_read(workspace: Workspace) -> None:
    workspace.git("config", "core.hooksPath", "~nobody-of-that-name/hooks")
    with pytest.raises(GitError, match="expand user dir"):
        hooks_folder(discover(workspace.root, os.environ))


def places(space: Workspace) -> tuple[str, ...]:
    return hooks_in_tree(discover(space.root, os.environ))


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("tools/hooks", ("tools/hooks",)),
        ("./tools/../tools//hooks/", ("tools/hooks",)),
        ("web/.husky/_", ("web/.husky", "web/.husky/_")),
        (".", ("",)),
        ("../elsewhere", ()),
        ("", ()),
        (os.devnull, ()),
    ],
)
def test_what_of_a_tree_is_hooks(workspace: Workspace, value: str, found: tuple[str, ...]) -> None:
    assert places(workspace) == ()
    workspace.git("config", "core.hooksPath", value)
    assert places(workspace) == found


def test_a_folder_is_known_by_its_place_whatever_its_path_and_wherever_it_is_set(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "way").symlink_to(workspace.root)
    workspace.git("config", "core.hooksPath", str(tmp_path / "way" / "tools"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.hooksPath")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(workspace.root / "others"))
    assert places(workspace) == ("others", "tools")


def test_a_folder_of_one_working_tree_counts_in_all_of_them(workspace: Workspace) -> None:
    workspace.git("worktree", "add", "-q", "../linked")
    linked = Workspace(workspace.root.parent / "linked")
    for home in (workspace.root, linked.root):
        workspace.git("config", "core.hooksPath", str(home / "tools" / "hooks"))
        assert places(workspace) == places(linked) == ("tools/hooks",)
    workspace.git("config", "core.hooksPath", "below")
    assert places(linked) == ("below",)


@pytest.mark.parametrize("value", [None, "tools"])
def test_what_hooks_are_links_to_is_hooks(workspace: Workspace, value: str | None) -> None:
    folder = workspace.root / (value or ".git/hooks")
    folder.mkdir(exist_ok=True)
    (folder / "pre-push").symlink_to(workspace.root / "scripts" / "check.sh")
    (folder / "post-merge").symlink_to("/bin/true")
    if value is not None:
        workspace.git("config", "core.hooksPath", value)
    assert [place for place in places(workspace) if not place.startswith(".git/")] == [
        "scripts/check.sh",
        *([value, f"{value}/post-merge", f"{value}/pre-push"] if value is not None else []),
    ]
