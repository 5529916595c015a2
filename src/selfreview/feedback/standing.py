"""What was done already, read from the branch and the forge: no store is needed to know it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from selfreview.feedback.marks import cycle_of, handed_over_in, is_marked, settled_in, waiting_in
from selfreview.feedback.trailers import FixCommit
from selfreview.feedback.trust import Policy
from selfreview.model.cycle import Analysis, Meaning
from selfreview.model.feedback import Feedback, FeedbackItem
from selfreview.model.mark import marks_in


class Standing(NamedTuple):
    """What was done about feedback on one pull request.

    Attributes:
        commits: The pushed commits that answer some, oldest first.
        ours: The comments that we wrote.
        settled: Keys of what our comments say is answered.
        handed_over: Keys of what a person was called for.
        waiting: Keys of what a person was told that it waits for them; it is answered after that.
    """

    commits: tuple[FixCommit, ...]
    ours: tuple[FeedbackItem, ...]
    settled: frozenset[str]
    handed_over: frozenset[str]
    waiting: frozenset[str]

    @classmethod
    def read(cls, feedback: Feedback, commits: Sequence[FixCommit], policy: Policy) -> Standing:
        """Read it from a snapshot and the branch's commits."""
        ours = tuple(item for item in feedback.items if policy.is_me(item.author) and is_marked(item.body))
        bodies = [item.body for item in ours]
        keys = (frozenset(found(bodies)) for found in (settled_in, handed_over_in, waiting_in))
        return cls(tuple(commits), ours, *keys)

    @property
    def fixed(self) -> frozenset[str]:
        """Keys of what a pushed commit answers."""
        return frozenset(key for commit in self.commits for key in commit.keys)

    @property
    def cycles(self) -> int:
        """How many answers were pushed, by the branch or by what we wrote of them: a branch may be written anew."""
        told = (cycle_of(mark) for item in self.ours for mark in marks_in(item.body))
        return max((len({commit.cycle for commit in self.commits}), *told), default=0)

    def is_left_to_people(self, analysis: Analysis) -> bool:
        """Whether a person was called for something that is neither done nor settled by now."""
        theirs = self.handed_over - self.fixed - self.settled
        return any(one.meaning is Meaning.HANDLED and one.item.key in theirs for one in analysis.judged)

    def handled(self, *, again: bool) -> frozenset[str]:
        """Return the keys of what needs nothing more.

        Args:
            again: Whether what a person was called for is to be tried again.
        """
        return self.fixed | self.settled | (frozenset() if again else self.handed_over)
