from __future__ import annotations

from selfreview.llm.view import Line, render, view_of
from selfreview.testing.context import MemoryContext

Content = str | bytes | None


def show(old: Content, new: Content, path: str = "notes.txt") -> str:
    context = MemoryContext({path: (old, new)})
    return render(view_of(context.change.files[0], context))


def numbered(first: int, last: int) -> str:
    return "".join(f"line {n}\n" for n in range(first, last + 1))


def test_lines_are_numbered_on_the_new_side_and_removed_ones_stand_at_their_place() -> None:
    assert show("a\nb\nc\n", "a\nB\nB2\nc\n").splitlines() == [
        "## File: notes.txt",
        "",
        "@@",
        "    1   a",
        "      - b",
        "    2 + B",
        "    3 + B2",
        "    4   c",
    ]


def test_removed_first_and_last_lines_are_shown() -> None:
    assert show("a\nb\nc\n", "b\n").splitlines()[3:] == ["      - a", "    1   b", "      - c"]


def test_a_file_that_lost_all_its_lines_shows_them() -> None:
    assert show("a\nb\n", "").splitlines()[3:] == ["      - a", "      - b"]


def test_a_deleted_file_shows_what_it_held() -> None:
    assert show("a\nb\n", None).splitlines() == [
        "## File: notes.txt (deleted file)",
        "",
        "@@",
        "      - a",
        "      - b",
    ]


def test_distant_hunks_are_two_pieces_and_near_ones_are_one() -> None:
    old = numbered(1, 60)
    far = show(old, old.replace("line 5\n", "X\n").replace("line 50\n", "Y\n"))
    near = show(old, old.replace("line 5\n", "X\n").replace("line 20\n", "Y\n"))
    assert (far.count("@@"), near.count("@@")) == (2, 1)


def test_the_end_of_a_line_is_shown_only_where_it_may_be_what_changed() -> None:
    assert "\\r" not in show("a\r\nb\r\n", "a\r\nB\r\n")
    assert show("a\r\n", "a\n").splitlines()[3:] == ["      - a\\r", "    1 + a"]


def test_bytes_that_are_not_text_are_escaped_and_form_feeds_end_no_line() -> None:
    shown = show(b"a\n", b"a\n\xff\x0cb\n")
    assert "    2 + \\xff\x0cb\n" in shown
    shown.encode("utf-8")


def test_a_long_line_is_whole() -> None:
    assert "x" * 50_000 in show("a\n", "a\n" + "x" * 50_000 + "\n")


def test_the_added_lines_of_a_view_are_those_of_the_change() -> None:
    context = MemoryContext({"a.txt": (numbered(1, 40), "new\n" + numbered(1, 20) + "new\n" + numbered(22, 40))})
    file = context.change.files[0]
    assert view_of(file, context).added == {1, 22}


def test_exact_text_is_kept_for_quotes() -> None:
    context = MemoryContext({"a.txt": (None, b"\xff\r\n")})
    assert view_of(context.change.files[0], context).pieces[0].lines == (Line(1, "+", "\udcff\r"),)
