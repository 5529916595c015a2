"""Replacing text that stands in a file once, whatever its line breaks are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview.llm.toolbox import Refusal
from selfreview.llm.toolbox_edit import replace_once

lines = st.lists(st.text(alphabet="ab ", max_size=4), max_size=6)
breaks = st.sampled_from(["\n", "\r\n"])


@pytest.mark.parametrize(
    ("text", "old", "new", "result", "extent"),
    [
        ("a\nb\nc\n", "b", "x\ny", "a\nx\ny\nc\n", (2, 3)),
        ("a\r\nb\r\nc\r\n", "b\nc", "x\ny\nc", "a\r\nx\r\ny\r\nc\r\n", (2, 3)),
        ("a\r\nb\r\nc\r\n", "b\r\nc", "b\r\nx\r\nc", "a\r\nb\r\nx\r\nc\r\n", (3, 4)),
        ("a\r\nb\nc\n", "a\nb\nc", "a\nB\nc", "a\r\nB\nc\n", (2, 2)),
        ("a\nb\r\nc\n", "b", "b\nx", "a\nb\r\nx\r\nc\n", (2, 3)),
        ("a\r\nb", "b", "b\nc\n", "a\r\nb\r\nc\r\n", (2, 4)),
        ("a", "a", "b\nc", "b\nc", (1, 2)),
        ("a\nb\n", "a\nb\n", "", "", (1, 1)),
        ("x\u200by\n", "x\\u{200B}y", "xy", "xy\n", (1, 1)),
        ("s = '\\u{200B}'\n", "'\\u{200B}'", "'\\u{200C}'", "s = '\\u{200C}'\n", (1, 1)),
        ("caf\udce9 = 1\n", "caf\\u{DCE9} = 1", "caf\\u{DCE9} = 2", "caf\udce9 = 2\n", (1, 1)),
    ],
)
def test_what_an_edit_makes(text, old, new, result, extent):
    replaced = replace_once(text, old, new)
    assert (replaced.text, (replaced.first, replaced.last)) == (result, extent)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("", "x", "empty"),
        ("z", "x", "does not stand"),
        ("aa", "x", "more than once"),  # overlapping
        ("b\n", "b\r\n", "the same"),
        ("b", "b", "the same"),
        ("\\u{110000}", "x", "does not stand"),
    ],
)
def test_what_is_refused(old, new, words):
    with pytest.raises(Refusal, match=words):
        replace_once("aaa\nb\n", old, new)


@given(before=lines, after=lines, middle=lines, new=lines, ending=breaks)
def test_a_file_of_one_kind_of_breaks_keeps_it_and_all_that_is_around(before, after, middle, new, ending):
    joined = [ending.join(part) for part in ([*before, ""], ["<", *middle, ">"], ["", *after])]
    text = "".join(joined)
    old = joined[1].replace("\r\n", "\n")
    wanted = "\n".join(["<", *new, "|"])
    replaced = replace_once(text, old, wanted).text
    assert replaced == joined[0] + wanted.replace("\n", ending) + joined[2]
