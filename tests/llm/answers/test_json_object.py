"""A long text of a model is cut where it is read, and says so."""

from __future__ import annotations

import pytest

from selfreview.llm.answers.json_object import shortened


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ten chars.", "ten chars."),
        ("one two three", "one two… [shortened: it had 13 characters]"),
        ("one ghp_secret", "one… [shortened: it had 14 characters]"),  # half of a token would be known as none
        ("one two th  four", "one two th… [shortened: it had 16 characters]"),
        ("x" * 12, "x" * 10 + "… [shortened: it had 12 characters]"),
    ],
)
def test_it_is_cut_between_words(text: str, expected: str) -> None:
    assert shortened(text, 10) == expected


def test_the_number_is_of_the_whole() -> None:
    assert shortened("flood " * 35_000).endswith("flood… [shortened: it had 210,000 characters]")
