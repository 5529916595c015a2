"""Which code marks are about, and how much a file silences, at the edges."""

from __future__ import annotations

import pytest

from selfreview.guard.suppression import silenced
from tests.guard.edits import Edit, judge
from tests.guard.test_edges import rules

BLOCK = "# ruff: disable[F821]\nfoo()\n# ruff: enable[F821]\n"
MARK = "x = first()  # noqa: F821"


@pytest.mark.parametrize(
    ("path", "lines", "kind", "about"),
    [
        ("a.py", ["", "foo()  # noqa", "bar()"], "noqa", "foo()"),
        ("a.py", ["foo()", "# noqa"], "noqa", ""),
        ("a.rs", ["#[allow(", "    dead_code,", ")]", "fn f() {}", "fn g() {}"], "#[allow]", "fnf(){}"),
        ("a.js", ["// prettier-ignore", "a();", "// biome-ignore lint: x", "b();"], "biome-ignore", "b();"),
    ],
)
def test_a_mark_of_one_line(path: str, lines: list[str], kind: str, about: str) -> None:
    assert silenced(path, lines).beside == {(kind, about): 1}


@pytest.mark.parametrize(
    "lines",
    [
        ["# ruff: disable[F821]", "foo()", "bar()"],
        ["# ruff: disable[F821]", "foo()", "# ruff: disable[F821]", "bar()"],
    ],
)
def test_a_mark_without_an_end_is_about_all_lines_below_once(lines: list[str]) -> None:
    assert silenced("a.py", lines).rules["ruff: ignore", "F821"] == {"foo()": 1, "bar()": 1}


def test_code_that_is_silenced_may_be_written_once_more() -> None:
    assert rules("a.py", BLOCK, BLOCK.replace("foo()", "foo()\nfoo()")) == []
    assert rules("a.py", f"{BLOCK}foo()\n", BLOCK.replace("foo()", "foo()\nfoo()")) == ["suppression"]


@pytest.mark.parametrize(
    ("path", "mark", "rejected"),
    [
        ("a.md", "<!-- markdownlint-disable -->", ["suppression"]),
        ("a.md", "# noqa", []),
        ("a.rst", "# noqa", []),
        ("a.adoc", "# noqa", []),
        ("a.yaml", "# noqa", ["suppression"]),
    ],
)
def test_what_a_mark_means_in_prose(path: str, mark: str, rejected: list[str]) -> None:
    assert rules(path, "a\nb\n", f"a\nb {mark}\n") == rejected


def test_a_mark_of_prose_does_not_move_to_other_text() -> None:
    mark = "  <!-- selfreview: ignore[x] -->"
    assert rules("a.md", f"foo{mark}\nbar\n", f"foo\nbar{mark}\n") == ["suppression"]


@pytest.mark.parametrize(
    ("old", "new", "rejected"),
    [
        (f"a = 1\n{MARK}\n", f"a = 1\n{MARK}\ny = 2  # noqa: E501\n", True),
        ("a = 1\n", f"a = 1\n{MARK}\n{MARK}\n", True),
        ("a = 1\n", f"a = 1\n{MARK}\ny = 2  # noqa\nz = 3\n", True),
        ("a = 1\n", f"a = 1\n{MARK}\n", False),
    ],
)
def test_a_mark_moves_with_its_line_once(old: str, new: str, rejected: bool) -> None:
    files = {"a.py": (old, new), "b.py": (f"b = 1\n{MARK}\n", "b = 1\n")}
    found = judge(Edit(files, issues=(("a.py", 1, "wrong"), ("b.py", 1, "wrong"))))
    reasons = ["Fix what is reported instead of silencing it: take out the new noqa."] if rejected else []
    assert [one.reason for one in found if one.rule == "suppression"] == reasons


def test_two_marks_move_with_two_lines() -> None:
    files = {"a.py": ("a = 1\n", f"a = 1\n{MARK}\n{MARK}\n"), "b.py": (f"b = 1\n{MARK}\n{MARK}\n", "b = 1\n")}
    found = judge(Edit(files, issues=(("a.py", 1, "wrong"), ("b.py", 1, "wrong"))))
    assert [one.rule for one in found] == []
