import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview.api import LineRange, Side, SourceText
from selfreview.reporters.terminal.code import Excerpts, Paint, around
from selfreview.reporters.words import shown
from selfreview.text.layout import cells

from .builders import issue


def excerpt(found, text, changed=(), width=60):
    source = None if text is None else SourceText(lines=tuple(text.split("\n")), is_utf8=True)
    lines = Excerpts(width, Paint(False), "").of(found, source, [LineRange(*r) for r in changed])
    return "\n".join(lines)


CODE = "def f():\n    x = 1\n\n    y = undefined\n    return y\n\n\ndef g():\n    pass\n"


def test_the_line_is_marked_with_its_context_and_a_caret_under_the_word():
    assert excerpt(issue(line=4, column=9), CODE, [(4, 5)]) == (
        "  2  │     x = 1\n  3  │\n> 4 +│     y = undefined\n     │         ^^^^^^^^^\n  5 +│     return y"
    )


def test_context_has_no_blank_line_at_either_end():
    assert excerpt(issue(line=5), CODE) == "  4  │     y = undefined\n> 5  │     return y"


def test_the_first_and_the_last_line_have_context_on_one_side_only():
    assert excerpt(issue(line=1), "a\nb\nc") == "> 1  │ a\n  2  │ b"
    assert excerpt(issue(line=3), "a\nb\nc") == "  1  │ a\n  2  │ b\n> 3  │ c"


def test_line_numbers_are_right_aligned():
    assert excerpt(issue(line=9), "\n".join("abcdefghij")) == "   7  │ g\n   8  │ h\n>  9  │ i\n  10  │ j"


def test_every_line_of_a_range_is_marked():
    assert excerpt(issue(line=2, line_end=3), "a\nb\nc\nd") == "  1  │ a\n> 2  │ b\n> 3  │ c\n  4  │ d"


def test_the_middle_of_a_long_range_is_left_out():
    text = excerpt(issue(line=1, line_end=100), "\n".join(f"l{n}" for n in range(1, 101)))
    assert text == ">   1  │ l1\n>   2  │ l2\n>   3  │ l3\n>   4  │ l4\n    ⋮\n> 100  │ l100"


def test_a_range_of_six_lines_is_shown_whole_and_one_of_seven_is_not():
    text = "\n".join("abcdefg")
    assert "⋮" not in excerpt(issue(line=1, line_end=6), text)
    assert excerpt(issue(line=1, line_end=7), text).split("\n")[3:] == ["> 4  │ d", "  ⋮", "> 7  │ g"]


def test_a_range_that_ends_beyond_the_file_ends_with_it():
    assert excerpt(issue(line=2, line_end=9), "a\nb") == "  1  │ a\n> 2  │ b"


def test_a_removed_line_has_a_minus():
    assert excerpt(issue(line=2, side=Side.OLD), "a\nb\nc", [(2, 2)]) == "  1  │ a\n> 2 -│ b\n  3  │ c"


def test_without_text_the_evidence_stands_in():
    assert excerpt(issue(line=7, evidence="x = eval(y)\n"), None) == "> 7  │ x = eval(y)"
    assert excerpt(issue(line=7, evidence="gone", side=Side.OLD), None) == "> 7 -│ gone"
    assert excerpt(issue(line=7), None) == ""


def test_a_line_beyond_the_text_shows_the_evidence_and_not_another_line():
    assert excerpt(issue(line=9, evidence="quoted"), "a\nb") == "> 9  │ quoted"


def test_an_issue_with_the_whole_file_has_no_excerpt():
    assert excerpt(issue(line=0, evidence="x"), CODE) == ""


def test_a_carriage_return_at_the_end_is_not_shown_and_one_inside_is():
    assert excerpt(issue(line=1, column=1), "a\rb\r\nc") == "> 1  │ a\\rb\n     │ ^\n  2  │ c"


