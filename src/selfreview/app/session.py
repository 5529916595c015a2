"""The session of a run: found or begun, held while it runs, and brought to where the run ended."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from selfreview.access import access_hint
from selfreview.git.repo import Repo
from selfreview.model.change import Scope
from selfreview.model.event import EventData, HumanReviewRequired, PatchWaits, RunEnded
from selfreview.model.refinement import Stop
from selfreview.model.result import KeptPatch, Result, ResultStatus
from selfreview.model.session import Session, SessionState
from selfreview.model.wire import display_path, utc_now
from selfreview.refine.recorder import Recorder, new_session
from selfreview.refine.states import TERMINAL
from selfreview.store.store import ReviewStore

if TYPE_CHECKING:
    from selfreview.refine.refinement_result import RefinementResult
    from selfreview.store import Store

S = SessionState
LOOK_BACK = 100
"""Results that are searched for one of the whole branch, or one that refined."""
_BROKE_OFF = (Stop.INTERRUPTED, Stop.FAILED)


class Hindrance(NamedTuple):
    """The reason why a session cannot be held.

    Attributes:
        why: In a clause.
        hint: What a person can do.
        busy: Whether somebody else holds it.
    """

    why: str
    hint: str
    busy: bool = False


@contextlib.contextmanager
def hold_session(repo: Repo) -> Iterator[Hindrance | None]:
    """Hold the lock of a working tree's session, one run at a time; yield why it could not be had, or None."""
    import filelock

    folder = repo.git_dir / "selfreview"
    lock = filelock.FileLock(folder / "loop.lock", timeout=0)
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        lock.acquire()
    except filelock.Timeout:
        yield Hindrance(
            "another run is in progress in this working tree", "wait for it, or stop it with Ctrl-C", busy=True
        )
        return
    except OSError as error:  # a repository that cannot be written can be reviewed all the same
        place = Path(error.filename or folder)
        why = f"{display_path(str(place))} cannot be written ({error.strerror or type(error).__name__})"
        yield Hindrance(why, access_hint(place))
        return
    try:
        yield None
    finally:
        lock.release()


