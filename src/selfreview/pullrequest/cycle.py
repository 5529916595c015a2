"""One fix cycle: reviewers' feedback is read, fixed, pushed and answered, or a person is called.

A plain function of what can be seen from outside: the forge, the remote, and the working tree. It may be killed at any
point and called again; nothing is done twice, because each step first looks whether it was done.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from selfreview.api import (
    Analysis,
    Feedback,
    Judged,
    Meaning,
    ReadsFeedback,
    RequestState,
)
from selfreview.errors import (
    BusyError,
    CycleError,
    ForgeError,
    LimitError,
    ModelAwayError,
    NotFreeError,
    NotHereError,
    SelfreviewError,
)
from selfreview.pullrequest.answered_state import AnsweredState
from selfreview.pullrequest.escalation import Endings
from selfreview.pullrequest.feedback.classify import ANOTHERS, WORDS_LEFT
from selfreview.pullrequest.feedback.resolved import removed_labels, reopened, resolved_in
from selfreview.pullrequest.feedback.unresolved import Unresolved, unfixed, who
from selfreview.pullrequest.fix_outcome import Fixed
from selfreview.pullrequest.fix_push import CycleOverError, FixPush, TakenBackError
from selfreview.pullrequest.git.branch import Branch
from selfreview.pullrequest.git.landing import Landing
from selfreview.pullrequest.git.trailers import FixCommit
from selfreview.pullrequest.git.transient_errors import transient_reason
from selfreview.pullrequest.ports import Ended, Outcome, Parts, TamperedError
from selfreview.pullrequest.replies import Replies
from selfreview.pullrequest.texts import by_model, there_already

_TAMPERED = "files that no agent should touch changed while one read this: whoever runs selfreview is told which"
_CALL = "calling a person for the rest"


class _Ready(NamedTuple):
    """The branch, on which fixes can be made and landed.

    Attributes:
        branch: It.
        landing: What lands fixes on it.
        caught_up: The fix of a killed process that was pushed now, or None.
    """

    branch: Branch
    landing: Landing
    caught_up: FixCommit | None


class _Hindered(NamedTuple):
    """The reason why nothing can be fixed or landed now.

    Attributes:
        error: It.
        branch, landing: The branch where it can be read all the same; else None.
    """

    error: CycleError
    branch: Branch | None = None
    landing: Landing | None = None


class _Left(NamedTuple):
    """Feedback that is not answered yet.

    Attributes:
        work: What is asked for.
        people: What is left to a person.
        answered: Whether any other was answered now.
    """

    work: list[Judged]
    people: list[Unresolved]
    answered: bool


class FixCycle:
    """One cycle on an open pull request."""

    def __init__(self, parts: Parts, feedback: Feedback) -> None:
        self._parts = parts
        self._feedback = feedback
        self._pushing = FixPush(parts, feedback)
        self._taken = removed_labels(parts.connection, feedback, parts.policy, parts.journal.note)
        self._replied: set[str] = set()  # what the snapshot does not show answered yet
        self._answered = self._read(())
        self._analysis: Analysis | None = None
        self._unfinished: list[str] = []

    def run(self) -> Ended:
        """Run the cycle.

        Raises:
            ForgeError: If the forge cannot be asked.
            GitError: If git fails.
        """
        try:
            return self._run()
        except CycleOverError as error:
            return self._endings.end(error.outcome, why=(error.why,))
        except LimitError as error:
            return self._endings.limited(error.message, error.wait_s, [item.key for item in self._feedback.items])
        except TamperedError as error:
            self._parts.journal.note(error.message)  # it names files of this machine
            self._hint(error)
            left = [Unresolved(Judged(item=item, meaning=Meaning.NEEDS_PERSON), _TAMPERED) for item in error.items]
            return self._endings.escalate(left)
        except ModelAwayError as error:
            self._hint(error)
            return self._endings.wait(error.message, [item.key for item in self._feedback.items])
        except (SelfreviewError, OSError) as error:
            return self._failed(error)
        except KeyboardInterrupt:
            self._endings.broke_off("it was interrupted, or took too long")
            raise

    def _run(self) -> Ended:
        fixes = self._parts.settings.max_fix_cycles > 0  # else feedback is only read
        opened = self._open_branch(fixes=fixes)
        if opened.landing is not None:
            self._answered = self._read(opened.landing.pushed())
        analysis, untold = self._analyse_and_tell(fixes=fixes)
        if not fixes:
            return self._endings.end(
                Outcome.NOTHING, why=(opened.error.message,) if isinstance(opened, _Hindered) else ()
            )
        left = self._answer_without_edits(opened.branch, analysis)
        done = Outcome.ANSWERED if left.answered else Outcome.NOTHING
        if isinstance(opened, _Hindered):
            return self._hindered(opened.error, left.work, left.people, done)
        if left.work and self._count() < self._parts.settings.max_fix_cycles:
            return self._fix(opened.branch, opened.landing, left.work, left.people)
        if left.work or left.people:
            cap = f"the cap of {self._parts.settings.max_fix_cycles} fix cycles is reached, and reviewers ask for more"
            return self._endings.escalate([*(Unresolved(piece, cap) for piece in left.work), *left.people])
        return self._over(opened.caught_up or untold, Outcome.FIXED if opened.caught_up is not None else done)

    def _open_branch(self, *, fixes: bool) -> _Ready | _Hindered:
        """Find the branch's working tree, and land what a killed process left there.

        Raises:
            CycleOverError: If selfreview is switched off there, or the pull request is over.
        """
        workshop, request = self._parts.workshop, self._pushing.request
        workshop.begin(request)
        branch, landing, caught_up = None, None, None
        try:
            branch = workshop.branch(request)
            self._pushing.demand_on(branch)
            landing = workshop.landing(branch, request)
            if fixes:
                caught_up = self._pushing.catch_up(branch, landing)
            else:
                branch.fetch(request.base)
        except NotFreeError as error:
            return _Hindered(error, *((branch, landing) if landing is not None else ()))
        except CycleError as error:
            return _Hindered(error)
        return _Ready(branch, landing, caught_up)

    def _analyse_and_tell(self, *, fixes: bool) -> tuple[Analysis, FixCommit | None]:
        """Read the feedback, and tell what was pushed before; return the last commit if it was not told."""
        tells = bool(self._answered.commits and fixes)
        try:
            analysis = self._analyse()
        except SelfreviewError:
            if tells:
                self._finish(0)  # what is done is told, though nobody reads the rest now
            raise
        return analysis, self._finish(len(_for_people(analysis.judged))) if tells else None

    def _answer_without_edits(self, branch: Branch | None, analysis: Analysis) -> _Left:
        """Answer questions, which need no working tree, and what the branch has already; return the rest."""
        questions = [piece for piece in analysis.judged if piece.meaning is Meaning.QUESTION]
        people = self._answer([(piece, by_model(piece.answer)) for piece in questions])
        people += _for_people(analysis.judged)
        left = self._in_place(branch, list(analysis.work))
        return _Left(left.work, [*people, *left.people], bool(questions) or left.answered)

    def _in_place(self, branch: Branch | None, work: list[Judged]) -> _Left:
        """Answer suggestions that the branch has already, where that can be seen."""
        suggestions = [piece for piece in work if piece.meaning is Meaning.SUGGESTION]
        commits = self._parts.workshop.in_place(branch, suggestions) if branch is not None and suggestions else {}
        there = [piece for piece in suggestions if piece.item.key in commits]
        plain = [piece for piece in there if not piece.words_left]
        left = self._answer([(piece, there_already(commits[piece.item.key][:12])) for piece in plain])
        left += [Unresolved(piece, WORDS_LEFT) for piece in there if piece.words_left]
        return _Left([piece for piece in work if piece not in there], left, bool(plain))

    def _hindered(
        self, error: CycleError, work: Sequence[Judged], people: Sequence[Unresolved], done: Outcome
    ) -> Ended:
        """End where nothing can be fixed or landed: wait if the cause is on this machine, else call a person."""
        self._hint(error)
        left = [*(Unresolved(piece, error.message) for piece in work), *people]
        if isinstance(error, NotHereError) and not left:
            return self._endings.done(done, why=(error.message,))
        if isinstance(error, NotFreeError):
            return self._endings.wait(error.message, _keys(left))
        if not left and not self._answered.handed_over:
            return self._endings.done(done, why=(error.message,))  # nothing is asked for that could not be done
        return self._endings.escalate(left, () if work else (error.message,))

    def _finish(self, left: int) -> FixCommit | None:
        """Write missing replies to commits; return the last commit if it is ours and was not reported."""
        *earlier, last = self._answered.commits
        self._answers().try_again(self._parts.journal.made)
        known = self._parts.journal.made(last)
        self._notify_fixed(last, known=known)  # whoever pushed it may have been killed before that
        wrote = self._write(last, {}, known=known, left=left)
        self._answers().reply_to_claims([commit for commit in earlier if not self._parts.journal.made(commit)])
        return last if known and wrote else None

    def _count(self) -> int:
        return self._answered.counted(self._parts.journal.uncounted, self._parts.journal.counted)

    def _analyse(self) -> Analysis:
        handled = self._answered.handled(retry=self._parts.journal.again)
        anew = frozenset(self._answered.handed_over.keys() - handled)
        self._analysis = self._parts.workshop.analyse(self._feedback, self._parts.policy, handled, anew)
        if self._pushing.branch is not None:  # somebody may have switched it off while a model read
            self._pushing.demand_on(self._pushing.branch)
        if any(piece.meaning.is_open for piece in self._analysis.judged):
            self._parts.journal.received(self._pushing.request, self._analysis)
        for piece in self._analysis.judged:
            if piece.meaning is Meaning.UNTRUSTED:
                self._parts.journal.note(f"nothing is done about what {who(piece.item)} wrote: {piece.why}")
        others = {who(piece.item) for piece in self._analysis.judged if piece.why == ANOTHERS}
        if others:
            names = ", ".join(sorted(others))
            self._parts.journal.note(f"what a selfreview wrote as {names} is passed over: it asks for nothing")
        return self._analysis

    def _answers(self) -> Replies:
        replies = Replies(
            self._parts.connection,
            self._feedback,
            self._answered,
            self._parts.policy,
            settings=self._parts.settings,
            note=self._parts.journal.note,
        )
        replies.asked = self._parts.journal.asked
        return replies

    def _fix(self, branch: Branch, landing: Landing, work: list[Judged], people: list[Unresolved]) -> Ended:
        waiting = _keys([*(Unresolved(piece, "") for piece in work), *people])
        if (why := branch.why_not_free()) is not None:
            return self._endings.wait(why, waiting)
        try:
            branch.catch_up()
            self._pushing.demand_on(branch)
            if (why := landing.why_not_ours(())) is not None:
                return self._endings.wait(why, waiting)
            try:
                fixed = self._parts.workshop.fix(branch, work)
            except SelfreviewError:
                if (why := landing.why_not_ours(())) is None:
                    raise
                return self._endings.wait(why, waiting)  # somebody went on here meanwhile
            if fixed.patch is None and (why := landing.why_not_ours(())) is not None:
                return self._endings.wait(why, waiting)
            if fixed.patch is None:
                return self._without_patch(fixed, work, people)
            commit, fixed = self._pushing.land(landing, fixed, work, self._answered.cycles)
        except NotFreeError as error:
            self._hint(error)
            return self._endings.wait(error.message, waiting)
        except CycleError as error:
            self._hint(error)
            return self._endings.escalate([*(unfixed(piece, error.message) for piece in work), *people])
        self._answered = self._read(landing.pushed())
        return self._landed(commit, fixed, work, people)

    def _without_patch(self, fixed: Fixed, work: Sequence[Judged], people: Sequence[Unresolved]) -> Ended:
        unfixed_ = [fixed.unresolved(piece) for piece in work]
        left = [*unfixed_, *people]
        if fixed.limit is not None:
            return self._endings.limited(*fixed.limit, _keys(left))
        if fixed.away is not None:
            return self._endings.wait(fixed.away, _keys(left))
        return self._endings.escalate(left, fixed.general_reasons(unfixed_))

    def _write(
        self,
        commit: FixCommit,
        done_words: Mapping[str, str],
        *,
        known: bool = True,
        left: int = 0,
        later: Sequence[str] = (),
    ) -> bool:
        """Write all replies that belong to a commit; return whether the summary was missing.

        Args:
            commit: The pushed commit.
            done_words: What was done about each item, by the commit's key for it.
            known: Whether it was made here.
            left: How many items it does not answer.
            later: What is to be done after that, as phrases.
        """
        answers = self._answers()
        answers.unfinished += [*(answers.due(commit) if known else ()), *later]
        self._unfinished = answers.unfinished
        return answers.finish(commit, done_words, known=known, left=left)

    def _answer(self, answers: Sequence[tuple[Judged, str]]) -> list[Unresolved]:
        """Answer feedback that needs no edit, and count it as settled from now on; return the unanswered rest."""
        left = self._answers().answer_all(answers)
        unwritten = {entry.judged.item.key for entry in left}
        self._replied |= {piece.item.key for piece, _ in answers} - unwritten
        self._answered = self._answered.with_replied(self._replied)
        return left

    def _notify_fixed(self, commit: FixCommit, *, known: bool = True) -> None:
        if known and not self._answers().is_reported(commit):
            self._endings.notify_fixed(commit.sha, self._answers().reviewers_of(commit))

    def _landed(self, commit: FixCommit, fixed: Fixed, work: Sequence[Judged], people: Sequence[Unresolved]) -> Ended:
        """Report the fix, and call a person for the remaining feedback."""
        self._notify_fixed(commit)
        left = [fixed.unresolved(piece) for piece in work if piece.item.key not in commit.keys]
        waits = left and (fixed.limit is not None or fixed.away is not None)
        call = [] if waits or not (left or people) else [_CALL]
        self._write(commit, fixed.replies(work), left=len(left) + len(people), later=call)
        if left and fixed.limit is not None:
            return self._endings.limited(*fixed.limit, _keys(left))
        if left and fixed.away is not None:
            return self._endings.wait(fixed.away, _keys(left))
        if left or people:
            ended = self._endings.escalate([*left, *people])
            self._unfinished.remove(_CALL)
            return dataclasses.replace(ended, undone=tuple(self._unfinished))
        return self._over(commit, Outcome.FIXED, why=fixed.why)

    def _over(self, commit: FixCommit | None, outcome: Outcome, *, why: Sequence[str] = ()) -> Ended:
        """End with nothing open; after a commit, notify that people can take over."""
        if commit is not None and not self._pushing.request.draft and not self._endings.waiting():
            self._endings.ready(commit.sha, self._answers().reviewers_of(commit))
        return self._endings.done(outcome, why=why)

    def _failed(self, error: SelfreviewError | OSError) -> Ended:
        """Wait if the failure may pass; nothing about this machine is told on the forge."""
        why, message = transient_reason(error), error.message if isinstance(error, SelfreviewError) else str(error)
        if why is None and self._pushing.pushed is None and not self._unfinished:
            self._endings.failed(error)
            raise error
        if why is not None:
            self._parts.journal.note(message)
        elif isinstance(error, SelfreviewError):
            self._hint(error)
        ended = self._endings.wait(self._with_unfinished(why or message), [item.key for item in self._feedback.items])
        return dataclasses.replace(ended, wait_s=error.wait_s, busy=True) if isinstance(error, BusyError) else ended

    def _with_unfinished(self, why: str) -> str:
        """Return a reason with the pushed commit, and with the steps that belong to it and are not done."""
        commit = self._pushing.pushed or (self._answered.commits[-1] if self._unfinished else None)
        if commit is None:
            return why
        still = f"; not done yet: {', '.join(self._unfinished)}" if self._unfinished else ""
        return f"{commit.sha[:12]} is pushed{still}: {why}"

    def _hint(self, error: SelfreviewError) -> None:
        """Show an error's hint to the person here; output of hooks and remotes is not for others."""
        if error.hint:
            self._parts.journal.note(error.hint)

    def _read(self, commits: Sequence[FixCommit]) -> AnsweredState:
        answered = AnsweredState.read(self._feedback, commits, self._parts.policy, self._taken)
        return answered.with_replied(self._replied)

    @property
    def _endings(self) -> Endings:
        return Endings(
            self._parts,
            msgspec.structs.replace(self._feedback, request=self._pushing.request),
            self._answered,
            self._analysis,
            pushed=self._pushing.pushed,
            unfinished=self._unfinished,
        )


