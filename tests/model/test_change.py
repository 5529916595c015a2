from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from selfreview.model.change import (
    Change,
    ChangedFile,
    HunkSpan,
    LeftOut,
    LineRange,
    Scope,
    merge_ranges,
    overlaps,
    path_bytes,
    path_from_bytes,
)
from selfreview.model.wire import base64_path, display_path, to_json

ranges = st.lists(st.tuples(st.integers(1, 60), st.integers(0, 9)).map(lambda t: LineRange(t[0], t[0] + t[1])))


@given(st.binary())
def test_every_name_survives(raw: bytes) -> None:
    path = path_from_bytes(raw)
    assert path_bytes(path) == raw
    display_path(path).encode("utf-8")
    to_json({"path": path})


def test_only_names_that_are_not_utf8_need_base64() -> None:
    assert base64_path("größe.py") is None
    assert base64_path(path_from_bytes(b"\xff.py")) == "/y5weQ=="


@given(ranges)
def test_merged_ranges_hold_the_same_lines_once(given_ranges: list[LineRange]) -> None:
    merged = merge_ranges(given_ranges)
    lines = {n for r in given_ranges for n in range(r.first, r.last + 1)}
    assert [n for r in merged for n in range(r.first, r.last + 1)] == sorted(lines)
    assert all(b.first > a.last + 1 for a, b in itertools.pairwise(merged))


@given(ranges, st.integers(1, 70), st.integers(0, 5))
def test_overlap(given_ranges: list[LineRange], first: int, length: int) -> None:
    lines = {n for r in given_ranges for n in range(r.first, r.last + 1)}
    assert overlaps(given_ranges, first, first + length) == bool(lines & set(range(first, first + length + 1)))


def test_lines_of_both_sides() -> None:
    file = ChangedFile(path="a", spans=(HunkSpan(0, 0, 1, 2), HunkSpan(5, 3, 7, 0), HunkSpan(9, 1, 8, 1)))
    assert file.added == (LineRange(1, 2), LineRange(8, 8))
    assert file.removed == (LineRange(5, 7), LineRange(9, 9))
    assert (file.added_lines, file.removed_lines) == (3, 4)


def test_a_range_knows_its_lines() -> None:
    lines = LineRange(3, 5)
    assert [line for line in range(8) if line in lines] == [3, 4, 5]
    assert "4" not in lines
    assert (lines.size, LineRange(7, 7).size) == (3, 1)


def test_a_link_is_told_by_its_new_side() -> None:
    assert ChangedFile(path="a", new_mode="120000").is_symlink
    assert not ChangedFile(path="a", old_mode="120000").is_symlink


def test_a_change_counts_the_lines_of_all_its_files_and_shows_reviewers_some() -> None:
    seen = ChangedFile(path="a", spans=(HunkSpan(1, 2, 1, 5), HunkSpan(9, 0, 12, 1)))
    unseen = ChangedFile(path="b", spans=(HunkSpan(1, 1, 0, 0),), excluded="binary")
    change = Change(scope=Scope(mode="diff"), files=(seen, unseen))
    assert (change.added_lines, change.removed_lines) == (6, 3)
    assert change.reviewable == (seen,)


def test_what_is_left_out_is_counted_in_the_nouns_number() -> None:
    assert LeftOut.of(1, "changed file", " elsewhere") == LeftOut(what="changed file elsewhere", count=1)
    assert LeftOut.of(2, "changed file", " elsewhere") == LeftOut(what="changed files elsewhere", count=2)
