"""How much two texts are alike."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview.loop.guard import likeness as module
from selfreview.loop.guard.likeness import likeness

TEXTS = st.text("ab =(1)\n", max_size=40)


@given(TEXTS, TEXTS)
def test_short_texts_are_compared_letter_by_letter(old: str, new: str) -> None:
    assert likeness(old, new) == difflib.SequenceMatcher(None, old, new, autojunk=False).ratio()


@given(TEXTS, TEXTS, st.sampled_from([-1, 10]))
def test_longer_ones_are_as_alike_by_their_words(old: str, new: str, largest: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_LARGEST", largest)
        assert likeness(old, old) == 1.0
        assert 0.0 <= likeness(old, new) <= 1.0
        assert likeness(old, f"{old} a b c") >= likeness(old, "") or not old


@pytest.mark.parametrize("largest", [-1, 10, 500_000])
def test_what_is_less_alike_than_asked_for_is_not_at_all(monkeypatch: pytest.MonkeyPatch, largest: int) -> None:
    monkeypatch.setattr(module, "_LARGEST", largest)
    assert likeness("one two three", "four five", 0.9) == 0.0
    assert likeness("one two three", "one two four", 0.5) >= 0.5


def test_what_is_just_as_alike_as_asked_for_is_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert likeness("abcd", "axyz", 0.25) == 0.25
    assert likeness("abcd", "axyz", 0.26) == 0.0
    assert likeness("ab", "ab", 1.0) == 1.0
    monkeypatch.setattr(module, "_LARGEST", -1)
    assert likeness("ab", "ab", 1.0) == 1.0


def test_what_is_often_in_a_text_counts_too() -> None:
    old = "ab" * 150
    assert likeness(old, f"c{old}") == 600 / 601


def test_texts_are_small_up_to_a_number_of_equal_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    for largest, alike in ((2, 2 / 3), (1, 0.0)):
        monkeypatch.setattr(module, "_LARGEST", largest)
        assert likeness("abc", "abd") == alike


def test_long_ones_are_compared_by_the_order_of_their_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine letters are in both texts, and three words; longest for the words is what both have in the same order."""
    for largest, alike in ((3, 1 / 3), (2, 1.0)):
        monkeypatch.setattr(module, "_LARGEST", largest)
        assert likeness("aa bb", "bb aa") == alike


def test_very_long_ones_are_compared_in_bounded_work() -> None:
    """Letter by letter it would take hours."""
    old = " ".join(f"name{number % 500} == {number % 7}" for number in range(40_000))
    assert 0.99 < likeness(old, old.replace("name7 ", "other ")) < 1.0
