"""Which marks silence what they did not before."""

from __future__ import annotations

import pytest

from selfreview.git.entry import PLAIN, Entry
from selfreview.loop.guard import patch
from selfreview.loop.guard.newmarks import new_marks
from selfreview.loop.guard.patch import File
from selfreview.model.change import HunkSpan


def found(old: str | None, new: str, path: str = "a.py", old_path: str | None = None) -> list[tuple[int, str]]:
    before = None if old is None else Entry(PLAIN, old.encode())
    return [mark[:2] for mark in new_marks(File(path, old_path or path, before, Entry(PLAIN, new.encode())))]


def test_each_mark_is_told_with_its_line_and_what_it_silences() -> None:
    text = "a  # noqa: F821, E501\nb = 1\n# ruff: disable[F821]\nc  # type: ignore[name-defined]\n"
    assert found(None, text) == [
        (1, "# noqa: F821, E501"), (3, "# ruff: disable[F821]"), (4, "# type: ignore[name-defined]"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a  # noqa\n", "b  # noqa\n"),
        ("a  # noqa: E501\n", "a  # noqa: F821\n"),
        ("a  # noqa\n", "a  # noqa: F821\n"),
        ("a  # noqa\n", "a  # noqa\nb\na  # noqa\n"),
        ("# ruff: ignore[F821]\na\nb\n", "a\n# ruff: ignore[F821]\nb\n"),
        ("# ruff: ignore[F821]\na\n", "# ruff: ignore[F821]\nb\n"),
        ("# ruff: ignore[F821]\na\nb\n", "# ruff: ignore[F821]\nb\n"),
        ('f("""\na\n""")  # noqa\n', 'f(f"""\n{b}\n""")  # noqa\n'),
        ('f("""\na\n""")  # noqa\n', 'f("""\nb\n""")  # noqa\n'),
        ("@SuppressWarnings(\n  'a')\nx\n", "@SuppressWarnings(\n  'all')\nx\n"),
    ],
)
def test_a_mark_of_other_code_or_of_other_rules_is_new(old: str, new: str) -> None:
    assert len(found(old, new)) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a  # noqa\nb\n", "c\nb\na  # noqa\n"),
        ("a  # noqa\n", "if x:\n    a  # noqa\n"),
        ("a  # noqa: F821\nx1 = 1\n", "a  # noqa: F821\nx1 = 2\n"),
        ('f("""\na\n""")  # noqa\nb\n', 'f("""\na\n""")  # noqa\nc\n'),
        ("# ruff: noqa\na\n", "# ruff: noqa\nb\n"),
        ("# ruff: ignore[F821]\na\nb\n", "b\n\n# ruff: ignore[F821]\na\n"),
        ("a  # noqa\r\n", "a  # noqa\nb\n"),
        ("a  # noqa\n", "a\n"),
    ],
)
def test_the_same_mark_of_the_same_code_is_not_new(old: str, new: str) -> None:
    assert found(old, new) == []


def test_a_name_of_prose_says_what_counts() -> None:
    assert found(None, "Write # noqa.\n", "a.md") == []
    assert found("Write # noqa.\n", "Write # noqa.\nx\n", "a.py", "a.md") == []
    assert found("Write # noqa.\n", "Write # noqa!\n", "a.py", "a.md") == [(1, "# noqa")]


@pytest.mark.parametrize("end", ["# ruff: enable[F821]", "# pylint: enable=x", "/* eslint-enable */", "// NOLINTEND"])
def test_an_end_that_is_taken_away_is_told(end: str) -> None:
    (mark,) = new_marks(File("a", "a", Entry(PLAIN, f"a\n{end}\nb\n".encode()), Entry(PLAIN, b"a\nb\n")))
    assert (mark.line, mark.is_end) == (2, True)
    moved = Entry(PLAIN, f"{end}\na\nb\n".encode())
    assert new_marks(File("a", "a", Entry(PLAIN, f"a\n{end}\nb\n".encode()), moved)) == []
    assert new_marks(File("a", "a", moved, None)) == []


def test_a_long_line_of_marks_takes_no_long_time() -> None:
    """The search would never end if it looked from each of these to the end of the line."""
    assert found(None, "# shellcheck " * 60_000, "a.sh") == []


def test_without_marks_nothing_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patch, "differing", None)
    assert found("a\nb  # noqa\n", "b\nc\n") == []


def test_lines_that_differ_are_those_that_git_says() -> None:
    spans = (HunkSpan(1, 0, 2, 2), HunkSpan(2, 1, 3, 0))
    file = File("a", "a", Entry(PLAIN, b"a\nb\nc\n"), Entry(PLAIN, b"a\nx\ny\nc\n"), spans)
    assert file.hunks == [(2, [], 2, ["x", "y"]), (2, ["b"], 4, [])]
