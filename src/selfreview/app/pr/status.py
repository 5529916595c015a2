"""Where a pull request stands: its session, its reviews, and what a fix cycle would do next."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from selfreview.api import Analysis, ChangeRequest, Feedback, FeedbackItem, ReadsFeedback, RequestState
from selfreview.app.loading import open_store, why_off
from selfreview.app.pr.journal import resolved_before, was_pushed
from selfreview.app.pr.opened import OpenedRequest, opened
from selfreview.app.pr.request import FeedbackRequest
from selfreview.app.pr.workshop import LocalWorkshop
from selfreview.app.pr.worktrees import find_tree, session_branch
from selfreview.app.ui import SilentUi, Ui
from selfreview.errors import ForgeError, LimitError, ModelAwayError
from selfreview.model.session import Session
from selfreview.pullrequest.answered_state import AnsweredState
from selfreview.pullrequest.feedback.classify import classify
from selfreview.pullrequest.feedback.resolved import removed_labels, reopened
from selfreview.pullrequest.git.branch import commits_of
from selfreview.pullrequest.ports import CycleSettings
from selfreview.pullrequest.replies import Replies
from selfreview.text.layout import plural


@dataclasses.dataclass(frozen=True, kw_only=True)
class Standing:
    """Where a pull request stands.

    Attributes:
        request: It, as it was read first.
        feedback: What reviewers say, with the pull request as it was read with that.
        analysis: What the feedback is taken to mean; None where that was not asked for.
        rules: What is configured.
        answered: How far feedback is handled, according to the remote's branch and the forge.
        session: The stored session of its branch, or None.
        tree: The working tree that has its branch, or None.
        undone: The unfinished steps of the last commit that was pushed from here, as phrases.
        following: The next step of a fix cycle, as a phrase, as far as no model is asked for it.
    """

    request: ChangeRequest
    feedback: Feedback
    analysis: Analysis | None
    rules: CycleSettings
    answered: AnsweredState
    session: Session | None
    tree: Path | None
    undone: Sequence[str]
    following: str

    @property
    def counted(self) -> int:
        """Fix cycles that count towards the cap."""
        return _counted(self.answered, self.session)


def standing_of(request: FeedbackRequest, *, ui: Ui | None = None, reads: bool = False) -> Standing:
    """Look where a pull request stands; nothing is done about it.

    Args:
        request: Which pull request.
        ui: The front end; by default one that keeps what it is told.
        reads: Whether the meaning of its feedback is wanted, for which a model may be asked.

    Raises:
        ForgeError: If the forge cannot be asked, or does not show the feedback that is wanted.
    """
    ui = ui or SilentUi()
    with opened(request, ui) as found:
        repo, connection = found.repo, found.place.connection
        feedback = Feedback(request=found.request)
        if isinstance(connection, ReadsFeedback):
            with open_store(repo) as store:
                resolved = resolved_before(store, found.place.name, found.request.number)
            feedback = reopened(connection.feedback(found.request.number), found.policy, resolved)
        elif reads:
            raise ForgeError(f"{found.place.forge.name} does not show what reviewers say")
        tree = find_tree(repo, found.request.head) if found.request.same_repository else None
        with open_store(repo) as store:
            where = str(tree.path if tree is not None else repo.root)
            session = store.session(where, session_branch(found.request))
        commits = commits_of(repo, found.place.remote, found.place.location.path, feedback.request)
        taken = removed_labels(connection, feedback, found.policy, ui.note)
        answered = AnsweredState.read(feedback, commits, found.policy, taken)
        workshop = LocalWorkshop(found, request, ui)
        analysis = _analysis(found, feedback, answered, session, workshop, ui=ui) if reads else None
        unfinished = _unfinished(found, feedback, answered, session, ui)
        return Standing(
            request=found.request,
            feedback=feedback,
            analysis=analysis,
            rules=found.settings,
            answered=answered,
            session=session,
            tree=tree.path if tree is not None else None,
            undone=unfinished,
            following=_next_step(found, feedback, answered, session, unfinished),
        )


def _analysis(
    found: OpenedRequest,
    feedback: Feedback,
    answered: AnsweredState,
    session: Session | None,
    workshop: LocalWorkshop,
    *,
    ui: Ui,
) -> Analysis:
    """Return the meaning of feedback, as a fix cycle would have it; what no model can read now is left as unread."""
    again = session is not None and session.request_reset
    handled = answered.handled(retry=again)
    blocked = False
    try:
        analysis = workshop.analyse(feedback, found.policy, handled)
    except (LimitError, ModelAwayError) as error:
        ui.warn(error.message)
        analysis = workshop.analyse(feedback, found.policy, handled, asks=False)
        blocked = True  # a fix cycle waits, too: what it does about the rest may depend on that
    analysis = answered.with_outcomes(analysis, [] if again else answered.waiting(feedback, found.policy))
    return analysis.blocked() if blocked else analysis


def _counted(answered: AnsweredState, session: Session | None) -> int:
    """Return how many fix cycles count towards the cap: those since a person's reset."""
    if session is None:
        return answered.counted(0, 0)
    return answered.counted(session.fix_cycle_reset, session.fix_cycle - session.fix_cycle_reset)


def _unfinished(
    found: OpenedRequest, feedback: Feedback, answered: AnsweredState, session: Session | None, ui: Ui
) -> Sequence[str]:
    """Return the unfinished steps of the last commit that was pushed from here, as phrases."""
    if session is None or not answered.commits:
        return []
    last = answered.commits[-1]
    with open_store(found.repo) as store:
        if not was_pushed(store, session.id, last.sha):
            return []
    answers = Replies(found.place.connection, feedback, answered, found.policy, settings=found.settings, note=ui.note)
    return answers.due(last, refused=True)


def _next_step(
    found: OpenedRequest, feedback: Feedback, answered: AnsweredState, session: Session | None, steps: Sequence[str]
) -> str:
    """Return the next step of a fix cycle, as a phrase; ``steps`` has what is unfinished."""
    request, settings = feedback.request, found.settings
    if request.state is not RequestState.OPEN:
        return f"nothing, for it is {request.state}"
    if (off := why_off(found.project.config)) is not None:
        return f"nothing: {off}"
    if request.draft and not settings.drafts:
        return "nothing while it is a draft (feedback.drafts)"
    if not settings.max_fix_cycles:
        return "nothing but read (feedback.max_fix_cycles is 0)"
    again = session is not None and session.request_reset
    judged = classify(feedback, found.policy, answered.handled(retry=again))
    open_ = [piece if isinstance(piece, FeedbackItem) else piece.item for piece in judged
             if isinstance(piece, FeedbackItem) or piece.meaning.is_open]  # fmt: skip
    waiting = [] if again else answered.waiting(feedback, found.policy)
    waits = f"{plural(len(waiting), 'piece')} of feedback left to a person" if waiting else ""
    late = f"what belongs to {answered.commits[-1].sha[:12]} and is unfinished: {', '.join(steps)}" if steps else ""
    if not open_:
        if late:
            return f"{late}; {waits}" if waits else late
        return f"nothing: {waits}; selfreview reset has it tried again" if waits else "nothing"
    what = f"{late}; then look at" if late else "look at"
    what += f" {plural(len(open_), 'piece')} of feedback"
    if again and any(item.key in answered.handed_over for item in open_):
        what += ", including what was left to a person (reset)"
    if _counted(answered, session) >= settings.max_fix_cycles:
        what += f", and call a person for edits: the cap of {settings.max_fix_cycles} fix cycles is reached"
    return f"{what}; {waits}" if waits else what
