"""Kept patches: complete or not there, and nothing of one that never got finished."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from selfreview.apply.patches import KEEP, PatchStore, replace_durably
from selfreview.git.worktree_files import Entry
from tests.refine.lab import AT


def test_what_a_killed_process_left_half_written_goes_after_a_while(tmp_path: Path) -> None:
    old, fresh = tmp_path / ".p-1-aaaa", tmp_path / ".p-2-bbbb"
    for folder in (old, fresh):
        (folder / "blobs").mkdir(parents=True)
    hours_ago = time.time() - 7200
    os.utime(old, (hours_ago, hours_ago))
    store = PatchStore(tmp_path)
    patch = store.keep({"a": (None, Entry("100644", b"a"))}, b"", at=AT, iteration=1)
    assert not old.exists()
    assert fresh.exists()  # it may be of a process that is at work
    assert store.names() == [patch.id]


def test_what_one_run_keeps_stays_though_the_clock_went_back(tmp_path: Path) -> None:
    for number in range(KEEP + 2):
        (tmp_path / f"p-20991231000000-{number:04x}").mkdir()
    store = PatchStore(tmp_path)
    made = {store.keep({"a": (None, Entry("100644", b"a"))}, b"", at=AT, iteration=n).id for n in (1, 2)}
    assert made <= set(store.names())
    assert len(store.names()) == KEEP


def test_a_file_that_cannot_be_replaced_leaves_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "a").write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        replace_durably(tmp_path / "a", b"new")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"old"}


@pytest.mark.parametrize("record", ["applied.json", "journal.json", "cycle.json"])
@pytest.mark.parametrize("place", ["", "worktrees/other"])
def test_a_patch_that_a_working_tree_refers_to_stays(tmp_path: Path, place: str, record: str) -> None:
    folder = tmp_path / "selfreview" / "patches"
    names = [f"p-20200101000000-{number:04x}" for number in range(KEEP + 2)]
    for name in names:
        (folder / name).mkdir(parents=True)
    own = tmp_path / place / "selfreview"
    own.mkdir(parents=True, exist_ok=True)
    (own / record).write_text(json.dumps({"patch": names[0], "head": "0" * 40}))
    store = PatchStore(folder)
    store.keep({"a": (None, Entry("100644", b"a"))}, b"", at=AT, iteration=1)
    assert names[0] in store.names()
    assert names[1] not in store.names()
    (own / record).write_text("{")
    store.keep({"a": (None, Entry("100644", b"b"))}, b"", at=AT, iteration=2)
    assert len(store.names()) == KEEP + 1  # nothing goes while a reference cannot be read
