"""Fenced blocks: as CommonMark has them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview.feedback.fences import blocks


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```py\na\n```", [("py", ("a",))]),
        ("````suggestion\n```\na\n```\n````", [("suggestion", ("```", "a", "```"))]),
        ("~~~suggestion\n```\n~~~", [("suggestion", ("```",))]),
        ("~~~ a`b`\nx\n~~~", [("a`b`", ("x",))]),
        ("``` a`b\nx\n```", [("", ())]),  # no info of a backtick fence has one: the last line opens a block
        ("```\na\n~~~\n```", [("", ("a", "~~~"))]),
        ("```\na\n``", [("", ("a", "``"))]),  # not closed
        ("```\na\n``` b\n```", [("", ("a", "``` b"))]),  # what closes has no info
        ("```\na\n`````  \nb", [("", ("a",))]),
        ("   ```\n   a\n    b\n a\n   ```", [("", ("a", " b", "a"))]),
        ("    ```\n    a\n    ```", []),  # indented code
        ("> ```suggestion\n> a\n> ```", []),  # a quotation of one
        ("a\n```\r\nb\r\n```\r\nc", [("", ("b",))]),
        ("```suggestion\n```", [("suggestion", ())]),
        ("```\na\n```\n```\nb\n```", [("", ("a",)), ("", ("b",))]),
        ("``\na\n``", []),
        ("```\na\u2028b\x0bc\n```", [("", ("a\u2028b\x0bc",))]),
    ],
)
def test_a_block_is_what_commonmark_says(text: str, expected: list[tuple[str, tuple[str, ...]]]) -> None:
    assert [(block.info, block.lines) for block in blocks(text)] == expected


@given(st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]))), st.integers(3, 6))
def test_a_fence_that_is_longer_than_any_inside_keeps_every_line(lines: list[str], extra: int) -> None:
    fence = "`" * (max((len(line) for line in lines), default=0) + extra)
    text = "\n".join(["before", f"{fence}suggestion", *lines, fence, "after"])
    (block,) = blocks(text)
    assert (block.lines, block.start, block.end) == (tuple(lines), 1, len(lines) + 3)


@given(st.text("`~ \na>"))
def test_blocks_are_in_order_and_within_the_text(text: str) -> None:
    last = 0
    for block in blocks(text):
        assert last <= block.start < block.end <= text.count("\n") + 1
        assert len(block.lines) <= block.end - block.start - 1
        last = block.end
