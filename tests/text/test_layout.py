import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview.text.layout import cells, fit, fold, head, listing, pack, plural, tail, wrap

words = st.text(alphabet="ab \n\t日é\u0301x\x1b", max_size=200)


@pytest.mark.parametrize(("text", "columns"), [("abc", 3), ("日本", 4), ("e\u0301", 1), ("ﬀ", 1), ("", 0), ("ﾊ", 1)])
def test_cells_counts_columns_and_not_characters(text, columns):
    assert cells(text) == columns


@given(words, st.integers(4, 60))
def test_wrapped_lines_fit_and_lose_no_word(text, width):
    lines = wrap(text, width)
    assert all(cells(line) <= width for line in lines if not line.strip().isascii() or " " in line.strip())
    assert "".join("".join(lines).split()) == "".join(text.replace("\x1b", "\\x1b").split())


@given(words.filter(str.strip), st.integers(40, 60))
def test_wrapping_breaks_only_where_the_next_word_does_not_fit(text, width):
    text = fold(text)
    lines = wrap(text, width)
    for line, following in itertools.pairwise(lines):
        assert cells(line) + 1 + cells(following.split(" ")[0]) > width


def test_wrapping_keeps_line_breaks_and_indents():
    assert wrap("one\n    two three\n\nfour\n", 12) == ["one", "    two", "    three", "", "four"]


def test_wrapping_breaks_a_word_that_is_longer_than_the_line_only_where_a_language_has_no_spaces():
    assert wrap("a 日本語日本語", 6) == ["a", "日本語", "日本語"]
    assert wrap("a /b/cdefg/日本.txt h", 6) == ["a", "/b/cdefg/日本.txt", "h"]
    assert wrap("abcdefghi jk lm", 6) == ["abcdefghi", "jk lm"]


@given(st.text(alphabet="ab日e\u0301"), st.integers(0, 12))
def test_head_and_tail_take_as_much_as_fits(text, width):
    start, end = head(text, width), tail(text, width)
    assert text.startswith(start)
    assert text.endswith(end)
    assert cells(start) <= width
    assert cells(end) <= width
    if cells(text) > width:
        assert cells(text[: len(start) + 1]) > width
        assert cells(text[len(text) - len(end) - 1 :]) > width


def test_fit_marks_what_is_cut():
    assert fit("abcdef", 6) == "abcdef"
    assert fit("abcdefg", 6) == "abcde…"
    assert fit("日本語", 5) == "日本…"


def test_fold_makes_one_line():
    assert fold(" a\n\n  b\tc\x1b ") == "a b c\\x1b"


def test_pack_fills_lines_with_whole_parts():
    assert pack(["aa", "bb", "cc dd ee"], " · ", 7) == ["aa · bb", "cc dd", "ee"]


def test_pack_counts_what_joins_the_parts():
    assert pack(["aaa", "bbb"], " · ", 9) == ["aaa · bbb"]
    assert pack(["aaa", "bbb"], " · ", 8) == ["aaa", "bbb"]


def test_plural_and_listing():
    assert [plural(n, "file") for n in (0, 1, 2)] == ["0 files", "1 file", "2 files"]
    assert listing("abc", 3) == "a, b, c"
    assert listing("abcde", 3) == "a, b, c and 2 more"
