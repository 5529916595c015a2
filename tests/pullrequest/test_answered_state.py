"""What was done already, from the branch and the forge alone."""

from __future__ import annotations

import pytest

from selfreview.model.feedback import hidden
from selfreview.pullrequest.answered_state import AnsweredState
from selfreview.pullrequest.feedback.marks import Mark
from selfreview.pullrequest.git.trailers import FixCommit
from tests.pullrequest.said import ME, REV, feedback, item, policy

OURS = hidden(Mark.ANSWERED.of("a@1")) + hidden(Mark.HANDED_OVER.of("b@2"))
COMMITS = [FixCommit("1" * 40, 1, ("c@3",)), FixCommit("2" * 40, 3, ("d@4",))]


def test_it_is_read_from_comments_of_ours_and_from_commits() -> None:
    standing = AnsweredState.read(feedback(item(OURS, ME)), COMMITS, policy())
    assert standing.replied == {"a@1"}
    assert standing.handed_over == {"b@2": ""}
    assert standing.fixed == {"c@3", "d@4"}
    assert standing.cycles == 2  # as many as there are, whatever they say
    assert standing.handled(retry=False) == {"a@1", "b@2", "c@3", "d@4"}
    assert standing.handled(retry=True) == {"a@1", "c@3", "d@4"}


@pytest.mark.parametrize(
    ("numbers", "count"),
    [
        ((), 0),
        ((1,), 1),
        ((1, 1), 1),
        ((2,), 1),
        ((2, 1), 2),
        ((1, 3), 2),
        ((3,), 0),
        ((99998,), 0),
        ((99998, 1, 2), 2),
    ],
)
def test_numbers_that_cannot_be_are_not_counted(numbers: tuple[int, ...], count: int) -> None:
    commits = [FixCommit("1" * 40, number, ("c@3",)) for number in numbers]
    assert AnsweredState.read(feedback(), commits, policy()).cycles == count


@pytest.mark.parametrize(("before", "remembered", "count"), [(0, 0, 2), (1, 0, 1), (2, 0, 0), (5, -1, 0), (1, 3, 3)])
def test_a_reset_is_counted_from(before: int, remembered: int, count: int) -> None:
    assert AnsweredState.read(feedback(), COMMITS, policy()).counted(before, remembered) == count


def test_marks_of_others_say_nothing() -> None:
    standing = AnsweredState.read(feedback(item(OURS, REV), item("mine", ME)), (), policy())
    assert not standing.ours
    assert not standing.handled(retry=False)
    assert standing.cycles == 0
