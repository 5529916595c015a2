"""Items of feedback: their author, and their identity."""

from __future__ import annotations

import pytest

from selfreview.model.cycle import Analysis, Judged, Meaning
from selfreview.model.feedback import Feedback, FeedbackItem, ItemKind, Opinion, Permission, Person, Spot
from tests.pullrequest.said import feedback, review

REV, DEV = Person(login="rev", id="1"), Person(login="dev", id="2")


def said(body: str, **more: object) -> FeedbackItem:
    return FeedbackItem(id="comment:1", kind=ItemKind.COMMENT, author=REV, body=body, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(("permission", "may"), [*zip(Permission, (True, True, False, False), strict=True)])
def test_who_may_push(permission: Permission, may: bool) -> None:
    assert permission.may_write is may


@pytest.mark.parametrize("same", ["- [ ] do  it\n", "- [x] do it", "- [X]\tdo it"])
def test_white_space_and_ticked_boxes_say_nothing_new(same: str) -> None:
    assert said(same).key == said("- [ ] do it").key
    assert said(same).key != said("- [ ] do that").key


@pytest.mark.parametrize(
    ("spot", "outdated"),
    [(Spot(path="a", line=1), False), (Spot(path="a"), True), (Spot(path="a", whole_file=True), False)],
)
def test_a_comment_without_a_line_of_today_is_outdated(spot: Spot, outdated: bool) -> None:
    assert spot.outdated is outdated


def test_the_last_opinion_counts_a_comment_changes_none_and_a_dismissal_leaves_none() -> None:
    def opinion(author: Person | None, opinion: Opinion) -> FeedbackItem:
        return FeedbackItem(id="r", kind=ItemKind.REVIEW, author=author, body="", opinion=opinion)

    items = (
        opinion(REV, Opinion.CHANGES_REQUESTED),
        opinion(DEV, Opinion.CHANGES_REQUESTED),
        opinion(None, Opinion.CHANGES_REQUESTED),
        opinion(REV, Opinion.APPROVED),
        opinion(REV, Opinion.COMMENTED),
        opinion(DEV, Opinion.DISMISSED),
    )
    whole = Feedback(request=feedback(review("")).request, items=items)
    assert whole.opinions == {"rev": Opinion.APPROVED}


def test_which_meanings_are_open_and_which_are_work() -> None:
    judged = tuple(Judged(item=said(meaning), meaning=meaning) for meaning in Meaning)
    assert [one.meaning for one in Analysis(number=1, judged=judged).work] == [Meaning.ACTIONABLE, Meaning.SUGGESTION]
    assert {meaning for meaning in Meaning if meaning.is_open} == {
        Meaning.ACTIONABLE,
        Meaning.SUGGESTION,
        Meaning.QUESTION,
        Meaning.NEEDS_PERSON,
    }
