"""A person's decisions on a branch: its session, held for them, and who decides."""

from __future__ import annotations

import contextlib
import functools
import getpass
from collections.abc import Iterator, Sequence

from selfreview.app.loading import Project, open_store
from selfreview.app.permitted import demand
from selfreview.app.session import LiveSession, hold_session
from selfreview.app.ui import Ui, observer_failed
from selfreview.errors import SelfreviewError, UsageError
from selfreview.git.repo import Repo
from selfreview.git.revisions import current_branch
from selfreview.model.session import Decision, Flagged
from selfreview.refine.recorder import Recorder, new_session
from selfreview.refine.states import TERMINAL
from selfreview.store.review_store import ReviewStore
from selfreview.store.runs import utc_now
from selfreview.store.store import Store


@contextlib.contextmanager
def hold_branch_session(
    repo: Repo,
    project: Project,
    ui: Ui,
    command: str = "",
    *,
    begin: bool = False,
    busy: type[SelfreviewError] = UsageError,
) -> Iterator[tuple[LiveSession, Store]]:
    """Hold the session of the current branch, for a person's decision.

    Args:
        repo: The repository.
        project: Its plugins and configuration.
        ui: Is warned of observers that fail.
        command: Refused where it makes no sense, see :func:`selfreview.app.permitted.demand`; empty: never.
        begin: Whether a branch without a session, or with one that is over, gets one.
        busy: What is raised while a run is going on.

    Raises:
        UsageError: If there is none, git's folder cannot be written, or the command makes no sense.
    """
    branch, worktree = current_branch(repo.git) or "", str(repo.root)
    with hold_session(repo) as hindrance, open_store(repo) as store:
        if hindrance is not None:
            if hindrance.busy:
                raise busy("a run is in progress in this working tree", hint=hindrance.hint)
            raise UsageError(hindrance.why, hint=hindrance.hint)
        session = store.session(worktree, branch)
        if session is None and not begin:
            raise UsageError("this branch has no session yet", hint="start with: selfreview run")
        if session is None or (begin and session.state in TERMINAL):
            session = new_session(branch, worktree, project.config["max_iterations"])
        if command:
            demand(command, session)
        kept = ReviewStore(store)
        report = functools.partial(observer_failed, ui)
        recorder = Recorder(session, kept, project.manager, project.config, report)
        yield LiveSession(recorder, tracked=True), store
        if kept.warnings:  # what a person decided must not get lost silently
            raise UsageError("; ".join(kept.warnings))


def decision(
    repo: Repo,
    action: str,
    reason: str = "",
    *,
    fingerprint: str | None = None,
    also: Sequence[str] = (),
    tree: str | None = None,
    flagged: Sequence[Flagged] = (),
) -> Decision:
    """Return a decision of the current person, with the current time."""
    return Decision(
        action=action,
        who=person(repo),
        at=utc_now(),
        reason=reason.strip(),
        fingerprint=fingerprint,
        also=list(also),
        tree=tree,
        flagged=list(flagged),
    )


def person(repo: Repo) -> str:
    """Return the current person's name, as git names the author of commits, else as the system does."""
    name = repo.git.call(["config", "--get", "user.name"]).stdout.decode("utf-8", "replace").strip()
    mail = repo.git.call(["config", "--get", "user.email"]).stdout.decode("utf-8", "replace").strip()
    if name or mail:
        return f"{name} <{mail}>" if name and mail else name or mail
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def check_reason(reason: str) -> str:
    """Return a reason, or refuse an empty one.

    Raises:
        UsageError: If it is empty.
    """
    if not reason.strip():
        raise UsageError("the reason is empty", hint="it is shown wherever the decision counts")
    return reason.strip()
