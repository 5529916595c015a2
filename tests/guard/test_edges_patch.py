"""Edits as rules look at them: which files are texts, tests or renamed, and where their lines differ."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from selfreview.git.worktree_files import LINK, PLAIN, Entry
from selfreview.guard.model import Bounds, Edited
from selfreview.guard.patch import File, Hunk, Patch, is_binary, make_patch, text_of
from selfreview.model.change import Change, HunkSpan, Scope
from selfreview.testing.context import MemoryConfig
from tests.guard.edits import entry

BOUNDS = Bounds(Change(scope=Scope(mode="branch"), files=()), (), MemoryConfig({}))
LINES = [f"x{number}" for number in range(8)]


def text(*lines: str) -> bytes:
    return "\n".join(lines).encode()


def patch(files: Mapping[str, tuple[bytes | Entry | None, bytes | Entry | None]]) -> Patch:
    return make_patch([Edited(path, entry(old), entry(new)) for path, (old, new) in files.items()], BOUNDS)


def renames(files: Mapping[str, tuple[bytes | Entry | None, bytes | Entry | None]]) -> dict[str, str]:
    return {file.path: file.old_path for file in patch(files).files if file.path != file.old_path}


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
        (text(*LINES), text(*LINES), True),
        (text(*LINES), text(*LINES[:4], "a", "b", "c", "d"), True),
        (text(*LINES), text(*LINES[:3], "a", "b", "c", "d", "e"), False),
        (text(*LINES), text(*LINES[:4], "a", "b", "c", "d", "e"), False),
        (text(*LINES), text(*LINES[5:], *LINES[3:5], *LINES[:3]), False),
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
    same = text(*LINES)
    assert renames({"a.py": (same, None), "b.py": (None, same), "c.py": (None, same)}) == {"b.py": "a.py"}
    assert renames({"a.py": (same, None), "b.js": (None, text(*LINES, "y"))}) == {}
    assert renames({"a.py": (same, None), "b.js": (None, same)}) == {"b.js": "a.py"}
    less = {"a.py": (text(*LINES[:6]), None), "b.py": (same, None)}
    assert renames({**less, "c.py": (None, text(*LINES, "y"))}) == {"c.py": "b.py"}
    alike = {path: (text(*LINES[:6], path), None) for path in ("a.py", "b.py")}
    assert renames({**alike, "c.py": (None, same)}) == {"c.py": "b.py"}


def test_files_are_in_the_order_of_their_paths_and_may_be_left_out() -> None:
    files = {"d.py": (b"a\n", b"b\n"), "c.py": (b"x\ny\n", None), "b.py": (None, b"x\ny\n"), "a.py": (b"z\n", None)}
    whole = patch(files)
    assert [(file.path, file.old_path) for file in whole.files] == [
        ("a.py", "a.py"), ("b.py", "c.py"), ("d.py", "d.py"),
    ]  # fmt: skip
    assert [file.new_text for file in whole.files] == ["", "x\ny\n", "b\n"]
    for gone, left in (({"c.py"}, ["a.py", "d.py"]), ({"b.py", "d.py"}, ["a.py"]), (set(), ["a.py", "b.py", "d.py"])):
        rest = whole.without(gone)
        assert [file.path for file in rest.files] == left
        assert {edit.path for edit in rest.edits} == files.keys() - gone
