"""Kept patches: complete or not there, and nothing of one that never got finished."""

from __future__ import annotations

import os
import time
from pathlib import Path

from selfreview.apply.patches import KEEP, PatchStore
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