@pytest.mark.parametrize(
    ("line", "column", "text", "start", "length"),
    [
        ("x = undefined", 5, "x = undefined", 4, 9),
        ("\tx = a", 6, "    x = a", 8, 1),
        ("日本 = ab", 6, "日本 = ab", 7, 2),
        ("f(日本)", 3, "f(日本)", 2, 4),
        ("e\u0301x = y", 3, "e\u0301x = y", 1, 1),
        ("a\u202eb c", 5, "a<U+202E>b c", 11, 1),
        ("abc", 4, "abc", 3, 1),
        ("abc", 99, "abc", 3, 1),
        ("", 1, "", 0, 1),
        ("\x1b", 1, "\\x1b", 0, 4),
        ("\ta\tbcd\te", 6, "    a   bcd e", 10, 1),
        ("日\tx", 3, "日  x", 4, 1),
    ],
)
def test_the_caret_stands_under_the_column(line, column, text, start, length):
    assert around(line, column, 40) == (text, start, length)


def test_a_line_that_fits_exactly_is_not_cut():
    line = "a" * 30 + " " + "b" * 9
    assert around(line, 32, 40) == (line, 31, 9)


def test_a_line_is_cut_at_the_end_when_the_marked_word_still_fits_before_the_ellipsis():
    line = "a" * 30 + " " + "b" * 8
    assert around(line + "  ", 32, 40) == (line + "…", 31, 8)


def test_a_line_is_cut_at_the_start_when_the_marked_word_does_not_fit_otherwise():
    text, start, length = around("a" * 30 + " " + "b" * 10, 32, 40)
    assert text == "…" + "a" * 19 + " " + "b" * 10
    assert (start, length) == (21, 10)


def test_the_marked_word_is_not_cut_for_what_follows_it():
    text, start, length = around("a" * 30 + " " + "b" * 9 + " and more", 32, 40)
    assert text[start : start + length] == "b" * 9


def test_a_cut_line_whose_end_fits_exactly_has_no_second_ellipsis():
    assert around("a" * 100 + " " + "b" * 19, 102, 40) == ("…" + "a" * 19 + " " + "b" * 19, 21, 19)


def test_a_word_in_the_first_half_keeps_the_start_of_its_line():
    assert around("a" * 19 + " " + "b" * 100, 21, 40) == ("a" * 19 + " " + "b" * 19 + "…", 20, 20)


def test_a_long_word_near_the_start_is_cut_at_its_end():
    assert around("x = " + "b" * 100, 5, 40) == ("x = " + "b" * 35 + "…", 4, 36)


def test_a_long_line_is_cut_around_the_column():
    line = "a" * 500 + " here " + "b" * 500
    text, start, length = around(line, 502, 40)
    assert text[start : start + length] == "here"
    assert text.startswith("…a")
    assert text.endswith("b…")
    assert cells(text) <= 40


def test_a_line_that_is_too_long_keeps_its_start_when_the_column_is_near():
    text, start, _ = around("first = second" + " " * 5 + "z" * 500, 9, 40)
    assert text.startswith("first = second")
    assert text.endswith("z…")
    assert start == 8


def test_the_neighbours_of_a_line_of_megabytes_are_not_shown():
    text = excerpt(issue(line=2, column=3_000_000), "a\n" + "x;" * 2_000_000 + "\nb")
    assert len(text.split("\n")) == 2
    assert text.startswith("> 2  │ …")
    assert all(cells(line) <= 60 for line in text.split("\n"))


@given(
    st.text(alphabet="ab_ \t日e\u0301\x1b\u202e\udc80(", max_size=300),
    st.integers(1, 310),
    st.integers(12, 60),
)
def test_the_caret_is_always_inside_and_under_the_marked_text(line, column, width):
    text, start, length = around(line, column, width)
    assert cells(text) <= width
    assert 0 <= start <= cells(text)
    assert length >= 1
    assert start + length <= max(width, start + 1)
    marked = shown(line[column - 1 : column])
    if marked.strip() and marked.isprintable() and cells(marked) == length == 1:
        seen = ""
        for char in text:
            if cells(seen) == start and cells(char):
                assert char == marked
                break
            seen += char
