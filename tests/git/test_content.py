"""The content of both sides: what is read is what git compared, and words are found in the tree under review."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from selfreview.api import WordHit
from selfreview.errors import ExitCode
from selfreview.git.collect_change import collect
from selfreview.git.content import EditedError, RepoContent
from selfreview.git.repo import discover
from selfreview.git.scope import ScopeRequest
from selfreview.model.change import ChangedFile
from selfreview.model.issue import Side
from tests.conftest import Workspace


class Reading:
    """A change of the working tree, collected and not read yet."""

    def __init__(self, space: Workspace) -> None:
        self.repo = discover(space.root, os.environ)
        self.collected = collect(self.repo, ScopeRequest())
        self.content = RepoContent(self.repo, self.collected)

    def file(self, path: str) -> ChangedFile:
        return next(file for file in self.collected.change.files if file.path == path)

    def read(self, path: str) -> bytes | None:
        return self.content.read(self.file(path), Side.NEW)


@pytest.fixture
def reading(workspace: Workspace) -> Iterator[type[Reading]]:
    opened: list[Reading] = []

    class Kept(Reading):
        def __init__(self, space: Workspace) -> None:
            super().__init__(space)
            opened.append(self)

    yield Kept
    for one in opened:
        one.content.close()


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_an_edit_after_the_comparison_is_refused(
    workspace: Workspace, reading: type[Reading], object_format: str
) -> None:
    if object_format == "sha256":
        shutil.rmtree(workspace.root / ".git")
        workspace.git("init", "--quiet", "--object-format=sha256")
        workspace.commit("start", **{"kept.txt": "kept\n"})
    workspace.commit("more", **{"a.txt": "1\n", "b.txt": "1\n", "mode.sh": "1\n"})
    workspace.write("a.txt", "1\n2\n")
    workspace.write("b.txt", "1\n2\n")
    workspace.write("new.txt", "1\n")
    (workspace.root / "mode.sh").chmod(0o755)
    now = reading(workspace)
    workspace.write("a.txt", "0\n1\n2\n")
    (workspace.root / "new.txt").unlink()
    for path in ("a.txt", "new.txt"):
        with pytest.raises(EditedError):
            now.read(path)
    assert now.read("b.txt") == b"1\n2\n"
    if sys.platform != "win32":
        assert now.read("mode.sh") == b"1\n"


def test_a_file_is_read_as_git_stores_it(workspace: Workspace, reading: type[Reading]) -> None:
    attributes = "*.u16 text working-tree-encoding=UTF-16\n*.crlf text eol=crlf\n*.up filter=up\n"
    workspace.git("config", "filter.up.clean", "tr a-z A-Z")
    workspace.commit("start", **{".gitattributes": attributes})
    odd = 'o"d\\ é.u16'
    for name in ("text.u16", odd):
        workspace.write(name, "one\ntwo\n".encode("utf-16"))
    workspace.write("text.crlf", "one\r\ntwo\r\n")
    workspace.write("text.up", "one\n")
    now = reading(workspace)
    assert now.read("text.u16") == now.read(odd) == b"one\ntwo\n"
    assert now.read("text.crlf") == b"one\ntwo\n"
    assert now.read("text.up") == b"ONE\n"


def test_line_ends_that_git_leaves_alone_are_left_alone(workspace: Workspace, reading: type[Reading]) -> None:
    workspace.commit("start", **{"crlf.txt": "1\r\n2\r\n"})
    workspace.git("config", "core.autocrlf", "input")
    workspace.git("config", "core.safecrlf", "true")
    workspace.write("crlf.txt", "1\r\n2\r\n3\n")
    workspace.write("new.txt", "1\r\n2\n")
    now = reading(workspace)
    assert now.read("crlf.txt") == b"1\r\n2\r\n3\n"
    assert now.read("new.txt") == b"1\n2\n"


def test_nothing_is_written_to_the_repository(workspace: Workspace, reading: type[Reading]) -> None:
    workspace.commit("start", **{".gitattributes": "*.crlf text eol=crlf\n"})
    workspace.write("text.crlf", "one\r\ntwo\r\n")
    before = sorted(str(path) for path in (workspace.root / ".git" / "objects").rglob("*"))
    assert reading(workspace).read("text.crlf") == b"one\ntwo\n"
    assert sorted(str(path) for path in (workspace.root / ".git" / "objects").rglob("*")) == before


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script stands in for git")
def test_a_run_over_a_file_that_is_being_edited_is_incomplete(workspace: Workspace) -> None:
    workspace.commit("start", **{"app.py": "A = 1\n"})
    workspace.write("app.py", "A = 1\nB = 2\n")
    real = shutil.which("git")
    folder = workspace.root.parent / "bin"
    folder.mkdir()
    edit = 'case "$*" in *--patch-with-raw*) echo "C = 3" >>app.py;; esac'
    script = f'#!/bin/sh\n"{real}" "$@"\nstatus=$?\n{edit}\nexit $status\n'
    (folder / "git").write_text(script)
    (folder / "git").chmod(0o755)
    ran = workspace.selfreview("run", "--no-cache", PATH=f"{folder}{os.pathsep}{os.environ['PATH']}")
    assert ran.code == ExitCode.INCOMPLETE, ran
    assert "edited while it was under review" in ran.out


SIGNS = st.sampled_from([b"\n", b"\n", b"\r", b"#", b"!", b"+", b"@@ -1 +1 @@", b"\\ No newline at end of file", b"a"])


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(SIGNS, max_size=9).map(b"".join), min_size=20, max_size=20))
def test_a_probe_of_a_new_file_is_its_beginning_whatever_was_read_before(
    workspace: Workspace, texts: list[bytes]
) -> None:
    for number, text in enumerate(texts):
        workspace.write(f"{number}.txt", text)
    unread, known = Reading(workspace), Reading(workspace)
    try:
        for file in known.collected.change.files:
            data = known.content.read(file, Side.NEW)
            assert data is not None
            for length in range(9):
                probe = unread.content.probe(file, Side.NEW, length)
                assert probe == known.content.probe(file, Side.NEW, length) == (data[:length], len(data))
        assert {file.path for file in unread.collected.change.files} == {f"{number}.txt" for number in range(20)}
    finally:
        unread.content.close()
        known.content.close()


def hits(space: Workspace, *words: str, **request: object) -> set[WordHit]:
    repo = discover(space.root, os.environ)
    content = RepoContent(repo, collect(repo, ScopeRequest(**request)))  # type: ignore[arg-type]
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
    content = RepoContent(repo, collect(repo, ScopeRequest(**request)))  # type: ignore[arg-type]
    try:
        return content.list_paths()
    finally:
        content.close()
