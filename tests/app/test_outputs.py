"""A report never goes through a symbolic link of the working tree, which the change may have brought."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from selfreview.app.outputs import check_place
from selfreview.errors import ExitCode, UsageError
from tests.conftest import Workspace


@pytest.fixture
def precious(tmp_path: Path) -> Path:
    """A file outside of the repository."""
    folder = tmp_path / "home"
    folder.mkdir()
    file = folder / "precious"
    file.write_text("mine\n")
    return file


@pytest.mark.parametrize("command", [["gate", "--base", "main"], ["run"]])
@pytest.mark.parametrize("file", ["out", "folder/precious", "sub/../out", "folder/../home/precious"])
@pytest.mark.parametrize("threshold", [[], ["--fail-on", "nonsense"]])
def test_what_a_link_leads_to_is_left_alone(
    workspace: Workspace, precious: Path, command: list[str], file: str, threshold: list[str]
) -> None:
    """Neither a result, nor an error, nor the removal of an earlier report goes there."""
    (workspace.root / "out").symlink_to(precious)
    (workspace.root / "folder").symlink_to(precious.parent)
    workspace.commit("links", **{"app.py": "LIMIT = 3\n", "sub/x.txt": "1\n"})
    ran = workspace.selfreview(*command, "--format", f"concise:{file}", *threshold)
    assert ran.code == ExitCode.USAGE
    assert "is a symbolic link of the working tree" in ran.err
    assert precious.read_text() == "mine\n"
    assert [path.name for path in precious.parent.iterdir()] == ["precious"]
    assert (workspace.root / "out").readlink() == precious


def test_an_error_removes_nothing_behind_a_link(workspace: Workspace, precious: Path) -> None:
    """A format that is no reporter of ours has its earlier file removed."""
    (workspace.root / "out").symlink_to(precious)
    ran = workspace.selfreview("gate", "--format", "nonsense:out")
    assert ran.code == ExitCode.USAGE
    assert precious.read_text() == "mine\n"


def test_a_link_to_nothing_and_one_that_loops_are_refused(workspace: Workspace) -> None:
    (workspace.root / "hook").symlink_to(".git/hooks/post-checkout")
    (workspace.root / "loop").symlink_to("loop")
    for name in ("hook", "loop", "loop/x"):
        assert workspace.selfreview("run", "--format", f"json:{name}").code == ExitCode.USAGE
    assert not (workspace.root / ".git/hooks/post-checkout").exists()


def test_a_link_outside_of_the_working_tree_is_a_persons_own(workspace: Workspace, precious: Path) -> None:
    link = precious.with_name("link")
    link.symlink_to(precious)
    workspace.write("app.py", "LIMIT = 3\n")
    assert workspace.selfreview("run", "--format", f"json:{link}").code == ExitCode.PASSED
    assert (link.is_symlink(), "mine" in precious.read_text()) == (True, False)
    assert workspace.selfreview("run", "--format", "json:new.json").code == ExitCode.PASSED


def test_a_missing_folder_is_made_and_none_through_a_link(workspace: Workspace, precious: Path) -> None:
    workspace.write("app.py", "LIMIT = 3\n")
    assert workspace.selfreview("run", "--format", "json:out/of/it.json").code == ExitCode.PASSED
    assert (workspace.root / "out/of/it.json").is_file()
    elsewhere = precious.parent / "nothing"
    for link in (workspace.root / "gone", precious.with_name("gone")):
        link.symlink_to(elsewhere)
        assert workspace.selfreview("run", "--format", f"json:{link / 'new/it.json'}").code == ExitCode.USAGE
        assert not elsewhere.exists()


@pytest.mark.parametrize("variables", [{"GIT_WORK_TREE": "."}, {"GIT_DIR": "../it.git"}])
def test_a_working_tree_may_have_its_git_directory_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]
) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "out").symlink_to("elsewhere")
    monkeypatch.chdir(tree)
    check_place(Path("out"), Path.cwd(), {})
    with pytest.raises(UsageError, match=r"^out is not written: out is a symbolic link"):
        check_place(Path("out"), Path.cwd(), variables)
    assert os.listdir(tree) == ["out"]  # noqa: PTH208 - the link itself
