"""The mark of our own comments: the first line, and nothing that a quotation has."""

from __future__ import annotations

import pytest

from selfreview.model.mark import hidden, mark_of


def test_a_mark_is_read_back_from_the_first_line() -> None:
    assert mark_of(f"{hidden('re=inline:1@a-b.c/d')}\nDone.") == "re=inline:1@a-b.c/d"


@pytest.mark.parametrize("body", ["", "Done.", f"> {hidden('a')}", f"Done.\n{hidden('a')}"])
def test_anything_else_has_none(body: str) -> None:
    assert mark_of(body) is None


@pytest.mark.parametrize("mark", ["", "a b", "a-->", "é"])
def test_what_would_end_the_comment_is_no_mark(mark: str) -> None:
    with pytest.raises(ValueError, match="no mark"):
        hidden(mark)
