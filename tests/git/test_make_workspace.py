"""What a workspace is made of: submodules, odd names, large files, and what a partial clone lacks."""

from __future__ import annotations

import os
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from selfreview.errors import GitError
from selfreview.git.collect_change import collect
from selfreview.git.content import tree_id
from selfreview.git.make_workspace import make_workspace
from selfreview.git.repo import discover
from selfreview.git.scope import ScopeRequest
from selfreview.git.worktree_files import Entry
from tests.conftest import Workspace as Person
from tests.refine.lab import workspace_of


@pytest.fixture
def with_submodule(workspace: Person, tmp_path: Path) -> Person:
    """A repository with a submodule at its first commit of two."""
    other = Person(tmp_path / "other")
    other.root.mkdir()
    other.git("init", "--quiet")
    other.commit("one", **{"s.py": "s = 1\n"})
    other.commit("two", **{"s.py": "s = 2\n"})
    workspace.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.root), "sub")
    Person(workspace.root / "sub").git("checkout", "--quiet", "HEAD~1")
    workspace.commit("with a submodule", **{"a.py": "a = 1\n"})
    return workspace


def _moved(person: Person) -> None:
    Person(person.root / "sub").git("checkout", "--quiet", "@{-1}")


def _moved_and_staged(person: Person) -> None:
    _moved(person)
    person.git("add", "sub")


def _dirty(person: Person) -> None:
    person.write("sub/s.py", "s = 3\n")


def _gone(person: Person) -> None:
    person.git("rm", "--quiet", "--force", "sub")


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("deed", [_moved, _moved_and_staged, _dirty, _gone])
def test_submodules_are_at_the_commits_under_review(
    with_submodule: Person, tmp_path: Path, deed: Callable[[Person], None], *, staged: bool
) -> None:
    deed(with_submodule)
    with_submodule.write("a.py", "a = 2\n")
    with_submodule.git("add", "a.py")
    repo = discover(with_submodule.root, os.environ)
    request = ScopeRequest(staged=staged)
    collected = collect(repo, request)
    reviewed = tree_id(repo, collected)
    collected.close()
    with workspace_of(with_submodule, tmp_path, request) as (_, scratch):
        assert scratch.start == reviewed
        assert scratch.tree() == reviewed


def test_a_partial_clone_that_lacks_files_says_what_to_do(workspace: Person, tmp_path: Path) -> None:
    workspace.commit("two", **{"a.py": "a = 1\n", "deep/b.py": "b = 1\n"})
    workspace.git("config", "uploadpack.allowFilter", "true")
    clone = Person(tmp_path / "clone")
    source = f"file://{workspace.root.as_posix()}"
    workspace.git("clone", "--quiet", "--filter=blob:none", "--sparse", source, str(clone.root))
    clone.write("a.py", "a = 2\n")
    with (
        pytest.raises(GitError, match="this partial clone lacks files") as error,
        workspace_of(clone, tmp_path),
    ):
        pytest.fail("it was made")
    assert "git sparse-checkout disable" in (error.value.hint or "")


def test_what_a_sparse_checkout_leaves_out_is_as_it_was_committed(workspace: Person, tmp_path: Path) -> None:
    workspace.commit("two", **{"near/a.py": "a = 1\n", "far/b.py": "b = 2\n"})
    workspace.git("sparse-checkout", "set", "near")
    workspace.write("near/a.py", "a = 2\n")
    request = ScopeRequest(base="main")
    collected = collect(discover(workspace.root, os.environ), request)
    reviewed = tree_id(discover(workspace.root, os.environ), collected)
    collected.close()
    with workspace_of(workspace, tmp_path, request) as (_, scratch):
        assert scratch.start == reviewed
        assert (scratch.repo.root / "far/b.py").read_text() == "b = 2\n"


@pytest.mark.skipif(sys.platform == "win32", reason="names that Windows does not have")
def test_names_that_have_to_be_quoted(workspace: Person, tmp_path: Path) -> None:
    files = {
        name: f"{number}\n".encode() for number, name in enumerate(('"a"', "#b", "c\nd", "e\r", " f ", "-g", "\udcffh"))
    }
    for name, data in files.items():
        workspace.write(name, data)
    with workspace_of(workspace, tmp_path) as (_, scratch):
        scratch.write(dict.fromkeys(files))
        was = {name: scratch.at(scratch.start, name) for name in files}
    assert was == {name: Entry("100644", data) for name, data in files.items()}


@pytest.mark.long
def test_large_files_are_there_and_are_not_held_in_memory(workspace: Person, tmp_path: Path) -> None:
    piece = os.urandom(1024 * 1024)
    for number in range(8):
        workspace.write(f"large/{number}.bin", piece * 2)
    with (workspace.root / "larger.bin").open("wb") as stream:
        stream.truncate(65 * 1024 * 1024)
    repo = discover(workspace.root, os.environ)
    collected = collect(repo, ScopeRequest())
    root = tmp_path / "scratch" / "repo"
    root.mkdir(parents=True)
    tracemalloc.start()
    try:
        scratch = make_workspace(repo, collected, root)
        assert tracemalloc.get_traced_memory()[1] < 6 * 1024 * 1024
    finally:
        tracemalloc.stop()
    assert scratch.start == tree_id(repo, collected)
    assert (root / "larger.bin").stat().st_size == 65 * 1024 * 1024
    assert scratch.at(scratch.start, "large/7.bin") == Entry("100644", piece * 2)
    collected.close()
