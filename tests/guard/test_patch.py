"""Comparison of two texts in bounded work, and files that were renamed."""

from __future__ import annotations

import difflib
import itertools
import random
from collections.abc import Mapping, Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview.git.worktree_files import LINK, PLAIN, Entry
from selfreview.guard import patch
from selfreview.guard.patch import (
    Bounds,
    Edited,
    File,
    Hunk,
    Part,
    Patch,
    asks_for_removal,
    differing,
    is_binary,
    is_pointed_at,
    issues_of,
    lines_pointed_at,
    make_patch,
    text_of,
)
from selfreview.guard.paths import leaves_tree
from selfreview.model.change import Change, HunkSpan, Scope
from selfreview.model.issue import Category, Issue, Severity, Side
from selfreview.testing.context import MemoryConfig
from tests.guard.edits import Edit, entry, judge

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


CODE = "def f(x):\n    if x:\n        a()\n\n        b()\n    else:\n        c()\n    d()\n\ne()\n"
FILE = File("a.py", "old.py", entry(CODE), entry(CODE))


def issue(first: int, last: int, *, path: str = "a.py", side: Side = Side.NEW, text: str = "it is wrong") -> Issue:
    return Issue(
        id="sr-00000001", severity=Severity.HIGH, category=Category.LOGIC, file=path, line_start=first, line_end=last,
        side=side, description=text, reviewer="rules", fingerprint="v1:0",
    )  # fmt: skip


def bounds(*issues: Issue) -> Bounds:
    return Bounds(Change(scope=Scope(mode="branch"), files=()), issues, MemoryConfig({}))


@pytest.mark.parametrize(
    ("first", "last", "lines"),
    [
        (0, 0, range(1, 12)),
        (1, 1, range(1, 9)),
        (2, 2, range(2, 8)),
        (2, 3, range(2, 8)),
        (2, 9, range(2, 10)),
        (3, 3, range(3, 4)),
        (5, 5, range(5, 6)),
        (6, 6, range(6, 8)),
        (8, 8, range(8, 9)),
        (9, 9, range(9, 10)),
        (10, 10, range(10, 11)),
        (11, 11, range(11, 12)),
        (12, 12, range(12, 13)),
        (20, 21, range(20, 22)),
    ],
)
def test_an_issue_is_about_its_lines_and_the_block_that_they_begin(first: int, last: int, lines: Sequence[int]) -> None:
    assert lines_pointed_at(FILE, bounds(issue(first, last))) == set(lines)


@pytest.mark.parametrize("closing", [")", "]", "}", "};", "end", "else", "elif y:", "except E:", "finally:", "rescue",
                                     "ensure", "catch (e) {"])  # fmt: skip
def test_what_closes_a_block_is_of_it(closing: str) -> None:
    for text, lines in (
        (f"  a\n    b\n  {closing}\n    c\n  d\n", {1, 2, 3, 4}),
        (f"  a\n    b\n{closing}\n", {1, 2}),
        (f"  a\n    b\n  x{closing}\n", {1, 2}),
        (f"  a\n    b\n  {closing}", {1, 2, 3}),
    ):
        file = File("a.py", "a.py", entry(text.encode()), None)
        assert lines_pointed_at(file, bounds(issue(1, 1))) == lines


def test_issues_about_other_files_and_about_what_was_removed_point_at_nothing() -> None:
    others = issue(3, 3, path="b.py"), issue(5, 5, side=Side.OLD)
    assert lines_pointed_at(FILE, bounds(*others)) == set()
    assert lines_pointed_at(FILE, bounds(*others, issue(8, 8, path="old.py"))) == {8}
    assert list(issues_of(FILE, bounds(*others))) == [others[1]]
    assert not is_pointed_at(FILE, bounds(*others))
    assert is_pointed_at(FILE, bounds(*others, issue(8, 8, path="old.py")))


