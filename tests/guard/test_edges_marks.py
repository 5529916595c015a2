"""Just what a mark is about: up to which line, how far off and how often."""

from __future__ import annotations

import pytest

from selfreview.git.worktree_files import PLAIN, Entry
from selfreview.guard.newmarks import KINDS, Ranges, new_marks
from selfreview.guard.patch import File
from tests.guard.test_newmarks import RANGE, found


@pytest.mark.parametrize(("others", "lines"), [(0, range(2, 3)), (19, range(2, 22)), (20, None)])
def test_an_end_behind_too_many_others_is_none(others: int, lines: range | None) -> None:
    start, end, other = (f"# ruff: {word}" for word in ("disable[F821]", "enable[F821]", "enable[E501]"))
    mark = dict(KINDS)["ruff: ignore"].search(start)
    assert mark is not None
    assert Ranges([start, *[other] * others, end]).of(mark, 1) == lines


@pytest.mark.parametrize(("line", "told"), [("x", False), ("a", True), ("b", False)])
def test_the_first_line_below_a_mark_is_the_first_that_it_is_about(line: str, told: bool) -> None:
    assert bool(found(RANGE, RANGE.replace(f"{line}\n", "evil\n", 1))) is told


@pytest.mark.parametrize(("others", "told"), [(0, True), (11, True), (12, False)])
def test_code_that_is_too_far_off_is_not_that_of_a_mark(others: int, told: bool) -> None:
    text = "# nosec\n" + "# why\n" * others + "foo()\n"
    assert bool(found(text, text.replace("foo", "evil"))) is told


def test_so_many_marks_of_one_line_are_told() -> None:
    marks = [f"# noqa: A{number}" for number in range(100, 122)]
    line = " ".join(marks)
    assert found(None, f"a  {line}\nb  {line}\n") == [(row, mark) for row in (1, 2) for mark in marks[:20]]


def test_a_mark_is_none_of_the_ends() -> None:
    file = File("a.py", "a.py", None, Entry(PLAIN, b"a  # noqa\n"))
    assert [mark.is_end for mark in new_marks(file)] == [False]


def test_the_same_lines_are_the_same_wherever_they_are() -> None:
    here, there = Ranges(["p", "q", "a", "b"]), Ranges(["z", "a", "", "  b", "", "y"])
    assert here.digest(range(3, 5)) == there.digest(range(2, 5)) == there.digest(range(2, 6))
    others = [here.digest(lines) for lines in (range(3, 4), range(4, 5), range(2, 5), range(1, 3))]
    assert len({here.digest(range(3, 5)), Ranges(["b", "a"]).digest(range(1, 3)), *others}) == 6


@pytest.mark.parametrize(("before", "after", "lines"), [(1, 1, []), (1, 2, [5]), (2, 2, []), (2, 3, [6])])
def test_as_many_marks_as_there_were_may_move(before: int, after: int, lines: list[int]) -> None:
    mark, rest = "a  # noqa\n", "b\nc\nd\n"
    assert [line for line, _ in found(mark * before + rest, rest + mark * after)] == lines


def test_lines_are_counted_from_the_top_of_a_file() -> None:
    assert found(None, "\n\na  # noqa\n\n\n\nb  # noqa\n") == [(3, "# noqa"), (7, "# noqa")]


def test_a_kind_that_prose_does_not_have_hides_no_other() -> None:
    assert found(None, "a # noqa\nb <!-- selfreview: ignore[x] -->\n", "a.md") == [(2, "selfreview: ignore[x]")]


def test_a_mark_before_lines_that_have_an_end_already_is_new() -> None:
    assert found(RANGE.replace("# ruff: disable[F821]\n", ""), RANGE) == [(2, "# ruff: disable[F821]")]


def test_a_blank_line_below_a_mark_changes_nothing() -> None:
    assert found(RANGE, RANGE.replace("a\n", "\na\n", 1)) == []


TEXT = 'f("""\na\n""")  # noqa\n'


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (TEXT, TEXT.replace("f(", "g("), True),
        (TEXT, TEXT.replace("\na", "\nb"), True),
        (TEXT.replace('"', "'"), TEXT.replace('"', "'").replace("\na", "\nb"), True),
        ('"""\na\n"""  # noqa\n', '"""\nb\n"""  # noqa\n', True),
        (f"x\n{TEXT}", f"y\n{TEXT}", False),
        (f"\n{TEXT}", f"x\n{TEXT}", False),
        ('"""a"""\nx\nf("""a""")  # noqa\n', '"""a"""\ny\nf("""a""")  # noqa\n', False),
    ],
)
def test_a_mark_behind_a_text_is_about_all_of_the_text(old: str, new: str, told: bool) -> None:
    assert bool(found(old, new)) is told


END, REST = "# pylint: enable=x\n", "a\nb\nc\n"


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        (END * 2 + REST, REST + END * 2, []),
        (END * 2 + REST, REST + END, [2]),
        (END * 3 + REST, REST + END, [2, 3]),
        (f"x\n{END}{REST}", REST, [2]),
    ],
)
def test_as_many_ends_as_there_were_may_move(old: str, new: str, lines: list[int]) -> None:
    assert [line for line, _ in found(old, new)] == lines
