"""Applying and undoing between any two trees, where files become folders and links too, cut off anywhere."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from selfreview.apply.applier import Applier
from selfreview.apply.patches import Patch, PatchStore
from selfreview.cli.terminal import uninterrupted
from selfreview.git.repo import Repo, discover
from selfreview.git.worktree_files import Entry, write_file
from tests.conftest import Workspace as Person
from tests.refine.lab import AT, tree_of

from .cutting import killed_at, unclosed

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and modes")

Tree = dict[str, Entry]

ENTRIES = st.one_of(
    st.builds(Entry, st.sampled_from(["100644", "100755"]), st.sampled_from([b"", b"one\n", b"two\r\n", b"\0\xff"])),
    st.builds(Entry, st.just("120000"), st.sampled_from([b"a", b"b", b"a/b", b"nowhere", b".."])),
)
FOLDERS = st.recursive(
    ENTRIES, lambda inner: st.dictionaries(st.sampled_from("abc"), inner, min_size=1, max_size=3), max_leaves=6
)
TREES = st.dictionaries(st.sampled_from(["a", "b", "c", "d é"]), FOLDERS, max_size=3).map(
    lambda tree: dict(_leaves(tree))
)
quick = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def _leaves(tree: dict[str, Any], above: str = "") -> Iterator[tuple[str, Entry]]:
    for name, node in tree.items():
        if isinstance(node, Entry):
            yield above + name, node
        else:
            yield from _leaves(node, f"{above}{name}/")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)  # it is the order of steps that is tested, not the disk


class Lab:
    """A repository whose tree is made anew for every example."""

    def __init__(self, person: Person) -> None:
        self.person = person
        person.git("rm", "--quiet", "README.md")
        self.repo: Repo = discover(person.root, os.environ)
        self.own = person.root / ".git" / "selfreview"

    def begin(self, old: Tree, new: Tree, *, index: bool) -> Patch:
        """Bring the tree into a state, and keep the way to another one."""
        shutil.rmtree(self.own, ignore_errors=True)
        for path in self.person.root.iterdir():
            if path.name != ".git":
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        for name, entry in old.items():
            write_file(self.person.root, name, entry)
        if index:
            self.person.git("add", "--all")
        paths = sorted(path for path in {*old, *new} if old.get(path) != new.get(path))
        return self.store.keep({path: (old.get(path), new.get(path)) for path in paths}, b"", at=AT, iteration=1)

    @property
    def store(self) -> PatchStore:
        return PatchStore(self.own / "patches")

    @property
    def applier(self) -> Applier:
        return Applier(self.repo, self.store, uninterrupted)

    @property
    def tree(self) -> Tree:
        """All that is there, also what is half done."""
        found = {}
        for path, (mode, data) in tree_of(self.person.root).items():
            kind = "120000" if stat.S_ISLNK(mode) else "100755" if mode & 0o100 else "100644"
            found[path] = Entry(kind, data)
        for folder, names, _ in os.walk(self.person.root):  # a link to a folder is no file to os.walk
            links = [name for name in names if Path(folder, name).is_symlink()]
            for name in links:
                path = Path(folder, name)
                found[path.relative_to(self.person.root).as_posix()] = Entry("120000", os.fsencode(path.readlink()))
        return {path: entry for path, entry in found.items() if not path.startswith(".git/")}

    def index(self) -> str:
        return self.person.git("ls-files", "--stage")


@pytest.fixture
def lab(workspace: Person) -> Lab:
    return Lab(workspace)


@unclosed
@quick
@given(old=TREES, new=TREES, cut=st.integers(1, 700), undo=st.booleans())
def test_all_old_or_all_new_wherever_it_is_cut_off(lab: Lab, old: Tree, new: Tree, cut: int, *, undo: bool) -> None:
    patch = lab.begin(old, new, index=False)
    begin, end = (new, old) if undo else (old, new)
    if undo:
        lab.applier.apply(patch, staged=False, at=AT)
        assert lab.tree == new

    def work() -> None:
        lab.applier.undo(AT) if undo else lab.applier.apply(patch, staged=False, at=AT)

    was_cut = killed_at(cut, work)
    recovered = lab.applier.recover()
    assert lab.tree == (end if recovered or not was_cut else lab.tree)
    assert lab.tree in (begin, end)
    assert not lab.applier.interrupted
    if lab.applier.applied() is not None:
        lab.applier.undo(AT)
        assert lab.tree == old


@unclosed
@quick
@given(old=TREES, new=TREES, cut=st.integers(1, 700), data=st.data())
def test_what_the_person_puts_anywhere_after_it_was_cut_off_stays(
    lab: Lab, old: Tree, new: Tree, cut: int, data: st.DataObject
) -> None:
    patch = lab.begin(old, new, index=False)
    if not killed_at(cut, lambda: lab.applier.apply(patch, staged=False, at=AT)):
        return
    path = data.draw(st.sampled_from(sorted({*old, *new, "b/mine", "a/b/mine"})))
    target = lab.person.root / path
    if any(folder.is_symlink() or folder.is_file() for folder in target.parents) or target.is_dir():
        return
    theirs = Entry("100644", b"theirs\n")
    write_file(lab.person.root, path, theirs)
    done = lab.applier.recover()
    tree = lab.tree
    assert tree.pop(path) == theirs
    assert not lab.applier.interrupted
    assert not [name for name in tree if ".p-" in name] or done is None
    if done is not None:
        assert all(entry in (old.get(name), new.get(name)) for name, entry in tree.items())
        kept = new if done.completed else old
        left = {*done.skipped, path}
        assert {n: e for n, e in tree.items() if n not in left} == {n: e for n, e in kept.items() if n not in left}


@unclosed
@settings(quick, max_examples=12)
@given(old=TREES, new=TREES, cut=st.integers(1, 900))
def test_the_index_goes_with_the_tree(lab: Lab, old: Tree, new: Tree, cut: int) -> None:
    lab.begin(new, old, index=True)
    staged_new = lab.index()
    patch = lab.begin(old, new, index=True)
    staged_old = lab.index()
    was_cut = killed_at(cut, lambda: lab.applier.apply(patch, staged=True, at=AT))
    recovered = lab.applier.recover()
    if was_cut and recovered is None:
        assert (lab.tree, lab.index()) == (old, staged_old)
        return
    assert (lab.tree, lab.index()) == (new, staged_new)
    lab.applier.undo(AT)
    assert (lab.tree, lab.index()) == (old, staged_old)