@pytest.mark.parametrize(
    ("lines", "first", "last", "pointed"),
    [
        ((3, 5), 5, 9, True),
        ((3, 5), 6, 9, False),
        ((3, 5), 1, 3, True),
        ((3, 5), 1, 2, False),
        ((1, 1), 2, 2, False),
        ((0, 0), 2, 2, True),
    ],
)
def test_an_issue_is_about_lines_that_it_has_in_common(
    lines: tuple[int, int], first: int, last: int, pointed: bool
) -> None:
    assert is_pointed_at(FILE, bounds(issue(*lines)), first, last) == pointed
    assert is_pointed_at(FILE, bounds(issue(*lines)))


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        *((f"{word} code", True) for word in (
            "Unused", "unreachable", "dead", "redundant", "duplicated", "duplicate", "obsolete", "superfluous",
            "leftover", "redefined", "redefinition of", "stray", "never used", "never really called", "never read",
            "never ever quite reached", "not used", "not needed", "not really called", "delete", "deleting", "deleted",
            "remove", "removing", "removed",
        )),
        *((f"{word} code", False) for word in (
            "used", "deadlock in the", "deadline of", "never", "never tested", "never in a thousand years used",
            "not tested", "removal of", "wrong", "undead",
        )),
    ],
)  # fmt: skip
def test_what_an_issue_says_of_what_should_not_be_there(text: str, asks: bool) -> None:
    assert asks_for_removal(issue(1, 1, text=text)) == asks
    fix = msgspec.structs.replace(issue(1, 1), suggested_fix=text)
    assert asks_for_removal(fix) == asks


@pytest.mark.parametrize(
    ("path", "leaves"),
    [
        ("", True), ("/a", True), ("C:a", True), ("c:", True), ("\\a", True), ("a\\b", True), ("..", True),
        ("../a", True), ("a/..", True), ("a/../b", True), ("a\n/../b", True), ("a\0b", True), ("a\n\\b", True),
        ("a", False), ("a/b", False), ("a..b", False), ("..a", False), ("a../b", False), ("a/...", False),
        ("ab:c", False), ("1:", False), (".", False),
    ],
)  # fmt: skip
def test_a_name_that_leaves_the_tree(path: str, leaves: bool) -> None:
    assert leaves_tree(path) == leaves


@pytest.mark.parametrize(
    ("files", "changed", "rejected"),
    [
        ({"a.py": "~", "src/A.py": "+"}, ("src/a.py",), ["src/A.py"]),
        ({"src/A.py": "+", "src/B.py": "+"}, ("src/a.py", "src/b.py"), ["src/A.py", "src/B.py"]),
        ({"src/A/B/c.py": "+"}, ("src/a/b/d.py",), ["src/A/B/c.py"]),
        ({"b.py": "+", "B.py": "+"}, (), ["B.py"]),
        ({"a.py": "~", "A.py": "~"}, (), []),
        ({"a.py": "~", "A.py": "+"}, (), ["A.py"]),
        ({"a.py": "-", "A.py": "+"}, ("a.py",), []),
        ({"a.py": "-", "A.py": "+"}, ("a.py", "x/a.py"), []),
        ({"x/a.py": "-", "A.py": "+"}, ("a.py",), ["A.py"]),
        ({"a.py": "+"}, ("src/a.py",), []),
        ({"stra\u00dfe.py": "+"}, ("strasse.py",), ["stra\u00dfe.py"]),
    ],
)
def test_a_new_name_is_not_another_one_on_some_systems(
    files: dict[str, str], changed: tuple[str, ...], rejected: list[str]
) -> None:
    there = {"~": ("a = 1\n", "a = 2\n"), "+": (None, "b = 3\n"), "-": ("a = 1\n", None)}
    edit = Edit({path: there[what] for path, what in files.items()}, changed, reasons=dict.fromkeys(files, "needed"))
    assert [found.path for found in judge(edit) if found.rule == "path-collision"] == rejected


def test_it_is_said_of_which_name_a_new_one_is_taken_for() -> None:
    found = judge(Edit({"src/A.py": (None, "b = 3\n")}, ("src/a.py",), reasons={"src/A.py": "needed"}))
    assert [one.reason.rpartition(" ")[2] for one in found] == ["src/a.py."]


def test_a_name_that_leaves_the_tree_may_go() -> None:
    files: dict[str, tuple[str, None]] = dict.fromkeys(("a\\b.py", "a.py"), ("a = 1\n", None))
    assert [found.rule for found in judge(Edit(files)) if found.rule == "path-escape"] == []
