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


def test_very_long_ones_are_compared_in_bounded_work() -> None:
    """Letter by letter it would take hours."""
    old = " ".join(f"name{number % 500} == {number % 7}" for number in range(40_000))
    assert 0.99 < likeness(old, old.replace("name7 ", "other ")) < 1.0
