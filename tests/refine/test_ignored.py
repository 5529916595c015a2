"""What a fixer writes to ignored files is no part of what checks judge."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from selfreview.git.workspace import Workspace
from selfreview.refine import leftovers
from selfreview.refine.leftovers import Ignored
from tests.conftest import Workspace as Person
from tests.refine.lab import fill, tree_of, workspace_of

posix = pytest.mark.skipif(sys.platform == "win32", reason="links and times of inodes")


@pytest.fixture
def scratch(workspace: Person, tmp_path: Path) -> Iterator[Workspace]:
    fill(workspace)
    with workspace_of(workspace, tmp_path) as (_, made):
        inside = Person(made.root)
        inside.write("ignored/built.py", "one = 1\n")
        inside.write("ignored/deep/tool", "#!/bin/sh\n")
        (made.root / "ignored/deep/tool").chmod(0o755)
        inside.write("ignored/__pycache__/a.pyc", b"\0one")
        inside.write("other.log", "log\n")
        yield made


def _same_times(path: Path) -> None:
    status = path.stat()
    path.write_bytes(b"X" * status.st_size)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _instead(root: Path) -> None:
    (root / "ignored/built.py").unlink()
    (root / "ignored/built.py").mkdir()
    (root / "ignored/built.py/x").write_text("x")


def _link(root: Path) -> None:
    (root / "ignored/built.py").unlink()
    (root / "ignored/built.py").symlink_to("/dev/null")


def _link_above(root: Path) -> None:
    (root / "ignored/deep").rename(root / "ignored/other")
    (root / "ignored/deep").symlink_to("other")


@pytest.mark.parametrize(
    "deed",
    [
        lambda root: (root / "ignored/built.py").write_text("one = 2\n"),
        pytest.param(lambda root: _same_times(root / "ignored/built.py"), marks=posix),
        lambda root: (root / "ignored/built.py").unlink(),
        lambda root: (root / "ignored/deep/tool").unlink(),
        lambda root: (root / "ignored/more.py").write_text("m = 1\n"),
        lambda root: (root / "more.log").write_text("m = 1\n"),
        _instead,
        pytest.param(_link, marks=posix),
        pytest.param(_link_above, marks=posix),
    ],
)
def test_it_is_put_back(scratch: Workspace, deed: Callable[[Path], object]) -> None:
    before = tree_of(scratch.root)
    around = Ignored(scratch)
    deed(scratch.root)
    assert around.restore() == ""
    assert tree_of(scratch.root) == before


def test_a_cache_is_removed_where_it_was_changed_and_stays_where_not(scratch: Workspace) -> None:
    Person(scratch.root).write("ignored/__pycache__/b.pyc", b"\0two")
    around = Ignored(scratch)
    (scratch.root / "ignored/__pycache__/a.pyc").write_bytes(b"\0bad")
    assert around.restore() == ""
    assert scratch.ignored() == {"ignored/__pycache__/b.pyc", "ignored/built.py", "ignored/deep/tool", "other.log"}


def test_what_is_too_much_to_be_kept_is_removed_and_named(scratch: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leftovers, "_MAX_KEPT", 10)
    Person(scratch.root).write("ignored/large.js", "one\n" * 5)
    around = Ignored(scratch)
    (scratch.root / "ignored/large.js").write_text("bad\n" * 5)
    (scratch.root / "other.log").write_text("bad\n")
    assert around.restore().startswith("It changed ignored/large.js, which git ignores; that was removed")
    assert not (scratch.root / "ignored/large.js").exists()
    assert (scratch.root / "other.log").read_text() == "log\n"


def test_a_repository_that_git_ignores_is_looked_into(scratch: Workspace) -> None:
    for name in ("one", "two"):
        (scratch.root / "ignored" / name).mkdir()
        inside = Person(scratch.root / "ignored" / name)
        inside.git("init", "--quiet")
        inside.commit("first", **{"a.py": "a = 1\n"})
    around = Ignored(scratch)
    (scratch.root / "ignored/one/a.py").write_text("a = 2\n")
    assert "It changed ignored/one/, which git ignores" in around.restore()
    assert not (scratch.root / "ignored/one").exists()
    assert (scratch.root / "ignored/two/a.py").exists()


def test_a_file_that_cannot_be_read_is_not_put_back_and_named(
    scratch: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str) -> None:
        raise PermissionError(path)

    with monkeypatch.context() as patched:
        patched.setattr(scratch, "read", refuse)
        before = Ignored(scratch)
    (scratch.root / "other.log").write_bytes(b"another\n")
    assert "other.log, which git ignores" in before.restore()
