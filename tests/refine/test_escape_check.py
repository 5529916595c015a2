"""What changes around a workspace while a fixer runs is said, each in its own words."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from selfreview.git.repo import Repo
from selfreview.git.workspace import Workspace
from selfreview.proc import Runner
from selfreview.refine.check_runner import Checker
from selfreview.refine.leftovers import Around, EscapeCheck
from selfreview.testing.context import MemoryConfig
from tests.conftest import Workspace as Person
from tests.refine.lab import workspace_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links")


def _with_times(path: Path, text: str) -> None:
    status = path.stat()
    path.write_text(text)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


class Lab:
    """A workspace that shares a folder."""

    def __init__(self, person: Person, repo: Repo, workspace: Workspace) -> None:
        self.person, self.workspace = person, workspace
        table = {"workspace": {"share": ["modules", "nowhere"]}}
        assert Checker(workspace, person.root, MemoryConfig(table), Runner()).prepare() is None
        self.check = EscapeCheck([repo.git_dir], workspace)
        self.before: Around = self.check.snapshot()

    def said(self) -> str:
        found = self.check.since(self.before)
        return "" if found is None else " | ".join(found)


@pytest.fixture
def lab(workspace: Person, tmp_path: Path) -> Iterator[Lab]:
    workspace.commit("ignore", **{".gitignore": "modules/\n"})
    workspace.write("modules/lib/index.js", "1\n")
    workspace.write("modules/.cache/x", "1\n")
    workspace.write("modules/lib/.cache/x", "1\n")
    (workspace.root / "modules/lib/__pycache__").mkdir()
    with workspace_of(workspace, tmp_path) as (repo, scratch):
        yield Lab(workspace, repo, scratch)


def test_work_in_the_workspace_and_in_the_tree_is_nothing(lab: Lab) -> None:
    Person(lab.workspace.root).commit("inside", **{"a.py": "a = 1\n"})
    lab.person.write("a.py", "a = 2\n")
    assert lab.said() == ""


def test_a_commit_of_the_person_is_told_from_a_hook_and_with_it(lab: Lab) -> None:
    lab.person.commit("meanwhile", **{"a.py": "a = 1\n"})
    assert "a branch or a tag of your repository moved" in lab.said()
    assert "hooks" not in lab.said()
    lab.person.write(".git/hooks/pre-commit", "#!/bin/sh\n")
    assert lab.said().startswith("hooks or settings of your repository changed")
    assert "; a branch or a tag of your repository moved" in lab.said()


@pytest.mark.parametrize(
    "deed",
    [
        lambda root: (root / "modules/lib/index.js").write_text("2\n"),
        lambda root: (root / "modules/lib/more.js").write_text("1\n"),
        lambda root: (root / "modules/lib/index.js").unlink(),
        lambda root: (root / "modules/lib/index.js").chmod(0o755),
        lambda root: (root / "modules/lib/.cache/x").write_text("2\n"),
        lambda root: (root / "modules/lib/__pycache__/a.pyc").write_text("1\n"),
        lambda root: _with_times(root / "modules/lib/index.js", "2\n"),
    ],
    ids=["edited", "new", "gone", "mode", "cache", "code in a cache", "times set back"],
)
def test_what_is_written_through_a_link_is_seen(lab: Lab, deed: Callable[[Path], object]) -> None:
    os.utime(lab.person.root / "modules/lib/index.js", (1, 1))
    lab.before = lab.check.snapshot()
    deed(lab.workspace.root)
    assert "something in modules changed while it ran" in lab.said()


def test_a_cache_of_the_workspace_alone_is_no_matter(lab: Lab) -> None:
    assert not (lab.workspace.root / "modules/.cache").exists()
    Person(lab.workspace.root).write("modules/.cache/y", "1\n")
    Person(lab.workspace.root).write("modules/__pycache__/y.pyc", "1\n")
    assert lab.said() == ""
