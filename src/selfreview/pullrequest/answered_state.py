"""State of a pull request's feedback, read from branch and forge: no store is needed to know it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import msgspec

from selfreview.model.cycle import Analysis, Judged, Meaning, Overall
from selfreview.model.feedback import Feedback, FeedbackItem, mark_of, marks_in
from selfreview.pullrequest.feedback.classify import IN_PLACE, classify
from selfreview.pullrequest.feedback.marks import SUMMARY, Mark, cycle_of, handed_over_in, is_marked, label_in
from selfreview.pullrequest.feedback.trust import Policy
from selfreview.pullrequest.feedback.unresolved import Unresolved
from selfreview.pullrequest.git.trailers import FixCommit

_CALLED = "a person was called for it"


class AnsweredState(NamedTuple):
    """Answers given so far to feedback on one pull request.

    Attributes:
        commits: The pushed commits that answer some, oldest first.
        ours: The comments that we wrote.
        replied: Keys of what our comments say is answered.
        handed_over: Why a person was called, by the key of what they were called for; empty where nothing says why.
        by_people: Keys of what a person was called for, and has settled.
        taken: Ids of the comments of ours whose label a person took away.
    """

    commits: tuple[FixCommit, ...]
    ours: tuple[FeedbackItem, ...]
    replied: frozenset[str]
    handed_over: Mapping[str, str]
    by_people: frozenset[str]
    taken: frozenset[str] = frozenset()

    @classmethod
    def read(
        cls, feedback: Feedback, commits: Sequence[FixCommit], policy: Policy, taken: frozenset[str] = frozenset()
    ) -> AnsweredState:
        """Read the state from a snapshot and the branch's commits.

        Args:
            feedback: The snapshot.
            commits: The pushed commits that answer some, oldest first.
            policy: Who is listened to.
            taken: Ids of the comments of ours whose label a person took away, who has settled what these call for.
        """
        ours = tuple(item for item in feedback.items if policy.is_me(item.author) and is_marked(item.body))
        bodies = [item.body for item in ours]
        called, people = handed_over_in(bodies), Mark.BY_PEOPLE.values_in(bodies)
        people |= handed_over_in(item.body for item in ours if item.id in taken).keys()
        left = {key: why for key, why in called.items() if key not in people}
        return cls(tuple(commits), ours, frozenset(Mark.ANSWERED.values_in(bodies)), left, frozenset(people), taken)

    def with_replied(self, keys: Collection[str]) -> AnsweredState:
        """Return the state with more keys that our comments settle: of comments that a snapshot does not have yet."""
        return self._replace(replied=self.replied | frozenset(keys))

    @property
    def fixed(self) -> frozenset[str]:
        """Keys of the feedback that pushed commits answer."""
        return frozenset(key for commit in self.commits for key in commit.keys)

    @property
    def refused(self) -> frozenset[str]:
        """Keys of the feedback to which the forge refused an answer; that is tried once more before all else."""
        return frozenset(Mark.REFUSED.values_in(item.body for item in self.ours))

    @property
    def summary(self) -> FeedbackItem | None:
        """Our summary comment, or None."""
        return next((item for item in self.ours if mark_of(item.body) == SUMMARY), None)

    @property
    def labelled(self) -> tuple[FeedbackItem, ...]:
        """Our comments with which a label was added."""
        return tuple(item for item in self.ours if label_in(item.body) is not None)

    def counted(self, before: int, remembered: int) -> int:
        """Return the number of answers that count towards the cap: those since a person's reset."""
        return max(0, self.cycles - before, remembered)

    @property
    def cycles(self) -> int:
        """Number of answers pushed, by the branch or by what we wrote of them: a branch's history may be rewritten.

        Numbers on the branch that are far from what they count are nobody's, for anybody can write one.
        """
        reported = (cycle_of(mark) for item in self.ours for mark in marks_in(item.body))
        count = 0
        for number in sorted({commit.cycle for commit in self.commits}):
            count += number <= count + 2  # one may be gone from the branch
        return max(count, *reported, 0)

    def handled(self, *, retry: bool) -> frozenset[str]:
        """Return the keys of the feedback that needs nothing more from us."""
        done = self.fixed | self.replied | self.by_people
        return done if retry else done | self.handed_over.keys()

    def waiting(self, feedback: Feedback, policy: Policy) -> list[Unresolved]:
        """Return the feedback that a person was called for, and that neither they nor a fix has settled since."""
        found = []
        for piece in classify(feedback, policy, self.handled(retry=True)):
            open_ = isinstance(piece, FeedbackItem) or piece.meaning.is_open
            item = piece if isinstance(piece, FeedbackItem) else piece.item
            if open_ and item.key in self.handed_over:
                why = self.handed_over[item.key] or _CALLED
                found.append(Unresolved(Judged(item=item, meaning=Meaning.NEEDS_PERSON, why=why), why))
        return found

    def with_outcomes(self, analysis: Analysis, waiting: Sequence[Unresolved]) -> Analysis:
        """Return an analysis in which handled feedback has its actual outcome."""
        left = {entry.judged.item.key: entry.judged for entry in waiting}
        judged = tuple(self._with_outcome(piece, left) for piece in analysis.judged)
        overall = analysis.overall
        if overall is Overall.NOTHING_TO_DO and left:
            overall = Overall.NEEDS_HUMAN_INPUT
        return msgspec.structs.replace(analysis, judged=judged, overall=overall)

    def _with_outcome(self, piece: Judged, left: Mapping[str, Judged]) -> Judged:
        key = piece.item.key
        if piece.meaning is Meaning.SUGGESTION and key in self.replied:
            return msgspec.structs.replace(piece, why=IN_PLACE)
        if piece.meaning is not Meaning.HANDLED:
            return piece
        for commit in self.commits:
            if key in commit.keys:
                return msgspec.structs.replace(piece, why=f"fixed in {commit.sha[:12]}")
        if key in left:
            return left[key]
        if key in self.by_people or key in self.handed_over:
            return msgspec.structs.replace(piece, meaning=Meaning.RESOLVED, why="resolved by people")
        return msgspec.structs.replace(piece, why="answered") if key in self.replied else piece
