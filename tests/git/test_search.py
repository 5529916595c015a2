"""Words in the tree under review: the working tree, the index, or a commit."""

from __future__ import annotations

import os

import pytest

from selfreview.api import WordHit
from selfreview.git.collect import collect
from selfreview.git.content import RepoContent
from selfreview.git.repo import discover
from selfreview.git.scope import Request
from tests.conftest import Workspace


def hits(space: Workspace, *words: str, **request: object) -> set[WordHit]:
    repo = discover(space.root, os.environ)
    content = RepoContent(repo, collect(repo, Request(**request)))  # type: ignore[arg-type]
    try:
        return set(content.search(words))
    finally:
        content.close()


def test_each_scope_searches_its_own_tree(workspace: Workspace) -> None:
    workspace.commit("one", **{"src/a.py": "def total():\n    return 1\n", "b.py": "totals = 2\n"})
    workspace.commit("two", **{"b.py": "total()\n"})
    workspace.write("b.py", "total(1)\n")
    workspace.git("add", "b.py")
    workspace.write("b.py", "x = 0\ntotal(2)\n")
    workspace.write("new file\n.py", "total(3)\n")
    workspace.write("blob.bin", b"total\0")
    defined = WordHit("src/a.py", 1, "def total():")
    assert hits(workspace, "total", commit="HEAD") == {defined, WordHit("b.py", 1, "total()")}
    assert hits(workspace, "total", staged=True) == {defined, WordHit("b.py", 1, "total(1)")}
    untracked = WordHit("new file\n.py", 1, "total(3)")
    assert hits(workspace, "total") == {defined, WordHit("b.py", 2, "total(2)"), untracked}
    assert hits(workspace, "nowhere") == hits(workspace) == set()


@pytest.mark.parametrize(
    "setting", ["grep.lineNumber=false", "grep.column=true", "grep.patternType=perl", "color.ui=always"]
)
def test_settings_change_nothing(workspace: Workspace, setting: str) -> None:
    workspace.commit("one", **{"a.txt": "a.b\naxb\n"})
    workspace.git("config", *setting.split("="))
    workspace.write("a.txt", "a.b\naxb\n1\n")
    assert hits(workspace, "a.b") == {WordHit("a.txt", 1, "a.b")}


def test_each_scope_lists_its_own_tree(workspace: Workspace) -> None:
    workspace.commit("one", **{"a.py": "1\n", "b/c.py": "1\n"})
    workspace.write("staged.py", "1\n")
    workspace.git("add", "staged.py")
    workspace.write("new\n.py", "1\n")
    assert paths(workspace, commit="HEAD") == ["README.md", "a.py", "b/c.py"]
    assert paths(workspace, staged=True) == ["README.md", "a.py", "b/c.py", "staged.py"]
    assert paths(workspace) == ["README.md", "a.py", "b/c.py", "new\n.py", "staged.py"]


def paths(space: Workspace, **request: object) -> list[str]:
    repo = discover(space.root, os.environ)
    content = RepoContent(repo, collect(repo, Request(**request)))  # type: ignore[arg-type]
    try:
        return content.list_paths()
    finally:
        content.close()
