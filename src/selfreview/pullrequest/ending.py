"""Ends of a fix cycle: done, left to a person, who is called on the forge, or waiting, which the forge is not told."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from selfreview.api import Analysis, Feedback
from selfreview.errors import ExitCode, SelfreviewError
from selfreview.pullrequest.answered_state import Standing
from selfreview.pullrequest.escalation import Calling, take_label_back
from selfreview.pullrequest.feedback.unresolved import Left, sentences
from selfreview.pullrequest.git.trailers import FixCommit
from selfreview.pullrequest.ports import Ended, Outcome, Parts


class Endings:
    """Ends that a fix cycle can come to, as it stands.

    Args:
        parts: What the cycle works with.
        feedback: The snapshot, with the pull request as it was read last.
        standing: What was done already.
        analysis: What the feedback was taken to mean, or None where it did not come to that.
        pushed: The commit that was pushed in this cycle, or None.
        undone: What belongs to a pushed commit and is not done, as phrases.
    """

    def __init__(
        self,
        parts: Parts,
        feedback: Feedback,
        standing: Standing,
        analysis: Analysis | None,
        *,
        pushed: FixCommit | None = None,
        undone: Sequence[str] = (),
    ) -> None:
        self._parts = parts
        self._feedback = feedback
        self._request = feedback.request
        self._standing = standing
        self._analysis = analysis
        self._pushed, self._undone = pushed, undone
        self.calling = Calling(parts, feedback.request, standing, analysis)

    def waiting(self) -> list[Left]:
        """Return the feedback that a person was called for before, and that still waits for them."""
        if self._parts.journal.again:
            return []  # it is tried again
        return self._standing.waiting(self._feedback, self._parts.policy)

    def done(self, outcome: Outcome, *, why: Sequence[str] = ()) -> Ended:
        """End with nothing new for a person; feedback they were called for before may still wait for them."""
        if waiting := self.waiting():
            why = (*why, *sentences(waiting))
            return self.end(Outcome.ESCALATED, why=why, left=waiting)
        take_label_back(self._parts.connection, self._request, self._standing, self._parts.journal.note)
        return self.end(outcome, why=why)

    def escalate(self, left: Sequence[Left], why: Sequence[str] = ()) -> Ended:
        """Leave feedback to a person, and call them.

        Args:
            left: What is left to them now.
            why: Reasons that are of no one piece of feedback, as sentences.
        """
        new = {unsolved.judged.item.key for unsolved in left}
        before = [unsolved for unsolved in self.waiting() if unsolved.judged.item.key not in new]
        called = bool(left) or not self._standing.handed_over  # else a person was called already
        if called:
            self.calling.call(why, left, before)
        everything = [*left, *before]
        told = (*why, *sentences(everything))
        return self.end(Outcome.ESCALATED, why=told, left=everything, called=called)

    def wait(self, why: str, waiting: Sequence[str]) -> Ended:
        """Wait for an obstacle on this machine, or a passing one; where it lasts, notify people, once.

        Args:
            why: What is in the way, as a sentence.
            waiting: Keys of the feedback that waits.
        """
        waited = self._parts.journal.waited()
        if waiting and waited >= self._parts.rules.waits:
            self.calling.tell_here(f"{why} ({waited} times in a row)", waiting)
        return self.end(Outcome.WAITING, why=(why,))

    def failed(self, error: Exception) -> None:
        """Record that the cycle fails, as if it waited; where that goes on, notify people, once."""
        if isinstance(error, SelfreviewError) and error.exit_code is ExitCode.USAGE:
            self.broke_off(error.message)  # else a forge is only away, or it is a defect

    def broke_off(self, why: str) -> None:
        """Record that the cycle broke off, as if it waited; where that goes on, notify people, once.

        Args:
            why: Why, as a sentence.
        """
        waited = self._parts.journal.waited()
        if waited >= self._parts.rules.waits:
            self.calling.tell_here(f"{why} ({waited} times in a row)", ["failed", why])

    def limited(self, why: str, wait_s: float, waiting: Sequence[str]) -> Ended:
        """Wait for a quota: nothing failed, and nobody is called; where it lasts, people are notified, once.

        Args:
            why: What was said of it.
            wait_s: Seconds until it is worth to ask again.
            waiting: Keys of the feedback that waits.
        """
        ended = self.wait(f"a quota is used up: {why}", waiting)
        return dataclasses.replace(ended, wait_s=wait_s)

    def end(
        self,
        outcome: Outcome,
        *,
        why: Sequence[str] = (),
        left: Sequence[Left] = (),
        called: bool = False,
    ) -> Ended:
        """Return the outcome of the cycle, and do nothing else."""
        analysis, pushed = self._analysis, self._pushed
        if analysis is not None:
            analysis = self._standing.told(analysis, self.waiting())
            analysis = analysis.blocked() if outcome is Outcome.WAITING else analysis
        return Ended(
            outcome=outcome,
            request=self._request,
            why=tuple(why),
            analysis=analysis,
            commit=pushed,
            undone=tuple(self._undone),
            cycles=max(self._standing.cycles, pushed.cycle if pushed is not None else 0),
            opinions=self._parts.policy.opinions(self._feedback),
            left=tuple(left),
            called=called,
            settled=bool(self._standing.handed_over or self._standing.by_people) and not left,
        )
