"""Which issues of two reviews are the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from selfreview.api import Side
from selfreview.model.change import LineRange
from selfreview.refine.compare import key_of, pair
from tests.refine.issues import issue


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
