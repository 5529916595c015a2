"""Validate, persist and announce the transitions of a session, each before its effect starts."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable

from selfreview.api import Analysis, ConfigView
from selfreview.model.refinement import Refinement
from selfreview.model.session import Decision, Event, Session, SessionState
from selfreview.model.wire import utc_now
from selfreview.plugins.manager import PluginManager
from selfreview.refine.states import check
from selfreview.store.store import ReviewStore

Report = Callable[[str, str, BaseException], None]


def new_session(branch: str, worktree: str, max_iterations: int) -> Session:
    """Return a session that nothing has happened to yet."""
    now = utc_now()
    return Session(
        id=f"s-{secrets.token_hex(4)}",
        branch=branch,
        worktree=worktree,
        created=now,
        updated=now,
        max_iterations=max_iterations,
    )


class Recorder:
    """Moves one session.

    Args:
        session: The session; changed in place.
        store: Where it is kept. None: it is not remembered, as for a part of a branch.
        manager: Whose observers are notified.
        config: The resolved configuration.
        report: Told of observers that raise.
    """

    def __init__(
        self,
        session: Session,
        store: ReviewStore | None,
        manager: PluginManager,
        config: ConfigView,
        report: Report,
    ) -> None:
        self.session = session
        self._store = store
        self._manager = manager
        self._config = config
        self._report = report

    def of(self, session: Session, store: ReviewStore) -> Recorder:
        """Return one of another session, which is kept."""
        return Recorder(session, store, self._manager, self._config, self._report)

    def move(self, new: SessionState, **data: object) -> None:
        """Go to another state.

        Args:
            new: The state.
            data: What else the event says.

        Raises:
            UsageError: If the table does not allow it.
        """
        previous = self.session.state
        check(previous, new)
        self.session.state = new
        if new is not SessionState.FAILED:
            self.session.failed_in = self.session.error = None
        self.note("session.state_changed", previous=previous.value, new=new.value, **data)
        self._tell("selfreview_state_changed", session=self.session, previous=previous, new=new)

    def note(self, kind: str, **data: object) -> None:
        """Keep the session with an event that changes no state."""
        self.session.updated = utc_now()
        event = Event(kind=kind, at=self.session.updated, session=self.session.id, data={"pid": os.getpid(), **data})
        if self._store is not None:
            session = self.session
            self._store.attempt(lambda store: store.save_session(session, event), None)

    def decide(self, decision: Decision) -> None:
        """Record the decision of a person."""
        self.session.decisions.append(decision)
        self.note(f"person.{decision.action}", who=decision.who, reason=decision.reason, issue=decision.fingerprint)

    def refined(self, refinement: Refinement, number: int) -> None:
        """Record the end of a refinement, and notify plugins."""
        self.note(
            "session.refinement_completed",
            iteration=number,
            addressed=refinement.addressed_issue_ids,
            unaddressed=refinement.unaddressed_issue_ids,
            introduced=refinement.new_issues_introduced,
            patch=refinement.patch,
        )
        self._tell("selfreview_refinement_completed", session=self.session, refinement=refinement)

    @property
    def config(self) -> ConfigView:
        """The resolved configuration."""
        return self._config

    def feedback(self, analysis: Analysis) -> None:
        """Notify plugins of the analysis of new feedback."""
        self._tell("selfreview_feedback_received", session=self.session, analysis=analysis)

    def ready(self, summary: str) -> None:
        """Notify plugins that people can take over, or must."""
        self._tell("selfreview_ready_for_human", session=self.session, summary=summary)

    def failed(self, stage: str, message: str) -> None:
        """Record that the loop failed; ``resume`` continues from there."""
        self.session.failed_in, self.session.error = self.session.state, message
        previous = self.session.state
        self.session.state, self.session.stop = SessionState.FAILED, None
        self.note("session.state_changed", previous=previous.value, new="failed", stage=stage, error=message)
        self._tell("selfreview_state_changed", session=self.session, previous=previous, new=SessionState.FAILED)

    def _tell(self, hook: str, **arguments: object) -> None:
        self._manager.call_observers(hook, report=self._report, config=self._config, **arguments)
