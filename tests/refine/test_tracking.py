"""Tracking of lines and issues through edits."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview.api import Edit, Side
from selfreview.model.change import LineRange
from selfreview.refine.tracking import LineMap, key_of, pair
from tests.refine.issues import issue

texts = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=12)


@given(texts, texts)
def test_a_line_is_where_it_says(old: list[str], new: list[str]) -> None:
    moved = LineMap(old, new)
    there = [moved.line(number) for number in range(1, len(old) + 1)]
    for number, found in enumerate(there, 1):
        assert found is None or old[number - 1] == new[found - 1]
    known = [found for found in there if found is not None]
    assert known == sorted(set(known))


def test_only_what_lies_between_the_edits_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []

    class Counting(difflib.SequenceMatcher[str]):
        def __init__(self, isjunk: None, a: Sequence[str], b: Sequence[str], *, autojunk: bool) -> None:
            compared.extend((len(a), len(b)))
            super().__init__(isjunk, a, b, autojunk=autojunk)

    monkeypatch.setattr(difflib, "SequenceMatcher", Counting)
    lines = ["}", ""] * 1000
    moved = LineMap(lines, [*lines[:7], "new", *lines[7:90], "other", *lines[91:]])
    assert [moved.line(number) for number in (7, 8, 90, 91, 92, 2000)] == [7, 9, 91, None, 93, 2001]
    assert max(compared) < 100


@given(texts, texts, texts)
def test_lines_around_an_insertion_stay(above: list[str], below: list[str], new: list[str]) -> None:
    moved = LineMap(["top", *above], ["new", "top", *above])
    assert [moved.line(number) for number in range(1, len(above) + 2)] == list(range(2, len(above) + 3))
    assert moved.is_untouched(1, len(above) + 1)
    split = LineMap([*above, "x", "y", *below], [*above, "x", "between", *new, "y", *below])
    assert not split.is_untouched(len(above) + 1, len(above) + 2)


@given(texts)
def test_the_same_text_moves_nothing(lines: list[str]) -> None:
    moved = LineMap(lines, list(lines))
    assert [moved.line(number) for number in range(1, len(lines) + 1)] == list(range(1, len(lines) + 1))
    assert moved.is_untouched(-3, len(lines) + 3) is bool(lines)


def test_an_issue_comes_with_its_lines_and_edits() -> None:
    moved = LineMap(["a", "b", "c"], ["new", "a", "b", "c"])
    edit = Edit(line_start=2, column_start=0, line_end=3, column_end=0, replacement="B\n")
    found = moved.issue(issue("i", 2, line_end=3, edits=[edit]))
    assert found is not None
    assert (found.line_start, found.line_end) == (3, 4)
    assert [(e.line_start, e.line_end) for e in found.edits] == [(3, 4)]


def test_an_issue_whose_first_line_is_gone_is_gone() -> None:
    assert LineMap(["a", "b"], ["a", "c"]).issue(issue("i", 2)) is None


def test_an_issue_whose_end_is_gone_keeps_its_beginning_and_loses_its_edits() -> None:
    edits = [
        Edit(line_start=1, column_start=0, line_end=1, column_end=1, replacement="A"),
        Edit(line_start=2, column_start=0, line_end=2, column_end=1, replacement="B"),
    ]
    found = LineMap(["a", "b"], ["new", "a", "c"]).issue(issue("i", 1, line_end=2, edits=edits))
    assert found is not None
    assert (found.line_start, found.line_end, found.edits) == (2, 2, [])


def test_an_edit_up_to_the_line_after_it_needs_only_its_own_lines() -> None:
    edit = Edit(line_start=1, column_start=0, line_end=2, column_end=0, replacement="")
    found = LineMap(["a", "b"], ["new", "a", "other"]).issue(issue("i", 1, edits=[edit]))
    assert found is not None
    assert [(e.line_start, e.line_end) for e in found.edits] == [(2, 3)]


def test_an_issue_of_a_file_or_of_its_old_side_stays() -> None:
    moved = LineMap(["a"], ["b"])
    for one in (issue("i", 0), issue("i", 1, side=Side.OLD)):
        assert moved.issue(one) is one


@pytest.mark.parametrize(
    ("old", "new", "places"),
    [
        ("abc", "abc", [(1, 1), (2, 2), (3, 3)]),
        ("abc", "xabc", [(2, 2), (3, 3), (4, 4)]),
        ("abc", "aBc", [(1, 1), (2, 2), (3, 3)]),
        ("abcd", "aBCd", [(1, 1), (2, 2), (3, 3), (4, 4)]),
        ("abc", "axyc", [(1, 1), (2, 3), (4, 4)]),
        ("abc", "ac", [(1, 1), None, (2, 2)]),
        ("abcd", "aXd", [(1, 1), (2, 2), (2, 2), (3, 3)]),
        ("abc", "xyz", [(1, 1), (2, 2), (3, 3)]),
        ("ab", "xyz", [(1, 3), (1, 3)]),
        ("ab", "", [None, None]),
    ],
)
def test_the_place_of_a_line_that_was_edited_is_what_took_it(
    old: str, new: str, places: list[tuple[int, int] | None]
) -> None:
    moved = LineMap(old, new)
    assert [moved.place(number) for number in range(1, len(old) + 1)] == places


def test_the_fingerprint_comes_first() -> None:
    before = [issue("a", fingerprint="v1:1", evidence="x"), issue("b", fingerprint="v1:2", evidence="x")]
    after = [issue("c", fingerprint="v1:2", evidence="y"), issue("d", fingerprint="v1:1", evidence="z")]
    assert pair(before, after) == {"a": "d", "b": "c"}


def test_what_it_is_about_comes_second_in_order() -> None:
    before = [issue("a", evidence="x = 1"), issue("b", evidence="x = 1"), issue("c", evidence="x = 1")]
    after = [issue("d", evidence="  x  =  1"), issue("e", evidence="x = 1")]
    assert pair(before, after) == {"a": "d", "b": "e"}


def test_what_has_a_twin_by_fingerprint_takes_no_other() -> None:
    before = [issue("a", fingerprint="v1:9"), issue("b", fingerprint="v1:1")]
    after = [issue("c", fingerprint="v1:1")]
    assert pair(before, after) == {"b": "c"}


def test_reviewer_rule_file_and_code_tell_issues_apart() -> None:
    one = issue("a")
    for other in ({"reviewer": "other"}, {"rule": "other"}, {"file": "other.py"}, {"evidence": "other"}):
        values: dict[str, Any] = {"fingerprint": "v1:else", **other}
        assert pair([one], [issue("b", **values)]) == {}
    assert key_of(issue("a", rule=None)) != key_of(one)


codes = st.lists(st.tuples(st.integers(0, 4), st.sampled_from("xyz")), max_size=8)


@given(codes, codes)
def test_no_issue_is_paired_twice(old: list[tuple[int, str]], new: list[tuple[int, str]]) -> None:
    before = [issue(f"a{n}", fingerprint=f"v1:{p}", evidence=code) for n, (p, code) in enumerate(dict(old).items())]
    after = [issue(f"b{n}", fingerprint=f"v1:{p}", evidence=code) for n, (p, code) in enumerate(dict(new).items())]
    pairs = pair(before, after)
    assert len(set(pairs.values())) == len(pairs)
    assert set(pairs) <= {one.id for one in before}
    assert set(pairs.values()) <= {one.id for one in after}


@given(codes)
def test_a_review_is_the_same_as_itself(found: list[tuple[int, str]]) -> None:
    issues = [issue(f"a{n}", fingerprint=f"v1:{p}", evidence=code) for n, (p, code) in enumerate(dict(found).items())]
    assert pair(issues, issues) == {one.id: one.id for one in issues}


def landing(first: int, last: int) -> Callable[[Any], LineRange]:
    return lambda _: LineRange(first, last)


def test_an_edit_within_its_line_leaves_an_issue_what_it_was() -> None:
    before = [issue("a", 3, evidence="x = get(1, 2)", description="it waits")]
    after = [issue("b", 5, evidence="x = get(1)", description="it waits")]
    assert pair(before, after) == {}
    assert pair(before, after, landing(5, 5)) == {"a": "b"}
    assert pair(before, after, landing(4, 6)) == {"a": "b"}


def test_something_else_there_or_the_same_elsewhere_is_another_issue() -> None:
    before = [issue("a", 3, evidence="x", description="it waits")]
    for other in (
        {"reviewer": "other"}, {"rule": "other"}, {"file": "other.py"}, {"description": "it hangs"},
        {"line_start": 4}, {"line_start": 6}, {"side": Side.OLD},
    ):  # fmt: skip
        values: dict[str, Any] = {"evidence": "y", "description": "it waits", "line_start": 5, **other}
        assert pair(before, [issue("b", values.pop("line_start"), **values)], landing(5, 5)) == {}
    assert pair(before, [issue("b", 5, evidence="y", description="it waits")], lambda _: None) == {}
    nameless = [issue(name, 5, rule=None, evidence=name, description="it waits") for name in "ab"]
    assert pair(nameless[:1], nameless[1:], landing(5, 5)) == {}


def test_each_place_holds_one() -> None:
    before = [issue(name, 3, evidence=name, description="it waits") for name in "ab"]
    after = [issue("c", 5, evidence="z", description="it waits")]
    assert pair(before, after, landing(5, 5)) == {"a": "c"}
    assert pair(before, [*after, issue("b2", 7, evidence="b", description="it waits")], landing(5, 5)) == {
        "a": "c",
        "b": "b2",
    }
