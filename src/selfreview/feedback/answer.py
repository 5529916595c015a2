"""The steps of a fix cycle on an open pull request."""

from __future__ import annotations

from collections.abc import Sequence

from selfreview.api import (
    Analysis,
    Feedback,
    Judged,
    Meaning,
    ReadsRequests,
    RequestState,
)
from selfreview.errors import CycleError, LimitError, ModelAwayError, NotFreeError, NotHereError, SelfreviewError
from selfreview.feedback.answering import Answers
from selfreview.feedback.branch import Branch
from selfreview.feedback.classify import ANOTHERS, withdrawn
from selfreview.feedback.ending import Endings
from selfreview.feedback.landing import Landing
from selfreview.feedback.left import Left, unfixed, who
from selfreview.feedback.passing import passing_of
from selfreview.feedback.seams import Ended, Fixed, Outcome, Parts
from selfreview.feedback.standing import Standing
from selfreview.feedback.telling import (
    as_cycle,
    commit_text,
    done_key,
    for_people,
    general_reasons,
    said_of,
    why_left,
)
from selfreview.feedback.trailers import FixCommit
from selfreview.feedback.unlabelled import taken_away


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
        self._taken = taken_away(parts.connection, feedback, parts.policy, parts.journal.note)
        self._standing = self._read(())
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
            return self._endings.limited(error.message, error.wait_s, [item.key for item in self._feedback.items])
        except ModelAwayError as error:
            self._hint(error)
            return self._endings.wait(error.message, [item.key for item in self._feedback.items])
        except (SelfreviewError, OSError) as error:
            return self._failed(error)

    def _run(self) -> Ended:
        workshop = self._parts.workshop
        workshop.begin(self._request)
        late, hindrance, landing = None, None, None
        try:
            branch = workshop.branch(self._request)
            landing = workshop.landing(branch, self._request)
            if self._parts.rules.most:  # else feedback is only read
                late = self._catch_up(branch, landing)
            else:
                branch.fetch(self._request.base)
        except RequestOverError as error:
            return self._endings.end(Outcome.ENDED, why=(error.message,))
        except CycleError as error:
            hindrance = error
        if landing is not None and (hindrance is None or isinstance(hindrance, NotFreeError)):
            self._standing = self._read(landing.pushed())
        untold = self._finish() if self._standing.commits and self._parts.rules.most else None
        analysis = self._analyse()
        if not self._parts.rules.most:
            return self._endings.end(Outcome.NOTHING, why=(hindrance.message,) if hindrance is not None else ())
        # A question needs no working tree; what cannot be written anywhere is a person's.
        questions = [one for one in analysis.judged if one.meaning is Meaning.QUESTION]
        people = [*self._answers().questions(questions), *for_people(analysis.judged)]
        work = list(analysis.work)
        done = Outcome.FIXED if late is not None else Outcome.ANSWERED if questions else Outcome.NOTHING
        if hindrance is not None:
            return self._hindered(hindrance, work, people, done)
        if work and self._count() < self._parts.rules.most:
            assert landing is not None  # noqa: S101 - nothing hindered it
            return self._fix(branch, landing, work, people)
        if work:
            cap = f"the cap of {self._parts.rules.most} fix cycles is reached, and reviewers ask for more"
            return self._endings.escalate([*(Left(one, cap) for one in work), *people], commit=late)
        if people:
            return self._endings.escalate(people, commit=late)
        return self._over(late or untold, done, pushed=late)

    def _hindered(self, error: CycleError, work: Sequence[Judged], people: Sequence[Left], done: Outcome) -> Ended:
        """End where nothing can be fixed, or landed: wait for what is of this machine, and else call a person."""
        self._hint(error)
        left = [*(Left(one, error.message) for one in work), *people]
        if isinstance(error, NotHereError) and not left:
            return self._endings.done(done, why=(error.message,))
        if isinstance(error, NotFreeError):
            return self._endings.wait(error.message, _keys(left))
        if not left and not self._standing.handed_over:
            return self._endings.done(done, why=(error.message,))  # nothing is asked for that could not be done
        return self._endings.escalate(left, () if work else (error.message,))

    def _finish(self) -> FixCommit | None:
        """Write what belongs to commits and is not there yet; return the last one where it was ours, and not told."""
        *earlier, last = self._standing.commits
        self._answers().try_again(self._parts.journal.made)
        known = self._parts.journal.made(last)
        self._tell_of(last, known=known)  # whoever pushed it may have been killed before that
        wrote = self._answers().finish(last, {}, known=known)
        self._answers().say_what_is_claimed([one for one in earlier if not self._parts.journal.made(one)])
        return last if known and wrote else None

    def _count(self) -> int:
        return self._standing.counted(self._parts.journal.uncounted, self._parts.journal.counted)

    def _analyse(self) -> Analysis:
        handled = self._standing.handled(again=self._parts.journal.again)
        anew = frozenset(self._standing.handed_over.keys() - handled)
        self._analysis = self._parts.workshop.analyse(self._feedback, self._parts.policy, handled, anew)
        if any(one.meaning.is_open for one in self._analysis.judged):
            self._parts.journal.received(self._request, self._analysis)
        for one in self._analysis.judged:
            if one.meaning is Meaning.UNTRUSTED:
                self._parts.journal.note(f"nothing is done about what {who(one.item)} wrote: {one.why}")
        others = {who(one.item) for one in self._analysis.judged if one.why == ANOTHERS}
        if others:
            names = ", ".join(sorted(others))
            self._parts.journal.note(f"what a selfreview wrote as {names} is passed over: it asks for nothing")
        return self._analysis

    def _answers(self) -> Answers:
        return Answers(
            self._parts.connection,
            self._feedback,
            self._standing,
            self._parts.policy,
            most=self._parts.rules.most,
            note=self._parts.journal.note,
            unchecked=self._parts.rules.unchecked,
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
        if self._parts.rules.unchecked:
            self._parts.journal.note(self._parts.rules.unchecked)
        return pushed

    def _fix(self, branch: Branch, landing: Landing, work: list[Judged], people: list[Left]) -> Ended:
        waiting = _keys([*(Left(one, "") for one in work), *people])
        if (why := branch.why_not_free()) is not None:
            return self._endings.wait(why, waiting)
        try:
            branch.catch_up()
            if (why := landing.why_not_ours(())) is not None:
                return self._endings.wait(why, waiting)
            fixed = self._parts.workshop.fix(branch, work)
            if fixed.patch is None and (why := landing.why_not_ours(())) is not None:
                return self._endings.wait(why, waiting)  # somebody went on here meanwhile
            if fixed.patch is None:
                return self._without_patch(fixed, work, people)
            commit = self._land(branch, landing, fixed, work)
        except RequestOverError as error:
            return self._endings.end(Outcome.ENDED, why=(error.message,))
        except NotFreeError as error:
            self._hint(error)
            return self._endings.wait(error.message, waiting)
        except CycleError as error:
            self._hint(error)
            return self._endings.escalate([*(unfixed(one, error.message) for one in work), *people])
        self._standing = self._read(landing.pushed())
        return self._landed(commit, fixed, work, people)

    def _without_patch(self, fixed: Fixed, work: Sequence[Judged], people: Sequence[Left]) -> Ended:
        left = [*(why_left(one, fixed) for one in work), *people]
        if fixed.limit is not None:
            return self._endings.limited(*fixed.limit, _keys(left))
        if fixed.away is not None:
            return self._endings.wait(fixed.away, _keys(left))
        return self._endings.escalate(left, general_reasons(fixed))

    def _tell_of(self, commit: FixCommit, *, known: bool = True) -> None:
        if known and not self._answers().is_told(commit):
            self._endings.calling.tell_fixed(commit.sha, self._answers().reviewers_of(commit))

    def _landed(self, commit: FixCommit, fixed: Fixed, work: Sequence[Judged], people: Sequence[Left]) -> Ended:
        """Tell what was done, and call a person for what is left."""
        self._tell_of(commit)
        left = [why_left(one, fixed) for one in work if one.item.key not in commit.keys]
        self._answers().finish(commit, said_of(fixed, work), left=len(left) + len(people))
        if left and fixed.limit is not None:
            return self._endings.limited(*fixed.limit, _keys(left), commit=commit)
        if left and fixed.away is not None:
            return self._endings.wait(fixed.away, _keys(left), commit=commit)
        if left or people:
            return self._endings.escalate([*left, *people], commit=commit)
        return self._over(commit, Outcome.FIXED, pushed=commit, why=fixed.why)

    def _over(
        self, commit: FixCommit | None, outcome: Outcome, *, pushed: FixCommit | None, why: Sequence[str] = ()
    ) -> Ended:
        """End with nothing open; say that people can take over, where a commit led to that."""
        if commit is not None and not self._request.draft and not self._endings.waiting():
            self._endings.calling.ready(commit.sha, self._answers().reviewers_of(commit))
        return self._endings.done(outcome, commit=pushed, why=why)

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
        return self._endings.calling.name

    def _failed(self, error: SelfreviewError | OSError) -> Ended:
        """Wait where what went wrong may go well later; nothing of this machine is told on the forge."""
        why = passing_of(error)
        if why is None:
            self._endings.failed(error)
            raise error
        self._parts.journal.note(error.message if isinstance(error, SelfreviewError) else str(error))
        return self._endings.wait(why, [item.key for item in self._feedback.items])

    def _hint(self, error: SelfreviewError) -> None:
        """Tell the person here what an error knows besides; hooks and remotes print what is not for others."""
        if error.hint:
            self._parts.journal.note(error.hint)

    def _read(self, commits: Sequence[FixCommit]) -> Standing:
        return Standing.read(self._feedback, commits, self._parts.policy, self._taken)

    @property
    def _endings(self) -> Endings:
        return Endings(self._parts, self._feedback, self._request, self._standing, self._analysis)


def _keys(left: Sequence[Left]) -> list[str]:
    return [one.judged.item.key for one in left]
