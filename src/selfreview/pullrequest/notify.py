"""Plugin ``notify``: notifies the configured channels of the review on this machine.

It only puts in what people are to be told; the end of a run sends it. Where no channel is configured it does nothing.
"""

from __future__ import annotations

from selfreview.api import ConfigView, Session, SessionState, hookimpl
from selfreview.errors import ConfigError, UsageError

_AT_THE_KEYBOARD = (UsageError, ConfigError)
"""Errors that whoever typed the command reads and fixes."""
_BEFORE_THE_PUSH = (SessionState.SELF_REVIEW_FAILED, SessionState.SELF_REVIEW_PASSED, SessionState.PENDING_SELF_REVIEW)


@hookimpl
def selfreview_ready_for_human(session: Session, summary: str, config: ConfigView) -> None:
    """Notify that people must take over. Who marks it ready notifies of that; what comes after the push, cycles do."""
    if config["notification_channels"] and session.state in _BEFORE_THE_PUSH:
        from selfreview.pullrequest.local_notices import tell_stopped

        tell_stopped(session, summary, config)


@hookimpl
def selfreview_state_changed(session: Session, new: SessionState, config: ConfigView) -> None:
    """Notify of a refinement that broke off: the run goes on."""
    if new is SessionState.FAILED and config["notification_channels"]:
        from selfreview.pullrequest.local_notices import tell_error

        tell_error(session.error or "unknown", config, session.branch)


@hookimpl
def selfreview_error(error: BaseException, stage: str, config: ConfigView | None) -> None:
    """Notify of an error that ended a run; hooks and gates have somebody who waits for them."""
    if config is None or stage != "run" or isinstance(error, _AT_THE_KEYBOARD) or not config["notification_channels"]:
        return
    from selfreview.pullrequest.local_notices import describe, tell_error

    tell_error(describe(error), config)
