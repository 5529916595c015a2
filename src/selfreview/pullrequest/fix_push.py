"""Landing of a fix from a fix cycle: committed and pushed while it is still asked for, and selfreview is still on."""

from __future__ import annotations

from collections.abc import Sequence

from selfreview.api import ChangeRequest, Cycle, Feedback, Judged, ReadsFeedback, RequestState
from selfreview.errors import CycleError, NotFreeError
from selfreview.pullrequest.feedback.classify import withdrawn
from selfreview.pullrequest.feedback.resolved import reopened
from selfreview.pullrequest.fix_outcome import TAKEN_BACK, Fixed
from selfreview.pullrequest.git.branch import Branch
from selfreview.pullrequest.git.landing import Landing
from selfreview.pullrequest.git.trailers import FixCommit
from selfreview.pullrequest.ports import Outcome, Parts


class CycleOverError(Exception):
    """Nothing more is written or pushed, and nobody is called: that is no failure.

    Attributes:
        outcome: Of the cycle.
        why: The reason, as a phrase.
    """

    outcome: Outcome

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class RequestOverError(CycleOverError):
    """The pull request was closed or merged while it was being fixed."""

    outcome = Outcome.ENDED


class SwitchedOffError(CycleOverError):
    """Somebody switched selfreview off, in settings that count by now."""

    outcome = Outcome.PAUSED


class TakenBackError(Exception):
    """Feedback was withdrawn while its fix was made: the fix is discarded, and all feedback is to be read again."""


class FixPush:
    """Commits and pushes the fix of one cycle.

    Attributes:
        request: The pull request as it was read last.
        branch: The branch whose settings were looked at, or None.
        pushed: The commit that was pushed, or None.
    """

    def __init__(self, parts: Parts, feedback: Feedback) -> None:
        self._parts = parts
        self._feedback = feedback
        self.request = feedback.request
        self.branch: Branch | None = None
        self.pushed: FixCommit | None = None

    def demand_on(self, branch: Branch) -> None:
        """Check the settings of the tree that is worked in, which may be another than the command's, or newer.

        Raises:
            SwitchedOffError: If selfreview is switched off there.
        """
        self.branch = branch
        if (off := self._parts.workshop.why_off(branch)) is not None:
            raise SwitchedOffError(off)

    def catch_up(self, branch: Branch, landing: Landing) -> FixCommit | None:
        """Land the fix of a killed process; return the commit that was pushed now, or None."""
        branch.fetch(self.request.base)
        if (why := landing.recover(lambda keys: bool(withdrawn(self._feedback, self._parts.policy, keys)))) is not None:
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
        return self._push(landing, left[-1])

    def land(self, landing: Landing, fixed: Fixed, work: Sequence[Judged], cycles: int) -> tuple[FixCommit, Fixed]:
        """Commit and push a patch; return the commit, and the outcome of the fixers less what hooks took back."""
        patch, name = fixed.patch, f"{self._parts.connection.location.path}#{self.request.number}"
        assert patch is not None  # noqa: S101 - the caller has looked
        done = {key: piece for piece in work if (key := fixed.done_key(piece)) is not None}
        cycle = max(cycles, self._parts.journal.total) + 1
        text = fixed.commit_text(list(done.values()), request=name, cycle=cycle)
        sha = landing.commit(patch, text)
        if lost := landing.taken_back(patch, {key: place for key, place in fixed.places.items() if key in done}):
            fixed = fixed.without(lost)
            done = {key: piece for key, piece in done.items() if key not in lost}
            commit = FixCommit(sha, cycle, tuple(done))
            if not done:
                landing.drop(commit)
                raise CycleError(TAKEN_BACK)
            text = fixed.commit_text(list(done.values()), request=name, cycle=cycle)
            sha = landing.commit_again(patch, sha, text)
        return self._push(landing, FixCommit(sha, cycle, tuple(done))), fixed

    def _push(self, landing: Landing, commit: FixCommit) -> FixCommit:
        branch = self.branch
        assert branch is not None  # noqa: S101 - it was looked at

        def veto(sha: str) -> str | None:
            found = commit._replace(sha=sha)
            why = self._parts.workshop.veto(_as_cycle(found, self.request, branch.changed_in(sha)))
            if why is None:
                self._demand_asked(branch, landing, found)
            return why

        self._parts.journal.pushing(commit)
        pushed = landing.push(commit, lambda: self._parts.workshop.check(branch), veto)
        self.pushed = pushed
        self._parts.journal.pushed(pushed)
        if self._parts.settings.unchecked:
            self._parts.journal.note(self._parts.settings.unchecked)
        return pushed

    def _demand_asked(self, branch: Branch, landing: Landing, commit: FixCommit) -> None:
        """Read feedback once more, and check that the fix about to be pushed is still asked for.

        Raises:
            TakenBackError: If it is not; then the commit is dropped.
            SwitchedOffError: If selfreview was switched off meanwhile; the same.
            RequestOverError: If the pull request is over.
            NotFreeError: If not all can be read, or somebody works in the tree by now.
        """
        connection = self._parts.connection
        assert isinstance(connection, ReadsFeedback)  # noqa: S101 - it was read before
        now = reopened(connection.feedback(self.request.number), self._parts.policy, self._parts.journal.resolved)
        self.request = now.request
        if now.request.state is RequestState.CLOSED and branch.there() is None:
            raise branch.gone()  # that is what closed it: what was asked for is lost with it
        if now.request.state is not RequestState.OPEN:
            state = now.request.state
            raise RequestOverError(f"it is {state} by now; the fix stays in {branch.name} here, not pushed")
        if now.problems:
            raise NotFreeError(now.problems[0])
        try:
            self.demand_on(branch)
        except SwitchedOffError:
            landing.drop(commit)
            raise
        if withdrawn(now, self._parts.policy, commit.keys, self._feedback):
            landing.drop(commit)
            self._parts.journal.dropped(commit)
            raise TakenBackError(
                "a fix is not pushed, and dropped: what it answers was edited, answered or taken back while it was made"
            )


def _as_cycle(commit: FixCommit, request: ChangeRequest, files: Sequence[str]) -> Cycle:
    """Return the cycle that plugins are asked about before a commit that changes some files is pushed."""
    return Cycle(
        number=request.number,
        cycle=commit.cycle,
        branch=request.head,
        head_sha=request.head_sha,
        commit=commit.sha,
        items=commit.keys,
        files=tuple(files),
    )
