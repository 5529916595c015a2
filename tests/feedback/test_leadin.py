"""What only leads up to a suggestion block."""

from __future__ import annotations

import pytest

from selfreview.feedback.leadin import is_lead_in


@pytest.mark.parametrize(
    "words",
    ["", "Better:", "nit:", "**nit**: typo", "Maybe like this?", "I'd write:", "I\u2019d prefer this", "What about …"],
)
def test_a_few_plain_words_lead_up_to_it(words: str) -> None:
    assert is_lead_in(words)


@pytest.mark.parametrize(
    "words",
    [
        "Rename it everywhere:", "Also use this in b.py", "use this 3 times", "nit: `b`", "Why?", "use this_that",
        "please please please please please please please", "Better, and add a test:", "лучше так:", "use <b>",
        "use a/b",
    ],
)  # fmt: skip
def test_anything_else_may_ask_for_more(words: str) -> None:
    assert not is_lead_in(words)
