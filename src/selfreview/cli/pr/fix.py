"""``selfreview pr fix``: one answer to the feedback on a pull request."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from selfreview.api import Opinion, ReadsRequests
from selfreview.app.loading import open_store, why_off
from selfreview.app.notices import send_what_waits
from selfreview.app.session import hold_session
from selfreview.cli import completions, console
from selfreview.cli.pr.journal import SessionJournal
from selfreview.cli.pr.local_ports import LocalWorkshop
from selfreview.cli.pr.opened import Opened, RequestNumber, opened, remote_options
from selfreview.cli.pr.output import as_json, busy_json, lines_of
from selfreview.cli.pr.worktrees import find_tree, remove_trees, session_branch
from selfreview.cli.terminal import Terminal, report_observer
from selfreview.errors import BusyError, ExitCode, OccupiedError, SelfreviewError
from selfreview.git.repo import Repo
from selfreview.model.wire import display_path, document
from selfreview.pullrequest.cycle import run_cycle
from selfreview.pullrequest.ports import Ended, Outcome, Parts
from selfreview.refine.recorder import Recorder, new_session
from selfreview.refine.states import TERMINAL
from selfreview.store.store import ReviewStore, Store

_GRACE_S = 15.0


def tie() -> None:
    """End this process when standard input ends: as by Ctrl-C, and a moment later for good, with its group."""
    descriptor = os.dup(sys.stdin.fileno())
    threading.Thread(target=_wait, args=(descriptor,), name="tied", daemon=True).start()


def _wait(descriptor: int) -> None:
    try:
        while os.read(descriptor, 4096):
            continue
    except OSError:
        return  # it cannot be told
    os.kill(os.getpid(), signal.SIGINT if sys.platform == "win32" else signal.SIGTERM)
    time.sleep(_GRACE_S)
    if sys.platform != "win32" and os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(130)


_WAIT_S = 30.0
_CODES = {Outcome.ESCALATED: ExitCode.ISSUES, Outcome.WAITING: ExitCode.INCOMPLETE}


@click.command(name="fix")
@click.argument("number", type=RequestNumber(), required=False)
@click.option("--fixer", "fixers", multiple=True, metavar="NAME", shell_complete=completions.fixers,
              help="Use only this fixer; repeatable. auto: those that are on by default.")  # fmt: skip
@click.option("-f", "--format", "format_", type=click.Choice(["terminal", "json"]), default="terminal",
              help="Output format.")  # fmt: skip
@click.option("--tied", is_flag=True, hidden=True,
              help="End when standard input does: whoever asked for this is gone.")  # fmt: skip
@remote_options
def command(number: int | None, **options: Any) -> int:
    """Answer the feedback on a pull request once: fix, push, reply, ask for another review.

    Without NUMBER it is the pull request of the branch that is checked out. It may be called again at any time: what
    was done is not done twice. Exit codes: 0 done or nothing to do, 1 a person is needed, 5 it has to wait.
    """
    if options["tied"]:
        tie()
    try:
        with opened(number, options) as found:
            off = why_off(found.project.config)
            if off is not None:
                ended = Ended(outcome=Outcome.PAUSED, request=found.request, why=(off,))
            else:
                ended = answer(found, options)
            if ended.outcome is Outcome.ENDED:
                _remove_tree(found, ended)
    except BusyError as error:
        if options["format_"] != "json":
            raise
        console.note(f"error: {error.message}")
        if error.hint:
            console.note(f"hint: {error.hint}")
        sys.stdout.buffer.write(document(busy_json(error)))
        return int(error.exit_code)
    if options["format_"] == "json":
        sys.stdout.buffer.write(document(as_json(ended)))
    else:
        for line in lines_of(ended):
            console.say(line)
    return int(_CODES.get(ended.outcome, ExitCode.PASSED))


def answer(found: Opened, options: Mapping[str, Any]) -> Ended:
    """Run one cycle, store its outcome, and send its notices."""
    repo = found.repo
    with (
        _alone(repo, found.request.number, wait=options["tied"]),
        open_store(repo) as store,
        _free_tree(repo, found) as worktree,
    ):
        kept = ReviewStore(store)
        recorder = _recorder(found, store, kept, worktree)
        journal = SessionJournal(recorder, store, found.place.name)
        journal.found(found.request)
        given = {name: options[name] for name in ("fixers", "plugins", "overrides")}
        workshop = LocalWorkshop(found.project, found.place, own=found.own, options=given)
        parts = Parts(
            connection=found.place.connection,
            policy=found.policy,
            rules=found.rules,
            workshop=workshop,
            journal=journal,
        )
        try:
            ended = run_cycle(parts, found.request.number)
        except SelfreviewError as error:
            recorder.note("cycle.failed", error=error.message)
            send_what_waits(found.project, Terminal(), found.place.connection)
            raise
        except KeyboardInterrupt:  # there is no time to send anything
            recorder.note("cycle.failed", error="interrupted")
            raise
        journal.ended(ended, _opinions(ended))
        send_what_waits(found.project, Terminal(), found.place.connection)
        for warning in kept.warnings:
            console.warn(warning)
    return ended


def _remove_tree(found: Opened, ended: Ended) -> None:
    """Remove the working tree that was made for a pull request that is over, unless another one has the branch too."""
    repo, connection, branch = found.repo, found.place.connection, found.request.head
    if not found.request.same_repository or not isinstance(connection, ReadsRequests):
        return
    for _, path, why in remove_trees(repo, lambda name: name == branch and connection.find(branch) is None):
        where = display_path(str(path))
        outcome = f"was removed: {'; '.join(ended.why)}" if why is None else f"is not needed any more and stays: {why}"
        console.note(f"note: the working tree {where} {outcome}")


def _opinions(ended: Ended) -> dict[str, Opinion]:
    return dict(ended.opinions)


def _recorder(found: Opened, store: Store, kept: ReviewStore, worktree: str) -> Recorder:
    """Return the recorder of the branch's session, which is an earlier or a new one."""
    config = found.project.config
    branch = session_branch(found.request)
    session = store.session(worktree, branch)
    if session is None or session.state in TERMINAL:
        session = new_session(branch, worktree, config["max_iterations"])
    return Recorder(session, kept, found.project.manager, config, report_observer)


@contextlib.contextmanager
def _alone(repo: Repo, number: int, *, wait: bool) -> Iterator[None]:
    """Hold the lock of a pull request, which only one process answers at a time.

    Raises:
        OccupiedError: If another one is at it.
    """
    import filelock

    folder = repo.common_dir / "selfreview"
    folder.mkdir(mode=0o700, exist_ok=True)
    lock = filelock.FileLock(folder / f"pr-{number}.lock", timeout=_WAIT_S if wait else 0)
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
def _free_tree(repo: Repo, found: Opened) -> Iterator[str]:
    """Lock the working tree of the branch against runs; yield its folder, or the repository's root without one.

    Raises:
        OccupiedError: If a run is going on there.
    """
    tree = find_tree(repo, found.request.head)
    if tree is None or tree.gone or not found.request.same_repository:
        yield str(repo.root)
        return
    from selfreview.git.repo import discover

    there = discover(Path(tree.path), os.environ)
    with hold_session(there) as hindrance:
        if hindrance is not None:
            raise OccupiedError(f"{hindrance.why} of {found.request.head}", hint=hindrance.hint)
        yield str(there.root)
