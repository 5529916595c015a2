"""What asks for nothing by each of its words."""

from __future__ import annotations

import pytest

from selfreview.model.cycle import Judged, Meaning, Overall
from selfreview.model.feedback import FeedbackItem, Opinion
from selfreview.pullrequest.feedback import trivial_comments as thanks
from selfreview.pullrequest.feedback.analysis import UNREAD, analyse
from selfreview.pullrequest.feedback.trivial_comments import is_lead_in, is_pointer, is_thanks
from tests.pullrequest.said import feedback, inline, item, policy, review


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


@pytest.mark.parametrize(
    "words",
    ["LGTM", "lgtm!", "LGTM 👍", "Looks good, thanks!", "Thank you so much. Great work!", "+1", ":+1:", "Approved.",
     "👍👍👍👍👍👍👍👍", "❤️", "👍🏽", "Looks good to me :tada:", "Nice work - ship it!", "This looks good to me",
     "Looks good now.", "Thanks for the fix, and for the update.", "No further comments. Good to go!"],
)  # fmt: skip
def test_thanks_ask_for_nothing(words: str) -> None:
    assert is_thanks(words)


@pytest.mark.parametrize(
    "words",
    ["", "Thanks, but rename it", "LGTM once the SQL injection in login() is fixed", "LGTM?", "👎", "ok, delete it",
     "Great. Now use a set", "1", "+", "Approved @bob", "no", "good", "for", "LGTM `rm`", "thanks (not)", "-1"],
)  # fmt: skip
def test_whatever_else_is_said_is_more_than_thanks(words: str) -> None:
    assert not is_thanks(words)


@pytest.mark.parametrize(
    "words", ["Some things below.", "LGTM, just a few nits.", "See my comments inline", "I left two questions below!"]
)
def test_words_that_only_point_to_comments_ask_for_nothing(words: str) -> None:
    assert is_pointer(words)
    assert not is_thanks(words)


@pytest.mark.parametrize(
    "words", ["", "More comments, please", "Some things below, and delete the migration", "Comments below?", "See #5"]
)
def test_words_that_ask_for_more_are_no_pointers(words: str) -> None:
    assert not is_pointer(words)


def test_long_ones_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever wrote it chose its length: only so much is ever compared with the lists."""
    seen: list[int] = []

    class Phrases(frozenset[str]):
        def __contains__(self, phrase: object) -> bool:
            seen.append(1)
            return super().__contains__(phrase)

    monkeypatch.setattr(thanks, "_THANKS", Phrases(thanks._THANKS))
    for words in ("👍" * 62 + " but rename it", "thanks " * 10_000, "👍" * 10_000, "!" * 10_000):
        assert not is_thanks(words)
        assert not is_pointer(words)
    assert is_thanks("👍" * 40)
    assert len(seen) <= 40 * 5


def unread(*items: FeedbackItem) -> list[Judged]:
    return list(analyse(feedback(*items), policy(), (), plugin=lambda _: None, reader=lambda _, __: {}).judged)


def test_the_words_of_an_approval_are_read_like_all_others() -> None:
    (judged,) = unread(review("LGTM once the SQL injection in login() is fixed, please.", opinion=Opinion.APPROVED))
    assert (judged.meaning, judged.why) == (Meaning.NEEDS_PERSON, UNREAD)
    (judged,) = unread(review("LGTM, thanks!", opinion=Opinion.APPROVED))
    assert judged.meaning is Meaning.PRAISE


def test_the_words_of_a_review_with_comments_are_read_like_all_others() -> None:
    comment = inline("```suggestion\nx\n```", review="review:1")
    for words, meaning in (
        ("Please also delete the migration: it drops the users table.", Meaning.NEEDS_PERSON),
        ("Some things below.", Meaning.PRAISE),
    ):
        first, second = unread(review(words), comment)
        assert (first.meaning, second.meaning) == (meaning, Meaning.SUGGESTION)
    (alone,) = unread(review("Some things below."))  # nothing is there that it points to
    assert alone.meaning is Meaning.NEEDS_PERSON
    pointing, _ = unread(item("Some things below.", id="review:1"), comment)  # a comment of its own
    assert pointing.meaning is Meaning.NEEDS_PERSON


def test_an_approval_that_asks_for_something_leaves_something_to_do() -> None:
    said = feedback(review("LGTM once it is fixed.", opinion=Opinion.APPROVED))
    found = analyse(said, policy(), (), plugin=lambda _: None, reader=lambda _, __: {})
    assert found.overall is Overall.NEEDS_HUMAN_INPUT


@pytest.mark.parametrize("words", ["Thanks!", "LGTM", ""])
def test_a_review_that_wants_changes_is_not_done_with_thanks(words: str) -> None:
    """Somebody waits for something, and nobody said for what."""
    (judged,) = unread(review(words))
    assert (judged.meaning, judged.why) == (Meaning.NEEDS_PERSON, "changes are requested, and nothing says which")
    comment = inline("```suggestion\nx\n```", review="review:1")
    first, second = unread(review(words), comment)
    assert (first.meaning, second.meaning) == (Meaning.PRAISE, Meaning.SUGGESTION)
