"""The steps of a fix cycle on an open pull request."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from selfreview.api import (
    Analysis,
    Feedback,
    Judged,
    Labels,
    Meaning,
    NoticeEvent,
    ReadsRequests,
    RequestState,
)
from selfreview.errors import CycleError, LimitError, NotFreeError
from selfreview.feedback.answering import Answers
from selfreview.feedback.branch import Branch
from selfreview.feedback.calling import Calling
from selfreview.feedback.classify import withdrawn
from selfreview.feedback.landing import Landing
from selfreview.feedback.seams import Ended, Fixed, Outcome, Parts
from selfreview.feedback.standing import Standing
from selfreview.feedback.telling import as_cycle, commit_text, done_key, reasons, said_of, why_left
from selfreview.feedback.trailers import FixCommit


class RequestOverError(CycleError):
    """The pull request was closed or merged while it was being fixed: nobody is to be called because of that."""


class Answering:
    """One cycle on an open pull request.

    Args:
        parts: What it works with.
        feedback: A snapshot.
    """

    def __init__(self, parts: Parts, feedback: Feedback) -> None:
        self._parts = parts
        self._feedback = feedback
        self._request = feedback.request
        self._standing = Standing.read(feedback, (), parts.policy)
        self._analysis: Analysis | None = None

    def run(self) -> Ended:
        """Do what is to be done now.

        Raises:
            ForgeError: If the forge cannot be asked.
            GitError: If git fails.
        """
        try:
            return self._run()
        except LimitError as error:
            return self._limited(error.message, error.wait_s)

    def _run(self) -> Ended:
        self._parts.workshop.begin(self._request)
        try:
            branch = self._parts.workshop.branch(self._request)
        except CycleError as error:
            return self._without_tree(error)
        landing = self._parts.workshop.landing(branch, self._request)
        late, waits = None, None
        try:
            if self._parts.rules.most:  # else feedback is only read
                late = self._catch_up(branch, landing)
            else:
                branch.fetch(self._request.base)
        except RequestOverError as error:
            return self._ended(Outcome.ENDED, why=(error.message,))
        except NotFreeError as error:
            waits = error.message
        except CycleError as error:
            return self._stuck(error)
        self._standing = Standing.read(self._feedback, landing.pushed(), self._parts.policy)
        untold = self._finish() if self._standing.commits and self._parts.rules.most else None
        analysis = self._analyse()
        if not self._parts.rules.most:
            return self._ended(Outcome.NOTHING)
        self._answers().questions([one for one in analysis.judged if one.meaning is Meaning.QUESTION])
        work = list(analysis.work)
        people = [one for one in analysis.judged if one.meaning is Meaning.NEEDS_PERSON]
        if waits is not None:
            return self._wait(waits, [*work, *people])
        if work and self._count() < self._parts.rules.most:
            return self._fix(branch, landing, work, people)
        if work:
            cap = f"the cap of {self._parts.rules.most} fix cycles is reached, and reviewers ask for more"
            return self._escalate([cap], [*work, *people])
        if people:
            return self._escalate(reasons(people), people)
        answered = any(one.meaning is Meaning.QUESTION for one in analysis.judged)
        outcome = Outcome.FIXED if late is not None else Outcome.ANSWERED if answered else Outcome.NOTHING
        self._over(late or untold)
        return self._ended(outcome, commit=late)

    def _finish(self) -> FixCommit | None:
        """Write what belongs to commits and is not there yet; return the last one where it was ours, and not told."""
        *earlier, last = self._standing.commits
        known = self._parts.journal.made(last)
        self._tell_of(last, known=known)  # whoever pushed it may have been killed before that
        wrote = self._answers().finish(last, {}, known=known)
        self._answers().say_what_is_claimed(earlier)
        return last if known and wrote else None

    def _count(self) -> int:
        return max(self._standing.cycles - self._parts.journal.uncounted, self._parts.journal.counted)

    def _analyse(self) -> Analysis:
        handled = self._standing.handled(again=self._parts.journal.again)
        anew = self._standing.handed_over - handled
        self._analysis = self._parts.workshop.analyse(self._feedback, self._parts.policy, handled, anew)
        if any(one.meaning.is_open for one in self._analysis.judged):
            self._parts.journal.received(self._request, self._analysis)
        for one in self._analysis.judged:
            if one.meaning is Meaning.UNTRUSTED:
                who = one.item.author.login if one.item.author is not None else "ghost"
                self._parts.journal.note(f"nothing is done about what {who} wrote: {one.why}")
        return self._analysis

    def _answers(self) -> Answers:
        return Answers(
            self._parts.connection,
            self._feedback,
            self._standing,
            self._parts.policy,
            most=self._parts.rules.most,
            note=self._parts.journal.note,
        )

    def _catch_up(self, branch: Branch, landing: Landing) -> FixCommit | None:
        """Land what a killed process left; return the commit that was pushed now, or None."""
        branch.fetch(self._request.base)
        if (why := landing.recover()) is not None:
            raise NotFreeError(why)
        left = landing.unpushed()
        if not left:
            return None
        if (why := landing.why_not_ours(left)) is not None:
            raise NotFreeError(why)
        if withdrawn(self._feedback, self._parts.policy, [key for commit in left for key in commit.keys]):
            landing.leave()
            self._parts.journal.note(
                "a fix that waited to be pushed is dropped: what it answers is not asked for any more"
            )
            return None
        return self._push(branch, landing, left[-1])

    def _push(self, branch: Branch, landing: Landing, commit: FixCommit) -> FixCommit:
        if isinstance(self._parts.connection, ReadsRequests):
            now = self._parts.connection.request(self._request.number)
            self._request = now
            if now.state is RequestState.CLOSED and branch.there() is None:
                raise branch.gone()  # that is what closed it: what was asked for is lost with it
            if now.state is not RequestState.OPEN:
                raise RequestOverError(f"it is {now.state} by now; the fix stays in {branch.name} here, not pushed")

        def veto(sha: str) -> str | None:
            return self._parts.workshop.veto(as_cycle(commit._replace(sha=sha), self._request, branch.changed_in(sha)))

        self._parts.journal.pushing(commit)
        pushed = landing.push(commit, lambda: self._parts.workshop.check(branch), veto)
        self._parts.journal.pushed(pushed)
        return pushed

    def _fix(self, branch: Branch, landing: Landing, work: list[Judged], people: list[Judged]) -> Ended:
        if (why := branch.why_not_free()) is not None:
            return self._wait(why, [*work, *people])
        try:
            branch.catch_up()
            if (why := landing.why_not_ours(())) is not None:
                return self._wait(why, [*work, *people])
            fixed = self._parts.workshop.fix(branch, work)
            if fixed.patch is None and (why := landing.why_not_ours(())) is not None:
                return self._ended(Outcome.WAITING, why=(why,))  # somebody went on here meanwhile
            if fixed.patch is None:
                return self._without_patch(fixed, [*work, *people])
            commit = self._land(branch, landing, fixed, work)
        except RequestOverError as error:
            return self._ended(Outcome.ENDED, why=(error.message,))
        except NotFreeError as error:
            return self._ended(Outcome.WAITING, why=(error.message,))
        except CycleError as error:
            self._hint(error)
            return self._escalate([error.message], [*work, *people])
        self._standing = Standing.read(self._feedback, landing.pushed(), self._parts.policy)
        return self._landed(commit, fixed, work, people)

    def _without_patch(self, fixed: Fixed, left: Sequence[Judged]) -> Ended:
        if fixed.limit is not None:
            return self._limited(*fixed.limit)
        return self._escalate(fixed.why or ("no fixer changed anything that could be kept",), left)

    def _tell_of(self, commit: FixCommit, *, known: bool = True) -> None:
        if known and not self._answers().is_told(commit):
            title, reviewers = "feedback is answered with a fix", self._answers().reviewers_of(commit)
            self._calling.tell(NoticeEvent.FIXED, title, (), [commit.sha], mention=reviewers)

    def _landed(self, commit: FixCommit, fixed: Fixed, work: Sequence[Judged], people: Sequence[Judged]) -> Ended:
        """Tell what was done, and call a person for what is left."""
        self._tell_of(commit)
        self._answers().finish(commit, said_of(fixed, work))
        left = [one for one in work if one.item.key not in commit.keys]
        if left and fixed.limit is not None:
            return self._limited(*fixed.limit, commit)
        if left or people:
            open_ = [why_left(one, fixed) for one in left]
            return self._escalate([*open_, *reasons(people)], [*left, *people], commit=commit)
        self._over(commit)
        return self._ended(Outcome.FIXED, commit=commit, why=fixed.why)

    def _limited(self, why: str, wait_s: float, commit: FixCommit | None = None) -> Ended:
        """Wait for a quota: nobody failed, and nobody is called."""
        ended = self._ended(Outcome.WAITING, why=(f"a quota is used up: {why}",), commit=commit)
        return dataclasses.replace(ended, wait_s=wait_s)

    def _over(self, commit: FixCommit | None) -> None:
        """Say that people can take over, where nothing is left of what they asked for; take the label away then."""
        if commit is None or self._analysis is None or self._standing.is_left_to_people(self._analysis):
            return
        if not self._request.draft:
            self._calling.ready(commit.sha, self._answers().reviewers_of(commit))
        connection, label = self._parts.connection, self._parts.rules.label
        if label and label in self._request.labels and isinstance(connection, Labels):
            connection.remove_label(self._request.number, label)

    def _land(self, branch: Branch, landing: Landing, fixed: Fixed, work: Sequence[Judged]) -> FixCommit:
        """Commit and push a patch."""
        assert fixed.patch is not None  # noqa: S101 - the caller has looked
        done = {key: one for one in work if (key := done_key(fixed, one)) is not None}
        cycle = max(self._standing.cycles, self._parts.journal.total) + 1
        keys = tuple(done)
        text = commit_text(fixed, list(done.values()), request=self._name(), cycle=cycle)
        sha = landing.commit(fixed.patch, text)
        return self._push(branch, landing, FixCommit(sha, cycle, keys))

    def _name(self) -> str:
        return f"{self._parts.connection.location.path}#{self._request.number}"

    def _without_tree(self, error: CycleError) -> Ended:
        """Escalate where there is no working tree, but only for feedback that needs one."""
        self._hint(error)
        analysis = self._analyse()
        left = [one for one in analysis.judged if one.meaning.is_open and one.meaning is not Meaning.QUESTION]
        if not left:
            return self._ended(Outcome.NOTHING, why=(error.message,))
        return self._escalate([error.message], left)

    def _stuck(self, error: CycleError) -> Ended:
        """Escalate where what was made cannot be landed."""
        self._hint(error)
        analysis = self._analyse()
        left = [one for one in analysis.judged if one.meaning.is_open]
        if not self._parts.rules.most or not (left or self._standing.handed_over):
            return self._ended(Outcome.NOTHING, why=(error.message,))  # nothing is asked for that could not be done
        return self._escalate([error.message], left)

    def _wait(self, why: str, left: Sequence[Judged]) -> Ended:
        """Wait for whoever works in the tree; where that takes long, call them, once, and wait on."""
        waited = self._parts.journal.waited()
        if not left or waited < self._parts.rules.waits:
            return self._ended(Outcome.WAITING, why=(why,))
        if not {one.item.key for one in left} <= self._standing.waiting:
            # What is where on this machine is not for everybody who reads the pull request.
            told = f"the working tree of {self._request.head} was not free, {waited} times in a row"
            self._calling.call([told], left, waits=True)
        return dataclasses.replace(self._ended(Outcome.ESCALATED, why=(why,)), again=True)

    def _hint(self, error: CycleError) -> None:
        """Tell the person here what an error knows besides; hooks and remotes print what is not for others."""
        if error.hint:
            self._parts.journal.note(error.hint)

    def _escalate(self, why: Sequence[str], left: Sequence[Judged], commit: FixCommit | None = None) -> Ended:
        if left or not self._standing.handed_over:  # else a person was called already
            self._calling.call(why, left)
        return self._ended(Outcome.ESCALATED, why=why, commit=commit)

    @property
    def _calling(self) -> Calling:
        return Calling(self._parts, self._request, self._standing, self._analysis)

    def _ended(self, outcome: Outcome, *, why: Sequence[str] = (), commit: FixCommit | None = None) -> Ended:
        cycles = max(self._standing.cycles, commit.cycle if commit is not None else 0)
        return Ended(
            outcome=outcome,
            request=self._request,
            why=tuple(why),
            analysis=self._analysis,
            commit=commit,
            cycles=cycles,
            opinions=self._parts.policy.opinions(self._feedback),
        )
