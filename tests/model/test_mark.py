"""The mark of our own comments: the first line, and nothing that a quotation has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview.model.feedback import hidden, mark_of, marks_in


def test_a_mark_is_read_back_from_the_first_line() -> None:
    assert mark_of(f"{hidden('re=inline:1@a-b.c/d')}\nDone.") == "re=inline:1@a-b.c/d"


@pytest.mark.parametrize("body", ["", "Done.", f"> {hidden('a')}", f"Done.\n{hidden('a')}"])
def test_anything_else_has_none(body: str) -> None:
    assert mark_of(body) is None


@pytest.mark.parametrize(
    "mark", ["a b", "a-->", "é", "re=gh:o/r#5:rc:123@aa", "a\n-->b", "50%23", "~a~", "--", "a" * 900]
)
def test_any_mark_is_read_back(mark: str) -> None:
    body = f"{hidden(mark)}{hidden('other')}\nDone."
    assert mark_of(body) == mark
    assert list(marks_in(f"> {body}")) == [mark, "other"]


@given(st.text(min_size=1))
def test_a_mark_ends_where_it_ends(mark: str) -> None:
    line = hidden(mark)
    assert line.isascii()
    assert "--" not in line.removeprefix("<!--").removesuffix("-->")
    assert mark_of(line) == mark


@pytest.mark.parametrize("mark", ["inline:1@a-b.c/d", "cycle=3", "summary"])
def test_what_is_plain_is_written_as_it_is(mark: str) -> None:
    assert hidden(mark) == f"<!-- selfreview:{mark} -->"


def test_what_we_did_not_write_does_no_harm() -> None:
    assert mark_of("<!-- selfreview:%ff%zz -->") == "%ff%zz"


def test_nothing_is_no_mark() -> None:
    with pytest.raises(ValueError, match="no mark"):
        hidden("")
