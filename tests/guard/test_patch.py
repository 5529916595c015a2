"""Comparison of two texts in bounded work, and files that were renamed."""

from __future__ import annotations

import difflib
import itertools
import random
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview.git.worktree_files import LINK, PLAIN, Entry
from selfreview.guard import patch
from selfreview.guard.model import Bounds, Edited
from selfreview.guard.patch import File, Hunk, Part, Patch, differing, is_binary, make_patch, text_of
from selfreview.model.change import Change, HunkSpan, Scope
from selfreview.testing.context import MemoryConfig
from tests.guard.edits import entry

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


BOUNDS = Bounds(Change(scope=Scope(mode="branch"), files=()), (), MemoryConfig({}))
NUMBERED = [f"x{number}" for number in range(8)]


def text(*lines: str) -> bytes:
    return "\n".join(lines).encode()


def patch_of(files: Mapping[str, tuple[bytes | Entry | None, bytes | Entry | None]]) -> Patch:
    return make_patch([Edited(path, entry(old), entry(new)) for path, (old, new) in files.items()], BOUNDS)


def renames(files: Mapping[str, tuple[bytes | Entry | None, bytes | Entry | None]]) -> dict[str, str]:
    return {file.path: file.old_path for file in patch_of(files).files if file.path != file.old_path}


@pytest.mark.parametrize(
    ("content", "binary", "said"),
    [
        (None, False, ""),
        (Entry(PLAIN, b"a\n"), False, "a\n"),
        (Entry(PLAIN, b"a\0\n"), True, ""),
        (Entry(PLAIN, b"a" * 7999 + b"\0"), True, ""),
        (Entry(PLAIN, b"a" * 8000 + b"\0"), False, "a" * 8000 + "\0"),
        (Entry(LINK, b"a\0"), False, ""),
        (Entry(LINK, b"a"), False, ""),
        (Entry(PLAIN, b"\xff"), False, "\udcff"),
    ],
)
def test_a_text_is_told_from_a_binary_file(content: Entry | None, binary: bool, said: str) -> None:
    assert is_binary(content) == binary
    assert text_of(content) == said


@pytest.mark.parametrize(
    ("old", "new", "test"),
    [
        ("tests/test_a.py", "tests/test_b.py", True),
        ("tests/test_a.py", "tests/helpers.py", True),
        ("tests/test_a.py", "b.py", True),
        ("tests/a_test.py", "tests/tests.py", True),
        ("tests/helpers.py", "tests/a.py", True),
        ("tests/helpers.py", "a.py", True),
        ("a.py", "b.py", False),
        ("a.py", "tests/test_b.py", True),
        ("src/a.test.ts", "src/a.ts", True),
        ("src/a.ts", "src/a.test.ts", True),
        ("a.bats", "b.sh", True),
        ("b.sh", "a.bats", True),
    ],
)
def test_a_test_under_another_name_is_found_or_not(old: str, new: str, test: bool) -> None:
    file = File(new, old, None, None)
    assert file.is_test == test


@pytest.mark.parametrize(("path", "language"), [("a.bats", "bats"), ("a.py", "python"), ("a", None), ("bats", None)])
def test_a_file_is_in_a_language(path: str, language: str | None) -> None:
    assert File(path, path, None, None).language == language


def test_lines_differ_where_git_says_so_or_where_they_do() -> None:
    old, new = entry(b"a\r\nb\nc"), entry(b"a\nx\ny\nc")
    assert File("a", "a", old, new).hunks == [Hunk(2, ["b"], 2, ["x", "y"])]
    spans = [HunkSpan(1, 2, 1, 1), HunkSpan(2, 0, 2, 2), HunkSpan(3, 1, 3, 0)]
    assert File("a", "a", old, new, spans).hunks == [
        Hunk(1, ["a", "b"], 1, ["a"]), Hunk(3, [], 2, ["x", "y"]), Hunk(3, ["c"], 4, []),
    ]  # fmt: skip
    assert File("a", "a", old, new, []).hunks == []
    assert File("a", "a", new, old).hunks == [Hunk(2, ["x", "y"], 2, ["b"])]


@pytest.mark.parametrize(
    ("old", "new", "renamed"),
    [
        (text(*NUMBERED), text(*NUMBERED), True),
        (text(*NUMBERED), text(*NUMBERED[:4], "a", "b", "c", "d"), True),
        (text(*NUMBERED), text(*NUMBERED[:3], "a", "b", "c", "d", "e"), False),
        (text(*NUMBERED), text(*NUMBERED[:4], "a", "b", "c", "d", "e"), False),
        (text(*NUMBERED), text(*NUMBERED[5:], *NUMBERED[3:5], *NUMBERED[:3]), False),
        (b" \n", b" \n", False),
        (Entry(LINK, b"a"), Entry(LINK, b"a"), False),
        (Entry(LINK, b"a"), b"a", False),
        (b"a" * 200_000, b"a" * 200_000, True),
        (b"a" * 200_001, b"a" * 200_001, True),
        (b"a\n" * 100_000, b"a\n" * 99_999 + b"b\n", True),
        (b"a\n" * 100_000, b"a\n" * 100_000 + b"b", False),
        (b"a\n" * 100_000 + b"b", b"a\n" * 100_000, False),
    ],
)
def test_a_deleted_file_that_is_much_like_a_new_one_was_renamed(
    old: bytes | Entry, new: bytes | Entry, renamed: bool
) -> None:
    assert renames({"a.py": (old, None), "b.py": (None, new)}) == ({"b.py": "a.py"} if renamed else {})


def test_a_file_is_renamed_once_and_to_one_of_its_language() -> None:
    same = text(*NUMBERED)
    assert renames({"a.py": (same, None), "b.py": (None, same), "c.py": (None, same)}) == {"b.py": "a.py"}
    assert renames({"a.py": (same, None), "b.js": (None, text(*NUMBERED, "y"))}) == {}
    assert renames({"a.py": (same, None), "b.js": (None, same)}) == {"b.js": "a.py"}
    less = {"a.py": (text(*NUMBERED[:6]), None), "b.py": (same, None)}
    assert renames({**less, "c.py": (None, text(*NUMBERED, "y"))}) == {"c.py": "b.py"}
    alike = {path: (text(*NUMBERED[:6], path), None) for path in ("a.py", "b.py")}
    assert renames({**alike, "c.py": (None, same)}) == {"c.py": "b.py"}


def test_files_are_in_the_order_of_their_paths_and_may_be_left_out() -> None:
    files = {"d.py": (b"a\n", b"b\n"), "c.py": (b"x\ny\n", None), "b.py": (None, b"x\ny\n"), "a.py": (b"z\n", None)}
    whole = patch_of(files)
    assert [(file.path, file.old_path) for file in whole.files] == [
        ("a.py", "a.py"), ("b.py", "c.py"), ("d.py", "d.py"),
    ]  # fmt: skip
    assert [file.new_text for file in whole.files] == ["", "x\ny\n", "b\n"]
    for gone, left in (({"c.py"}, ["a.py", "d.py"]), ({"b.py", "d.py"}, ["a.py"]), (set(), ["a.py", "b.py", "d.py"])):
        rest = whole.without(gone)
        assert [file.path for file in rest.files] == left
        assert {edit.path for edit in rest.edits} == files.keys() - gone
