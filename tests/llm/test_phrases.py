"""Phrases find words, and cannot be made to take long."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview.llm.phrases import Phrase, words


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("nit", "Nit: rename"),
        ("nit", "a NIT"),
        ("a b", "x a b y"),
        ("a|b c", "b c"),
        ("a [b] c", "a c"),
        ("a [b] c", "a b c"),
        ("a [b] [c] d", "a c d"),
        ("a [b]", "a"),
        ("[a] b", "b"),
        ("a a b", "a a a b"),
        ("[a] a b", "a a a b"),
        ("test* fail*", "testing failed"),
        ("^a b", "- `a` b"),
        ("hard-coded", "a hard-coded path"),
        ("->", "x->y"),
        ("straße", "STRASSE"),
    ],
)
def test_it_is_there(phrase: str, text: str) -> None:
    assert Phrase(phrase).is_in(words(text))


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("nit", "unit nits"),
        ("a b", "a, b"),
        ("a b", "a x b"),
        ("a [b] c", "a b b c"),
        ("^a", "b a"),
        ("^a", "(b) a"),
        ("test", "testing"),
        ("coded", "hard-coded"),
        ("a", ""),
        (".*", "a"),
    ],
)
def test_it_is_not(phrase: str, text: str) -> None:
    assert not Phrase(phrase).is_in(words(text))


@pytest.mark.parametrize("text", ["", "^", "[a]", "[a", "a]", "a|", "|a", "a||b", "*", "a*b", "a ^b|^", "[a|b]c", "[]"])
def test_what_is_no_phrase(text: str) -> None:
    with pytest.raises(ValueError, match="phrase"):
        Phrase(text)


def test_every_step_goes_on_by_one_word() -> None:
    """What would take an engine that goes back longer than anyone waits."""
    many = Phrase(" ".join(["[a*|a|aa]"] * 300) + " a* b")
    assert not many.is_in(words("a " * 100_000))


@given(st.text())
def test_any_text_is_a_phrase_or_not(text: str) -> None:
    try:
        phrase = Phrase(text)
    except ValueError:
        return
    phrase.is_in(words(text))


@given(st.lists(st.sampled_from("abc"), min_size=1), st.lists(st.sampled_from("abc"), max_size=4))
def test_plain_words_are_found_where_they_stand_next_to_each_other(phrase: list[str], text: list[str]) -> None:
    whole = " ".join(text)
    assert Phrase(" ".join(phrase)).is_in(words(whole)) == (f" {' '.join(phrase)} " in f" {whole} ")
