"""One answer to the feedback on a pull request: a fix cycle with its locks, its record and its notices."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from selfreview.api import ReadsRequests
from selfreview.app.loading import open_store, why_off
from selfreview.app.notices import send_what_waits
from selfreview.app.pr.journal import SessionJournal
from selfreview.app.pr.opened import OpenedRequest, opened
from selfreview.app.pr.request import FeedbackRequest
from selfreview.app.pr.workshop import LocalWorkshop
from selfreview.app.pr.worktrees import find_tree, remove_trees, session_branch
from selfreview.app.session import hold_session
from selfreview.app.state import RunScope
from selfreview.app.ui import SilentUi, Ui, observer_failed
from selfreview.errors import OccupiedError, SelfreviewError
from selfreview.git.repo import discover
from selfreview.model.request_event import CycleFailed, WorktreeReused
from selfreview.model.wire import display_path
from selfreview.pullrequest.cycle import run_cycle
from selfreview.pullrequest.ports import Ended, Outcome, Parts
from selfreview.refine.recorder import Recorder, new_session
from selfreview.refine.states import TERMINAL
from selfreview.secrets.scanner import mask_secrets
from selfreview.store.store import ReviewStore, Store


def answer_feedback(request: FeedbackRequest, *, ui: Ui | None = None, scope: RunScope | None = None) -> Ended:
    """Answer the feedback on a pull request once: fix, push, reply, ask for another review.

    It may be called again at any time: what was done is not done twice.

    Args:
        request: Which pull request, and how.
        ui: The front end; by default one that keeps what it is told.
        scope: What cancels it from another thread, as far as a fix is still being made or checked.

    Returns:
        What it came to, with the reasons.

    Raises:
        SelfreviewError: If it cannot be done.
        OccupiedError: If somebody else is at it, or at work in the branch's working tree.
        BusyError: If the forge asks for a pause.
        KeyboardInterrupt: If it was cancelled; it may be called again.
    """
    ui, scope = ui or SilentUi(), scope or RunScope()
    with contextlib.closing(scope), opened(request, ui) as found:
        off = why_off(found.project.config)
        if off is not None:
            return Ended(outcome=Outcome.PAUSED, request=found.request, why=(off,))
        ended = _answer(found, request, ui, scope)
        if ended.outcome is Outcome.ENDED:
            _remove_tree(found, ended, ui)
    return ended


def _answer(found: OpenedRequest, request: FeedbackRequest, ui: Ui, scope: RunScope) -> Ended:
    """Run one cycle, store its outcome, and send its notices."""
    with _alone(found, request.wait_s), open_store(found.repo) as store, _free_tree(found) as worktree:
        kept = ReviewStore(store)
        recorder = _recorder(found, store, kept, worktree, ui)
        journal = SessionJournal(recorder, store, found.place.name, ui)
        journal.found(found.request)
        if Path(worktree) != found.repo.root:
            recorder.note(WorktreeReused(path=display_path(worktree)))
        parts = Parts(
            connection=found.place.connection,
            policy=found.policy,
            settings=found.settings,
            workshop=LocalWorkshop(found, request, ui, scope, recorder),
            journal=journal,
        )
        try:
            ended = run_cycle(parts, found.request.number)
        except SelfreviewError as error:
            recorder.note(CycleFailed(error=mask_secrets(error.message)))
            send_what_waits(found.project, ui, found.place.connection)
            raise
        except KeyboardInterrupt:  # there is no time to send anything
            recorder.note(CycleFailed(error="interrupted"))
            raise
        journal.ended(ended, dict(ended.opinions))
        send_what_waits(found.project, ui, found.place.connection)
        for warning in kept.warnings:
            ui.warn(warning)
    return ended


def _remove_tree(found: OpenedRequest, ended: Ended, ui: Ui) -> None:
    """Remove the working tree that was made for a pull request that is over, unless another one has the branch too."""
    repo, connection, branch = found.repo, found.place.connection, found.request.head
    if not found.request.same_repository or not isinstance(connection, ReadsRequests):
        return
    for _, path, why in remove_trees(repo, lambda name: name == branch and connection.find(branch) is None):
        where = display_path(str(path))
        outcome = f"was removed: {'; '.join(ended.why)}" if why is None else f"is not needed any more and stays: {why}"
        ui.note(f"note: the working tree {where} {outcome}")


def _recorder(found: OpenedRequest, store: Store, kept: ReviewStore, worktree: str, ui: Ui) -> Recorder:
    """Return the recorder of the branch's session, which is an earlier or a new one."""
    config = found.project.config
    branch = session_branch(found.request)
    session = store.session(worktree, branch)
    if session is None or session.state in TERMINAL:
        session = new_session(branch, worktree, config["max_iterations"])
    return Recorder(session, kept, found.project.manager, config, observer_failed(ui))


@contextlib.contextmanager
def _alone(found: OpenedRequest, wait_s: float) -> Iterator[None]:
    """Hold the lock of a pull request, which only one process answers at a time.

    Raises:
        OccupiedError: If another one is at it.
    """
    import filelock

    folder, number = found.repo.common_dir / "selfreview", found.request.number
    folder.mkdir(mode=0o700, exist_ok=True)
    lock = filelock.FileLock(folder / f"pr-{number}.lock", timeout=wait_s)
    try:
        lock.acquire()
    except filelock.Timeout:
        raise OccupiedError(
            f"the feedback on #{number} is being answered already", hint="wait for that to end"
        ) from None
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def _free_tree(found: OpenedRequest) -> Iterator[str]:
    """Lock the working tree of the branch against runs; yield its folder, or the repository's root without one.

    Raises:
        OccupiedError: If a run is going on there.
    """
    tree = find_tree(found.repo, found.request.head)
    if tree is None or tree.gone or not found.request.same_repository:
        yield str(found.repo.root)
        return
    there = discover(tree.path, os.environ)
    with hold_session(there) as hindrance:
        if hindrance is not None:
            raise OccupiedError(f"{hindrance.why} of {found.request.head}", hint=hindrance.hint)
        yield str(there.root)
