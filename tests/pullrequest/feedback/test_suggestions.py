"""Suggestions: exactly the lines that are meant, byte for byte, or nothing."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from selfreview.model.feedback import Spot
from selfreview.pullrequest.feedback.suggestions import (
    Put,
    Suggestion,
    block_of,
    from_hunk,
    meant,
    overlapping,
    place,
    put,
    split,
)
from tests.pullrequest.said import SPOT, inline


def suggestion(old: list[bytes], new: list[bytes], line: int = 2) -> Suggestion:
    return Suggestion("inline:1", "app.py", tuple(old), tuple(new), line)


def applied(data: bytes, one: Suggestion) -> bytes | None:
    where = place(one, data)
    return None if where is None else put(data, where)


@pytest.mark.parametrize(
    ("data", "old", "new", "expected"),
    [
        (b"a\nb\nc\n", [b"b"], [b"B"], b"a\nB\nc\n"),
        (b"a\r\nb\r\nc\r\n", [b"b"], [b"B", b"D"], b"a\r\nB\r\nD\r\nc\r\n"),
        (b"a\nb\r\nc\n", [b"b"], [b"B"], b"a\nB\r\nc\n"),  # of a mixed file, the end of the line that goes
        (b"a\nb", [b"b"], [b"B"], b"a\nB"),
        (b"a\r\nb", [b"b"], [b"B", b"C"], b"a\r\nB\r\nC"),
        (b"a\nb", [b"b"], [], b"a"),
        (b"a\nb\n", [b"b"], [], b"a\n"),
        (b"a\r\nb", [b"b"], [], b"a"),
        (b"a\nb\nc\n", [b"b", b"c"], [], b"a\n"),
        (b"a\nn\xf6 \xff\nc\n", [b"n\xf6 \xff"], [b"no"], b"a\nno\nc\n"),
        (b"x\na\nb\nc\n", [b"b"], [b"B"], b"x\na\nB\nc\n"),  # moved, and there once
        (b"b\na\nb\nb\n", [b"b"], [b"B"], None),  # moved, and there thrice
        (b"b\nb\nb\n", [b"b"], [b"B"], None),  # there thrice, and of the file that it was made for nothing is known
        (b"a\nx\nc\n", [b"b"], [b"B"], None),
        (b"", [b"b"], [b"B"], None),
        (b"a\nb\nc\n", [], [b"B"], None),
        (b"a\nb \nc\n", [b"b"], [b"B"], None),  # blanks count
    ],
)
def test_a_suggestion_replaces_its_lines_and_nothing_else(
    data: bytes, old: list[bytes], new: list[bytes], expected: bytes | None
) -> None:
    assert applied(data, suggestion(old, new)) == expected


plain = st.binary(max_size=6).filter(lambda line: b"\n" not in line and not line.endswith(b"\r"))


@given(st.lists(plain, min_size=1, max_size=8), st.data(), st.sampled_from([b"\n", b"\r\n"]), st.booleans())
def test_the_difference_is_exactly_the_lines(lines: list[bytes], data: st.DataObject, end: bytes, final: bool) -> None:
    assume(final or lines[-1])  # a last line that is empty and has no end is none
    first = data.draw(st.integers(0, len(lines) - 1))
    last = data.draw(st.integers(first, len(lines) - 1))
    new = data.draw(st.lists(plain, min_size=1, max_size=3))
    assume(final or (new[-1] and len(lines) > 1))  # how lines end has to be seen somewhere
    text = end.join(lines) + (end if final else b"")
    done = applied(text, suggestion(lines[first : last + 1], new, first + 1)._replace(before=tuple(lines)))
    assert done == end.join([*lines[:first], *new, *lines[last + 1 :]]) + (end if final else b"")


@given(st.lists(plain, min_size=2, max_size=8, unique=True), st.lists(plain, max_size=3), st.data())
def test_what_moved_is_found_where_it_is_unique(lines: list[bytes], before: list[bytes], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(lines) - 1))
    assume(lines[at] not in before)
    moved = [*before, *lines]
    done = applied(b"\n".join(moved) + b"\n", suggestion([lines[at]], [b"new"], at + 1))
    moved[len(before) + at] = b"new"
    assert done == b"\n".join(moved) + b"\n"


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        (b"b\nb\nb\n", b"b\nb\nb\n", b"b\nB\nb\n"),
        (b"x\nb\ny\nb\n", b"y\nb\n", None),  # the other one is gone: equal text elsewhere is not meant
        (b"x\nb\n", b"x\nz\nb\n", b"x\nz\nB\n"),
        (b"x\nb\n", b"b\nx\nb\n", None),
    ],
)
def test_the_file_that_it_was_made_for_tells_which_lines_are_meant(
    before: bytes, now: bytes, expected: bytes | None
) -> None:
    old = tuple(line.removesuffix(b"\n") for line in split(before))
    assert applied(now, suggestion([b"b"], [b"B"])._replace(before=old)) == expected


@given(st.binary())
def test_splitting_loses_nothing(data: bytes) -> None:
    assert b"".join(split(data)) == data


@pytest.mark.parametrize(
    ("spot", "expected"),
    [
        (SPOT, (2, 2, "a" * 40)),
        (Spot(path="a", line=4, start_line=2, commit="c"), (2, 4, "c")),
        (Spot(path="a", original_line=4, original_start_line=3, original_commit="o"), (3, 4, "o")),
        (Spot(path="a", original_line=4), None),
        (Spot(path="a", line=4, commit="c", old_side=True), None),
        (Spot(path="a", whole_file=True, line=1, commit="c"), None),
    ],
)
def test_which_lines_are_meant(spot: Spot, expected: tuple[int, int, str] | None) -> None:
    assert meant(spot) == expected


def test_the_lines_of_a_hunk_are_those_of_its_new_side() -> None:
    hunk = "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c"
    assert from_hunk(hunk, 2) == (b"B", b"c")
    assert from_hunk(hunk, 4) is None
    assert from_hunk(hunk, 0) is None


def test_several_blocks_are_no_plain_edit() -> None:
    one = "```suggestion\na\n```"
    assert block_of(inline(one)) == ("a",)
    assert block_of(inline(f"{one}\n{one}")) is None
    assert block_of(inline("```python\na\n```")) is None


@pytest.mark.parametrize(("line", "clash"), [(1, False), (2, True), (3, True), (4, False)])
def test_what_is_for_the_same_lines_clashes(line: int, clash: bool) -> None:
    two, one = Put(1, 2, (b"c\n",), False), Put(line - 1, 1, (b"y\n",), False)
    places = {"inline:1": ("a.py", two), "inline:2": ("a.py", one)}
    assert overlapping(places) == ({"inline:1", "inline:2"} if clash else set())
    assert not overlapping(places | {"inline:2": ("b.py", one)})
