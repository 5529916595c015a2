"""Where two texts differ."""

from __future__ import annotations

import difflib
import itertools
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview.git.worktree_files import PLAIN, Entry
from selfreview.guard import patch
from selfreview.guard.model import Bounds, Edited
from selfreview.guard.patch import Part, differing
from selfreview.model.change import Change, Scope
from selfreview.testing.context import MemoryConfig

LINES = st.lists(st.sampled_from(["a", "b", "", "}", "x1", "x2", "x3", "x4"]), max_size=30)


def applied(parts: Sequence[Part], old: Sequence[str], new: Sequence[str]) -> list[str]:
    made, at = [], 0
    for part in parts:
        made += [*old[at : part.old_first], *new[part.new_first : part.new_end]]
        at = part.old_end
    return [*made, *old[at:]]


@given(LINES, LINES, st.sampled_from([0, 5, 50, patch.LARGEST_EXACT]))
def test_the_parts_make_one_of_the_other(old: list[str], new: list[str], largest: int) -> None:
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(patch, "LARGEST_EXACT", largest)
        parts = differing(old, new)
    assert applied(parts, old, new) == new
    assert all(part.old_first < part.old_end or part.new_first < part.new_end for part in parts)
    assert all(a.old_end < b.old_first or a.new_end < b.new_first for a, b in itertools.pairwise(parts))


@given(LINES, LINES)
def test_small_texts_are_compared_exactly(old: list[str], new: list[str]) -> None:
    old, new = ["old", *old, "old"], ["new", *new, "new"]
    exact = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    assert differing(old, new) == [tuple(rest) for kind, *rest in exact if kind != "equal"]


def test_a_large_text_is_split_at_lines_that_occur_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patch, "LARGEST_EXACT", 0)
    assert differing(["0", "", "one", "", "two", "9"], ["1", "", "one", "2", "", "two", "8"]) == [
        (0, 1, 0, 1), (3, 3, 3, 4), (5, 6, 6, 7),
    ]  # fmt: skip


@given(st.permutations(range(9)))
def test_of_lines_that_occur_once_as_many_as_can_be_stay(order: list[int]) -> None:
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(patch, "LARGEST_EXACT", 0)
        parts = differing([str(number) for number in range(9)], [str(number) for number in order])
    rising = (n for n in range(9, 0, -1) for part in itertools.combinations(order, n) if list(part) == sorted(part))
    assert 9 - sum(part.old_end - part.old_first for part in parts) == next(rising)


def test_a_text_that_repeats_itself_is_compared_in_bounded_work() -> None:
    """Exactly, a hundred thousand lines of four kinds would take days."""
    old, new = (random.Random(seed).choices(["  {", "  },", "on", "off"], k=100_000) for seed in (1, 2))
    assert differing(["1", *old, "1"], ["2", *new, "2"]) == [Part(0, 100_002, 0, 100_002)]


def test_only_the_deleted_files_that_could_be_the_same_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []

    def counted(old: Sequence[str], new: Sequence[str]) -> list[Part]:
        compared.append(len(old))
        return differing(old, new)

    monkeypatch.setattr(patch, "differing", counted)
    texts = [[f"x{number}_{line}" for line in range(9)] for number in range(20)]
    gone = [Edited(f"old/{n}.py", Entry(PLAIN, "\n".join(["a", *text]).encode()), None) for n, text in enumerate(texts)]
    come = [Edited(f"new/{n}.py", None, Entry(PLAIN, "\n".join(["b", *text]).encode())) for n, text in enumerate(texts)]
    bounds = Bounds(Change(scope=Scope(mode="branch"), files=()), (), MemoryConfig({}))
    files = patch.make_patch([*gone, *come], bounds).files
    assert {file.path: file.old_path for file in files} == {f"new/{n}.py": f"old/{n}.py" for n in range(20)}
    assert len(compared) == 20


def test_the_deleted_file_whose_lines_stand_in_the_same_order_is_the_same() -> None:
    lines = [f"x{number}" for number in range(9)]
    old = {"a.py": lines[::-1], "b.py": lines[:-1]}
    gone = [Edited(path, Entry(PLAIN, "\n".join(text).encode()), None) for path, text in old.items()]
    new = Edited("c.py", None, Entry(PLAIN, "\n".join(lines).encode()))
    bounds = Bounds(Change(scope=Scope(mode="branch"), files=()), (), MemoryConfig({}))
    assert [(file.path, file.old_path) for file in patch.make_patch([*gone, new], bounds).files] == [
        ("a.py", "a.py"), ("c.py", "b.py"),
    ]  # fmt: skip


def test_a_line_that_is_there_often_is_the_same_line_as_well() -> None:
    old, new = (["}" if n % 50 == 25 else f"{side}{n}" for n in range(250)] for side in "ab")
    assert len(differing(old, new)) == 6