class LiveSession:
    """A session during one run.

    Args:
        recorder: Moves it.
        tracked: Whether it is the branch's own, and not one of a part that is forgotten.

    Attributes:
        hindrance: Why the branch's own session cannot be held, so that nothing is refined, or None.
    """

    def __init__(self, recorder: Recorder, *, tracked: bool, hindrance: Hindrance | None = None) -> None:
        self.recorder = recorder
        self.tracked = tracked
        self.hindrance = hindrance

    @property
    def session(self) -> Session:
        """The session."""
        return self.recorder.session

    def begin(self, *also: EventData) -> None:
        """Begin a review, which ends whatever state the session had; ``also`` is what decided what is reviewed."""
        if self.session.state is not S.PENDING_SELF_REVIEW:
            self.recorder.move(S.PENDING_SELF_REVIEW, reason="a new run")
        self.session.iteration, self.session.stop = 0, Stop.INTERRUPTED  # until it ends: a kill is told nobody
        self.recorder.move(S.SELF_REVIEWING, also=also)

    def decided(self, result: Result) -> None:
        """Record the verdict on the person's tree."""
        self.recorder.move(
            S.SELF_REVIEW_PASSED if result.passed else S.SELF_REVIEW_FAILED,
            verdict=result.verdict,
            status=result.status,
        )

    def finish(self, result: Result, refined: RefinementResult | None) -> None:
        """Record how the run ended."""
        session = self.session
        session.patch = self._waiting(result, refined)
        session.run_id = result.run_id
        session.tree = result.scope.tree if result.scope is not None else None
        session.base = result.scope.base if result.scope is not None else None
        session.stop = None
        if refined is not None:
            session.stop, session.iteration = refined.stop, len(refined.iterations)  # one that broke off is not done
        if refined is not None and session.state in (S.REFINING, S.SELF_REVIEWING):
            self.recorder.move(S.SELF_REVIEW_FAILED, reason=refined.stop.value)  # as the tree was when it began
        if session.state is S.SELF_REVIEWING:
            self.recorder.move(S.PENDING_SELF_REVIEW, reason="interrupted")
            session.stop = Stop.INTERRUPTED
        if session.state is S.SELF_REVIEW_PASSED and not result.passed:
            self.recorder.move(S.PENDING_SELF_REVIEW, reason="the patch that passes is not applied")
        if session.state is S.SELF_REVIEW_FAILED and result.passed:
            self.recorder.move(S.SELF_REVIEW_PASSED, reason="an earlier state passes")
        self._mark(result, refined)

    def _waiting(self, result: Result, refined: RefinementResult | None) -> str | None:
        """Return the patch that is pending now: the run's own, else an earlier one that nothing has superseded.

        That is one of a tree that is still there and does not pass, or one before a run that did not come to its end.
        """
        if result.patch is not None and not result.patch.applied:
            return result.patch.id
        if result.held is not None:
            return result.held.id
        if result.patch is not None:
            return None
        broke_off = self.session.state is S.SELF_REVIEWING if refined is None else refined.stop in _BROKE_OFF
        there = result.scope.tree if result.scope is not None else None
        same = there is not None and there == self.session.tree and not result.passed
        return self.session.patch if broke_off or same else None

    def _mark(self, result: Result, refined: RefinementResult | None) -> None:
        """Record whether a person must look at the branch."""
        stuck = refined is not None and refined.stop not in (Stop.PASSED, Stop.INTERRUPTED)
        self.session.human_review_required = refined.why if stuck and refined is not None else None
        self.session.human_review_at = utc_now() if stuck else None
        ended = HumanReviewRequired if stuck else RunEnded
        self.recorder.note(ended(stop=self.session.stop, patch=self.session.patch, run=self.session.run_id))
        if stuck and refined is not None and self.tracked:
            tell = self.recorder.ready if result.passed else self.recorder.escalated
            from selfreview.secrets.scanner import mask_secrets

            tell(mask_secrets(refined.why))  # what a fixer or a check said may be in it


def hand_over(patch: KeptPatch, scope: Scope, repo: Repo, store: ReviewStore, recorder: Recorder) -> None:
    """Record in the branch's own session the pending patch of a partial run, in place of an earlier one.

    Args:
        patch: The patch, which is not applied.
        scope: What was reviewed.
        repo: The repository.
        store: Where sessions are.
        recorder: Of the session that is forgotten.
    """
    branch, worktree = scope.branch or "", str(repo.root)
    found = store.attempt(lambda kept: kept.session(worktree, branch), None)
    if found is None or found.state in TERMINAL:
        found = new_session(branch, worktree, recorder.session.max_iterations)
    found.patch = patch.id
    recorder.of(found, store).note(PatchWaits(patch=patch.id))


def leftovers(repo: Repo) -> bool:
    """Return whether a killed process may have left a workspace that can be removed; looks at one folder only."""
    try:
        return any((repo.common_dir / "selfreview" / "workspaces").iterdir())
    except OSError:
        return False


class BranchReviews(NamedTuple):
    """The stored reviews of a branch.

    Attributes:
        whole: The newest review of the whole branch, or None.
        later: Reviews of a part of it since then, newest first: of the index, of some paths, by some reviewers, or such
            as asked for less than the settings do.
    """

    whole: Result | None
    later: list[Result]

    @property
    def result(self) -> Result | None:
        """The decisive review: of the whole branch, else the newest."""
        return self.whole or next(iter(self.later), None)


def branch_reviews(store: Store, branch: str | None) -> BranchReviews:
    """Return the reviews of a branch (None: a detached HEAD), partial ones apart, which hide no issue elsewhere."""
    later: list[Result] = []
    for result in store.results(LOOK_BACK, branch or ""):
        if result.scope is not None and result.scope.whole:
            return BranchReviews(result, later)
        if result.status is not ResultStatus.NOTHING_TO_REVIEW:
            later.append(result)
    return BranchReviews(None, later)
