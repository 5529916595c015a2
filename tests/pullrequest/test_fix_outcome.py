"""What is told of a fix is what its patch holds, whatever fixers said while they made it."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfreview.apply.patches import Manifest, Patch
from selfreview.model.cycle import Judged, Meaning
from selfreview.model.refinement import FixAnswer, FixOutcome
from selfreview.pullrequest.feedback.classify import WORDS_LEFT
from selfreview.pullrequest.feedback.marks import block_key
from selfreview.pullrequest.fix_outcome import Fixed
from tests.pullrequest.said import inline

MADE = "its own edit was made"
SAID = inline("Rename it.\n```suggestion\nB\n```")
BLOCK = block_key(SAID.key)
PATCH = Patch(Path(), Manifest(id="p-1", at="2026-01-01T00:00:00Z", iteration=1, files=()))


def fixed(patch: Patch | None, **answers: str) -> Fixed:
    """Return what fixers came to; a word that ends in ``!`` is of what was done."""
    keys = {"words": SAID.key, "block": BLOCK}
    given = {
        keys[name]: FixAnswer(
            issue="sr-1",
            outcome=FixOutcome.ADDRESSED if why == MADE or why.endswith("!") else FixOutcome.NOT_ADDRESSED,
            why=why,
        )
        for name, why in answers.items()
    }
    applied = frozenset(keys[name] for name, why in answers.items() if why == MADE)
    return Fixed(patch=patch, answers=given, applied=applied, why=("nothing is pushed",))


@pytest.mark.parametrize("unread", [False, True])
@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ({"block": MADE}, "nothing is pushed"),
        ({"block": MADE, "words": "renamed it!"}, "nothing is pushed"),
        ({"words": "renamed it!"}, "nothing is pushed"),
        ({"block": MADE, "words": "which name?"}, "which name?"),
        ({"block": "its lines are gone"}, "its lines are gone"),
    ],
)
def test_without_a_patch_nothing_is_done(answers: dict[str, str], why: str, unread: bool) -> None:
    one = Judged(item=SAID, meaning=Meaning.SUGGESTION, words_left=unread)
    what = fixed(None, **answers)
    assert what.done_key(one) is None
    assert what.unresolved(one).why == f"not fixed: {why}"
    assert "suggestion is applied" not in str(what.replies([one]))


def test_of_what_is_half_done_the_reason_is_that_of_the_other_half() -> None:
    one = Judged(item=SAID, meaning=Meaning.ACTIONABLE, suggests=True)
    assert fixed(PATCH, block="its lines are gone", words="renamed it!").unresolved(one).why.endswith("lines are gone")
    assert fixed(PATCH, block=MADE, words="which name?").unresolved(one).why.endswith("which name?")


def test_words_are_left_of_a_suggestion_that_a_patch_applies() -> None:
    one = Judged(item=SAID, meaning=Meaning.SUGGESTION, words_left=True)
    assert fixed(PATCH, block=MADE).unresolved(one).why == WORDS_LEFT
