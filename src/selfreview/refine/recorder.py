"""Validate, persist and announce the transitions of a session, each before its effect starts."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from selfreview.api import Analysis, ConfigView
from selfreview.model.event import (
    Escalated,
    EventData,
    PersonDecided,
    ReadyForHuman,
    RefinementCompleted,
    ReviewCompleted,
    StateChanged,
)
from selfreview.model.refinement import Refinement
from selfreview.model.result import Result
from selfreview.model.session import Decision, Session, SessionState
from selfreview.model.wire import utc_now
from selfreview.plugins.manager import PluginManager
from selfreview.refine.states import check
from selfreview.store.store import ReviewStore

if TYPE_CHECKING:
    from selfreview.model.request_event import FeedbackReceived

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

    def move(self, new: SessionState, *, also: Sequence[EventData] = (), **data: Any) -> None:
        """Go to another state.

        Args:
            new: The state.
            also: What happened with it.
            data: What else the event says, see :class:`selfreview.model.event.StateChanged`.

        Raises:
            UsageError: If the table does not allow it.
        """
        previous = self.session.state
        check(previous, new)
        self.session.state = new
        if new is not SessionState.FAILED:
            self.session.failed_in = self.session.error = None
        self._moved(previous, also, **data)

    def _moved(self, previous: SessionState, also: Sequence[EventData] = (), **data: Any) -> None:
        session, new = self.session, self.session.state
        count, most = session.iteration, session.max_iterations
        self.note(StateChanged(previous=previous, new=new, iteration=count, max_iterations=most, **data), *also)
        self._tell("selfreview_state_changed", session=session, previous=previous, new=new)

    def note(self, *happened: EventData) -> None:
        """Keep the session with what happened."""
        self.session.updated = utc_now()
        if self._store is not None:
            session = self.session
            events = [data.event(session.updated, session=session.id) for data in happened]
            self._store.attempt(lambda store: store.save_session(session, *events), None)

    def decide(self, decision: Decision) -> None:
        """Record the decision of a person."""
        self.session.decisions.append(decision)
        self.note(
            PersonDecided(action=decision.action, who=decision.who, reason=decision.reason, issue=decision.fingerprint)
        )

    def reviewed(self, result: Result) -> None:
        """Record a review within a refinement, and notify plugins."""
        self.note(completed(result))
        self._tell("selfreview_review_completed", result=result)

    def refined(self, refinement: Refinement, number: int) -> None:
        """Record the end of a refinement, and notify plugins."""
        self.note(
            RefinementCompleted(
                iteration=number,
                addressed=refinement.addressed_issue_ids,
                unaddressed=refinement.unaddressed_issue_ids,
                introduced=refinement.new_issues_introduced,
                patch=refinement.patch,
                files=refinement.files,
            )
        )
        self._tell("selfreview_refinement_completed", session=self.session, refinement=refinement)

    @property
    def config(self) -> ConfigView:
        """The resolved configuration."""
        return self._config

    def feedback(self, analysis: Analysis, received: FeedbackReceived) -> None:
        """Record the analysis of new feedback, and notify plugins."""
        self.note(received)
        self._tell("selfreview_feedback_received", session=self.session, analysis=analysis)

    def ready(self, summary: str) -> None:
        """Record that people can take over, and notify plugins."""
        self.note(ReadyForHuman(summary=summary, request=self.session.request, url=self.session.request_url))
        self._tell("selfreview_ready_for_human", session=self.session, summary=summary)

    def escalated(self, summary: str) -> None:
        """Record that people must take over, and notify plugins."""
        self.note(Escalated(why=summary, request=self.session.request, url=self.session.request_url))
        self._tell("selfreview_ready_for_human", session=self.session, summary=summary)

    def failed(self, stage: str, message: str) -> None:
        """Record that the loop failed; ``resume`` continues from there."""
        self.session.failed_in, self.session.error = self.session.state, message
        previous = self.session.state
        self.session.state, self.session.stop = SessionState.FAILED, None
        self._moved(previous, stage=stage, error=message)

    def _tell(self, hook: str, **arguments: object) -> None:
        self._manager.call_observers(hook, report=self._report, config=self._config, **arguments)


def completed(result: Result, worktree: str | None = None) -> ReviewCompleted:
    """Return what the event of a completed review says; ``worktree`` is that of one without a session."""
    branch = result.scope.branch if result.scope is not None and worktree is not None else None
    return ReviewCompleted(
        status=result.status,
        verdict=result.verdict,
        passed=result.passed,
        iteration=result.iteration,
        counts=result.counts,
        summary=result.summary,
        branch=branch or "",
        worktree=worktree or "",
    )
