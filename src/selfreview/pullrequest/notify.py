"""Plugin ``notify``: notifies the configured channels of the review on this machine.

It only puts in what people are to be told; the end of a run sends it. Where no channel is configured it does nothing.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from typing import TYPE_CHECKING, NamedTuple

from selfreview.api import ConfigView, Notice, NoticeEvent, Session, SessionState, hookimpl
from selfreview.errors import ConfigError, GitError, SelfreviewError, UsageError
from selfreview.model.wire import display_path

if TYPE_CHECKING:
    from selfreview.git.repo import Repo

_AT_THE_KEYBOARD = (UsageError, ConfigError)
"""Errors that whoever typed the command reads and fixes."""
_BEFORE_THE_PUSH = (SessionState.SELF_REVIEW_FAILED, SessionState.SELF_REVIEW_PASSED, SessionState.PENDING_SELF_REVIEW)


@hookimpl
def selfreview_ready_for_human(session: Session, summary: str, config: ConfigView) -> None:
    """Notify that people must take over. Who marks it ready notifies of that; what comes after the push, cycles do."""
    if config["notification_channels"] and session.state in _BEFORE_THE_PUSH:
        tell_stopped(session, summary, config)


@hookimpl
def selfreview_state_changed(session: Session, new: SessionState, config: ConfigView) -> None:
    """Notify of a refinement that broke off: the run goes on."""
    if new is SessionState.FAILED and config["notification_channels"]:
        tell_error(session.error or "unknown", config, session.branch)


@hookimpl
def selfreview_error(error: BaseException, stage: str, config: ConfigView) -> None:
    """Notify of an error that ended a run; hooks and gates have somebody who waits for them."""
    if stage != "run" or isinstance(error, _AT_THE_KEYBOARD) or not config["notification_channels"]:
        return
    tell_error(describe(error), config)


class _Content(NamedTuple):
    """Content of a notice, before its place is known; ``request`` is the session whose pull request it is about."""

    key: str
    event: NoticeEvent
    title: str
    text: str
    branch: str
    request: Session | None = None


_VARYING = re.compile(r"0x[0-9a-f]+|\b[0-9a-f]{7,64}\b|\d+")


def tell_ready(session: Session, summary: str, config: ConfigView) -> None:
    """Queue the notice that people can take over."""
    content = _Content(
        key=f"{session.id}:ready:{sum(decision.action == 'ready' for decision in session.decisions)}",
        event=NoticeEvent.READY,
        title=f"{_name(session.branch)} is ready for people to review",
        text=summary,
        branch=session.branch,
        request=session if session.request is not None and session.forge is not None else None,
    )
    _put_in(content, _repo(config), config)


def tell_stopped(session: Session, why: str, config: ConfigView) -> None:
    """Queue the notice that the loop stopped and a person has to look; once per tree and reason."""
    content = _Content(
        key=f"{session.id}:stopped:{session.tree}:{session.stop}",
        event=NoticeEvent.ESCALATED,
        title=f"the review of {_name(session.branch)} needs a person",
        text=f"{why}\n\nselfreview status says more.",
        branch=session.branch,
    )
    _put_in(content, _repo(config), config)


def tell_error(message: str, config: ConfigView, branch: str | None = None) -> None:
    """Queue the notice that a run ended in an error; once per cause, branch and day."""
    from selfreview.git.revisions import current_branch
    from selfreview.model.wire import utc_now

    repo = _repo(config)
    if branch is None:
        branch = (current_branch(repo.git) if repo is not None else None) or ""
    cause = hashlib.sha256(_VARYING.sub("#", message).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    content = _Content(
        key=f"{utc_now()[:10]}:{branch}:error:{cause}",
        event=NoticeEvent.ERROR,
        title=f"a review of {_name(branch)} ended in an error",
        text=message,
        branch=branch,
    )
    _put_in(content, repo, config)


def describe(error: BaseException) -> str:
    """Return an error as text: of a defect only its kind, for its text may hold anything."""
    if isinstance(error, SelfreviewError):
        return error.message + (f"\n{error.hint}" if error.hint else "")
    return f"internal error: {type(error).__name__}"


def _repo(config: ConfigView) -> Repo | None:
    if config.root is None:
        return None
    from selfreview.git.repo import discover

    try:
        return discover(config.root, os.environ)
    except GitError:
        return None  # it is gone: there is no outbox, either


def _name(branch: str) -> str:
    return branch or "a detached HEAD"


def _put_in(content: _Content, repo: Repo | None, config: ConfigView) -> None:
    if repo is None:
        return
    from selfreview.api import NotifyContext
    from selfreview.model.wire import utc_now
    from selfreview.pullrequest.outbox import Outbox, channels_for
    from selfreview.store.store import Store

    folder, number, url = display_path(repo.root.name), None, ""
    if content.request is not None:
        folder = (content.request.forge or "").partition("/")[2]
        number, url = content.request.request, content.request.request_url or ""
    notice = Notice(
        key=display_path(f"local:{content.key}"),
        event=content.event,
        title=display_path(f"{folder}: {content.title}"),
        at=utc_now(),
        text=content.text,
        repository=folder,
        branch=display_path(content.branch),
        number=number,
        url=url,
    )
    channels = channels_for(notice, config)
    if not channels:
        return
    with Store.open(repo.common_dir / "selfreview") as store:
        Outbox(store, [], NotifyContext(config, os.environ)).add(notice, channels, time.time())
