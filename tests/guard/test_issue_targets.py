"""What issues point at and ask for, and which names leave the tree or are another's."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from selfreview.guard.issue_targets import asks_for_removal, is_pointed_at, issues_of, lines_pointed_at
from selfreview.guard.model import Bounds
from selfreview.guard.patch import File
from selfreview.guard.paths import leaves_tree
from selfreview.model.change import Change, Scope
from selfreview.model.issue import Category, Issue, Severity, Side
from selfreview.testing.context import MemoryConfig
from tests.guard.edits import Edit, entry, judge

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
