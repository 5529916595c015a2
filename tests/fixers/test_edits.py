"""Edits of several issues in one file: all of an issue's or none, and not a byte beside them."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from selfreview.api import Category, Edit, Issue, Severity, Side
from selfreview.fixers.mechanical import apply

BOM = b"\xef\xbb\xbf"
BYTES = st.lists(st.sampled_from([b"a = 1", b"", b"\xff\xfe", "é𝒳".encode(), b"\t#", b"\xc3"]), max_size=8).flatmap(
    lambda lines: st.tuples(st.sampled_from([b"\n", b"\r\n"]), st.booleans(), st.booleans()).map(
        lambda how: (BOM if how[2] else b"") + how[0].join(lines) + (how[0] if how[1] else b"")
    )
)


def edit(first: int, column: int, last: int, end: int, text: str = "") -> Edit:
    return Edit(line_start=first, column_start=column, line_end=last, column_end=end, replacement=text)


def issue(name: str, *edits: Edit, severity: Severity = Severity.MEDIUM, line: int | None = None) -> Issue:
    return Issue(
        id=name,
        severity=severity,
        category=Category.LOGIC,
        file="app.py",
        line_start=line or (edits[0].line_start if edits else 1),
        line_end=line or (edits[0].line_end if edits else 1),
        side=Side.NEW,
        description="wrong",
        reviewer="ruff",
        fingerprint=name,
        edits=list(edits),
    )


@pytest.mark.parametrize(
    ("before", "made", "after"),
    [
        (b"a\nb\nc\n", edit(2, 0, 3, 0), b"a\nc\n"),
        (b"a\nb", edit(2, 0, 3, 0), b"a\n"),
        (b"a\nb\n", edit(1, 1, 1, 1, "!"), b"a!\nb\n"),
        (b"a\nb\n", edit(3, 0, 3, 0, "c\n"), b"a\nb\nc\n"),
        (b"a\r\nb\r\n", edit(1, 0, 2, 0, "x\ny\n"), b"x\r\ny\r\nb\r\n"),
        (b"a\r\nb", edit(2, 1, 2, 1, "\nc"), b"a\r\nb\r\nc"),
        (b"a\r\nb\nc\n", edit(2, 0, 2, 1, "x\r\ny"), b"a\r\nx\ny\nc\n"),
        (BOM + b"a b\n", edit(1, 0, 1, 1, "x"), BOM + b"x b\n"),
        ("é𝒳 b\n".encode(), edit(1, 3, 1, 4, "c"), "é𝒳 c\n".encode()),
        (b"\xff b\r\xc3\n", edit(1, 2, 1, 3, "c"), b"\xff c\r\xc3\n"),
        (b"\xc3\n", edit(1, 1, 1, 1, "\udca9"), b"\xc3\xa9\n"),
        (b"", edit(1, 0, 1, 0, "a\n"), b"a\n"),
    ],
)
def test_one_edit(before: bytes, made: Edit, after: bytes) -> None:
    edited = apply(before, [issue("one", made)])
    assert (edited.data, list(edited.done), edited.left) == (after, ["one"], {})


@pytest.mark.parametrize(
    "wrong",
    [
        edit(0, 0, 1, 0),
        edit(1, 0, 9, 0),
        edit(1, 9, 2, 0),
        edit(2, 0, 1, 0),
        edit(1, -1, 1, 0),
        edit(4, 0, 4, 0, "x"),
        edit(1, 0, 1, 1, "\ud800"),
    ],
)
def test_what_is_no_place_of_the_file_is_left_out_with_all_edits_of_its_issue(wrong: Edit) -> None:
    edited = apply(b"a\nb\n", [issue("one", edit(2, 0, 2, 1, "x"), wrong), issue("two", edit(1, 0, 1, 1, "y"))])
    assert edited.data == b"y\nb\n"
    assert list(edited.left) == ["one"]


def test_the_worst_of_overlapping_issues_wins_and_loses_nothing() -> None:
    mild = issue("mild", edit(1, 0, 1, 2, "mild"), edit(2, 0, 2, 1, "mild"))
    severe = issue("severe", edit(1, 1, 1, 3, "severe"), severity=Severity.HIGH)
    for order in ([mild, severe], [severe, mild]):
        edited = apply(b"abc\nd\n", order)
        assert edited.data == b"asevere\nd\n"
        assert edited.left == {"mild": "its edit overlaps that of another issue"}


def test_edits_of_one_issue_that_overlap_each_other_are_left_out() -> None:
    edited = apply(b"abc\n", [issue("one", edit(1, 0, 1, 2, "x"), edit(1, 1, 1, 3, "y"))])
    assert edited.data == b"abc\n"
    assert edited.left == {"one": "its edits overlap each other"}


def test_the_same_edit_of_two_issues_is_made_once() -> None:
    edited = apply(b"import a, b\nx\n", [issue("a", edit(1, 0, 2, 0)), issue("b", edit(1, 0, 2, 0))])
    assert edited.data == b"x\n"
    assert list(edited.done) == ["a", "b"]


def test_edits_that_touch_are_both_made() -> None:
    removed, inserted = issue("removed", edit(2, 0, 3, 0)), issue("inserted", edit(2, 0, 2, 0, "new\n"))
    behind = issue("behind", edit(3, 0, 3, 0, "behind\n"))
    for order in itertools.permutations([removed, inserted, behind]):
        assert apply(b"a\nb\nc\n", order).data == b"a\nnew\nbehind\nc\n"


def test_two_texts_for_one_place_are_not_put_in_some_order() -> None:
    edited = apply(b"a\n", [issue("one", edit(1, 0, 1, 0, "x\n")), issue("two", edit(1, 0, 1, 0, "y\n"))])
    assert edited.data == b"x\na\n"
    assert list(edited.left) == ["two"]


def test_far_from_its_issue_an_edit_may_only_insert() -> None:
    lines = b"".join(b"%d\n" % number for number in range(1, 41))
    added = apply(lines, [issue("one", edit(1, 0, 1, 0, "import re\n"), edit(40, 0, 40, 2, "re"), line=40)])
    assert added.data == b"import re\n" + lines[:-3] + b"re\n"
    for first, is_made in ((19, False), (20, True)):
        edited = apply(lines, [issue("one", edit(first, 0, first, 2, "x"), line=40)])
        assert (edited.data != lines) is is_made
    assert apply(lines, [issue("one", edit(22, 0, 22, 1, "x"), line=1)]).data == lines


def test_an_issue_without_edits_says_so() -> None:
    assert apply(b"a\n", [issue("one")]).left == {"one": "its suggested edit does not match the code any more"}


@given(BYTES)
def test_nothing_to_apply_is_the_identity(data: bytes) -> None:
    assert apply(data, []).data == data


@st.composite
def edited_lines(draw: st.DrawFn) -> tuple[bytes, list[Issue], list[int]]:
    """Return a file, and edits that each replace what is between the first and the last character of one line."""
    data = draw(BYTES)
    lines = data.removeprefix(BOM).decode("utf-8", "surrogateescape").split("\n")
    chosen = draw(st.lists(st.sampled_from(range(len(lines))), unique=True, max_size=len(lines)))
    issues = []
    for index in chosen:
        room = len(lines[index].removesuffix("\r"))
        start = draw(st.integers(0, room))
        end = draw(st.integers(start, room))
        text = draw(st.sampled_from(["", "x", "é", "\udcff", "1\n2"]))
        issues.append(issue(f"line {index}", edit(index + 1, start, index + 1, end, text)))
    return data, issues, chosen


@given(edited_lines(), st.randoms())
def test_edits_that_do_not_overlap_commute_and_leave_other_lines_alone(made: tuple, random: object) -> None:
    data, issues, chosen = made
    edited = apply(data, issues)
    assert not edited.left
    shuffled = list(issues)
    random.shuffle(shuffled)  # type: ignore[attr-defined] # hypothesis' own type says less than it is
    assert apply(data, shuffled).data == edited.data
    one_by_one = data
    for each in sorted(issues, key=lambda each: -each.line_start):
        one_by_one = apply(one_by_one, [each]).data
    assert one_by_one == edited.data
    assume(not any("\n" in each.edits[0].replacement for each in issues))
    before, after = data.split(b"\n"), edited.data.split(b"\n")
    assert len(before) == len(after)
    assert [line for index, line in enumerate(before) if index not in chosen] == [
        line for index, line in enumerate(after) if index not in chosen
    ]
    assert edited.data.startswith(BOM) == data.startswith(BOM)
    assert edited.data.count(b"\r\n") == data.count(b"\r\n")