def _keys(left: Sequence[Unresolved]) -> list[str]:
    return [entry.judged.item.key for entry in left]


def _for_people(judged: Iterable[Judged]) -> list[Unresolved]:
    """Return the feedback that needs a person, with the reason."""
    return [
        Unresolved(piece, piece.why or "it needs a person") for piece in judged if piece.meaning is Meaning.NEEDS_PERSON
    ]


def run_cycle(parts: Parts, number: int) -> Ended:
    """Run a fix cycle on the feedback on a pull request.

    Raises:
        ForgeError: If the forge cannot be asked.
        GitError: If git fails.
    """
    if not isinstance(parts.connection, ReadsFeedback):
        raise ForgeError("this forge does not show what reviewers say")
    while True:
        try:
            return _once(parts, parts.connection, number)
        except TakenBackError as error:  # it ends with the cap, towards which each one counts
            parts.journal.note(str(error))


def _once(parts: Parts, connection: ReadsFeedback, number: int) -> Ended:
    feedback = reopened(connection.feedback(number), parts.policy, parts.journal.resolved)
    request = feedback.request
    if request.state is not RequestState.OPEN:
        return Ended(outcome=Outcome.ENDED, request=request, why=(f"it is {request.state}",))
    if request.draft and not parts.settings.drafts:
        return Ended(
            outcome=Outcome.PAUSED, request=request, why=("it is a draft: mark it as ready, or set feedback.drafts",)
        )
    if feedback.problems:  # what is not there may only not have been read
        return Ended(outcome=Outcome.WAITING, request=request, why=feedback.problems)
    parts.journal.remember_resolved(resolved_in(feedback))
    ended = FixCycle(parts, feedback).run()
    return dataclasses.replace(ended, not_shown=feedback.not_shown)
