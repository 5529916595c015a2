"""What a run that broke off has kept, and whether one can go on from there."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfreview.apply.patches import Patch, PatchStore
from selfreview.errors import GitError, StoreError
from selfreview.git.workspace import Workspace
from selfreview.git.worktree_files import Entry
from selfreview.model.event import Event
from selfreview.model.refinement import FixerReport, Refinement
from selfreview.model.result import Iteration
from selfreview.refine import resuming
from selfreview.refine.resuming import Earlier, broken_off, enter, recall, remember
from tests.conftest import Workspace as Person
from tests.refine.issues import issue
from tests.refine.lab import fill, keep, tree_of, workspace_of
from tests.refine.results import result

EDITS: dict[str, Entry | None] = {
    "edited.py": Entry("100644", b"a = 10\n"),
    "crlf.txt": Entry("100644", b"one\r\ntwo!\r\n"),
    "kept.txt": None,
    "fresh/new.py": Entry("100755", b"#!/usr/bin/env python\n"),
}


def iteration(tree: str | None, patch: Patch | None = None) -> Iteration:
    report = FixerReport(name="fixer", issues=["a"], files=["edited.py"])
    refinement = Refinement(fixers=[report], tree=tree, patch=patch.id if patch is not None else None)
    return Iteration(refinement=refinement, review=result(issue("b")), addressed=[issue("a")])


@pytest.fixture
def kept(workspace: Person, tmp_path: Path) -> tuple[Person, PatchStore, Earlier]:
    """A patch with its iteration, of a run that is over."""
    fill(workspace)
    with workspace_of(workspace, tmp_path / "first") as (repo, scratch):
        patches, patch = keep(repo, scratch, EDITS)
        done = iteration(scratch.tree(), patch)
    remember(patch, done)
    return workspace, patches, Earlier(done, patch)


def entries(scratch: Workspace) -> dict[str, tuple[int, bytes]]:
    return tree_of(scratch.root)


def test_what_was_kept_comes_back(kept: tuple[Person, PatchStore, Earlier], tmp_path: Path) -> None:
    person, patches, earlier = kept
    (again,) = recall(patches, [earlier.patch.id])
    assert again.iteration == earlier.iteration
    with workspace_of(person, tmp_path / "second") as (repo, scratch):
        assert enter(scratch, again, repo) == EDITS
        assert scratch.tree() == earlier.iteration.refinement.tree


def test_another_tree_is_left_as_it_is(kept: tuple[Person, PatchStore, Earlier], tmp_path: Path) -> None:
    person, _, earlier = kept
    for number, path in enumerate(["edited.py", "new.py", "kept.txt", "fresh/new.py", "another.py"]):
        file = person.root / path
        was = file.read_bytes() if file.exists() else None
        person.write(path, "mine\n")
        with workspace_of(person, tmp_path / f"second{number}") as (repo, scratch):
            before = entries(scratch)
            assert enter(scratch, earlier, repo) is None, path
            assert entries(scratch) == before, path
            assert scratch.tree() == scratch.start, path
        file.unlink() if was is None else file.write_bytes(was)


def test_an_ignored_file_in_a_folder_that_became_a_file_is_no_crash(workspace: Person, tmp_path: Path) -> None:
    workspace.commit("spot", **{"spot/file.txt": "1\n", ".gitignore": "*.log\n"})
    edits: dict[str, Entry | None] = {"spot/file.txt": None, "spot": Entry("100644", b"2\n")}
    with workspace_of(workspace, tmp_path / "first") as (repo, scratch):
        _, patch = keep(repo, scratch, edits)
        earlier = Earlier(iteration(scratch.tree(), patch), patch)
    with workspace_of(workspace, tmp_path / "second") as (repo, scratch):
        (scratch.root / "spot/made.log").write_bytes(b"by the setup")
        assert enter(scratch, earlier, repo) == edits
        scratch.restore({"spot": None, "spot/file.txt": Entry("100644", b"1\n")}, scratch.start)
        (scratch.root / "spot/made.log").write_bytes(b"by the setup")
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(resuming, "make_room", _refuse)
            with pytest.raises(GitError, match="cannot be brought to where it was: it is full"):
                enter(scratch, earlier, repo)


def _refuse(root: Path, path: str) -> None:
    raise OSError("it is full")


def test_it_goes_as_far_as_can_be_read(kept: tuple[Person, PatchStore, Earlier]) -> None:
    _, patches, earlier = kept
    name = earlier.patch.id
    assert [one.patch.id for one in recall(patches, [name, "p-0", name])] == [name]
    (earlier.patch.folder / "iteration.json").write_text('{"refinement": 1}')
    assert recall(patches, [name]) == []
    (earlier.patch.folder / "iteration.json").unlink()
    assert recall(patches, [name]) == []


def test_damaged_content_is_an_error(kept: tuple[Person, PatchStore, Earlier], tmp_path: Path) -> None:
    person, _, earlier = kept
    for blob in (earlier.patch.folder / "blobs").iterdir():
        blob.write_bytes(b"?")
    with workspace_of(person, tmp_path / "second") as (repo, scratch), pytest.raises(StoreError, match="damaged"):
        enter(scratch, earlier, repo)


def test_it_is_kept_once(kept: tuple[Person, PatchStore, Earlier]) -> None:
    _, _, earlier = kept
    with pytest.raises(StoreError, match="an iteration cannot be kept in"):
        remember(earlier.patch, earlier.iteration)


def moved(previous: str, new: str) -> Event:
    return Event(kind="session.state_changed", at="", data={"previous": previous, "new": new})


def resumed(*patches: str) -> Event:
    return Event(kind="session.resumed", at="", data={"patches": list(patches)})


def refined(patch: str | None) -> Event:
    return Event(kind="session.refinement_completed", at="", data={"patch": patch})


BEGIN = moved("pending_self_review", "self_reviewing")
RESUME = Event(kind="person.resume", at="", data={})
REVIEW_AGAIN = moved("refining", "self_reviewing")


@pytest.mark.parametrize(
    ("events", "patches"),
    [
        ([], []),
        ([BEGIN], []),
        ([BEGIN, REVIEW_AGAIN, refined("p-1"), REVIEW_AGAIN, refined("p-2")], ["p-1", "p-2"]),
        ([BEGIN, refined("p-1"), refined(None)], ["p-1"]),
        ([BEGIN, refined("p-1"), BEGIN, refined("p-2")], ["p-2"]),
        ([BEGIN, refined("p-1"), BEGIN], []),
        ([BEGIN, refined("p-1"), RESUME, BEGIN], ["p-1"]),
        ([BEGIN, refined("p-1"), RESUME, BEGIN, resumed("p-1"), refined("p-2")], ["p-1", "p-2"]),
        ([BEGIN, refined("p-1"), RESUME, BEGIN, resumed(), refined("p-2")], ["p-2"]),
        ([BEGIN, refined("p-1"), RESUME, BEGIN, resumed("p-1"), BEGIN], []),
    ],
    ids=["nothing", "begun", "two", "no-change", "the-last", "anew", "early", "resumed", "another-tree", "anew-later"],
)  # fmt: skip
def test_which_patches_the_last_run_left(events: list[Event], patches: list[str]) -> None:
    assert broken_off(events) == patches
