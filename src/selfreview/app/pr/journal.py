"""Journal of a fix cycle: the branch's session, its events, and notices to people."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Sequence
from typing import Any

from selfreview.api import Analysis, ChangeRequest, Judged, Notice, Opinion, RequestState, SessionState
from selfreview.app.ui import Ui
from selfreview.errors import StoreError
from selfreview.model.request_event import (
    CycleCommit,
    CycleDropped,
    CycleEnded,
    CyclePushed,
    CyclePushing,
    FeedbackReceived,
    Piece,
    ReviewRequested,
)
from selfreview.model.wire import display_path, utc_now
from selfreview.pullrequest.git.trailers import FixCommit
from selfreview.pullrequest.outbox import channels_for
from selfreview.pullrequest.ports import Ended, Outcome
from selfreview.pullrequest.texts import redacted
from selfreview.refine.call_fixer import masked
from selfreview.refine.recorder import Recorder
from selfreview.refine.states import MOVES, TERMINAL
from selfreview.secrets.scanner import mask_secrets
from selfreview.store.store import Store
from selfreview.text.escape import visible

S = SessionState
_SETTLED = "settled {}#{}"
_PUSHING = (CyclePushing.kind, CyclePushed.kind)
_MAX_TOLD = 50
"""Maximum number of pieces of feedback whose words an event has."""
_TOLD_CHARACTERS = 200
_DONE = (Outcome.ANSWERED, Outcome.NOTHING)
_NOT_BETWEEN = TERMINAL | {S.FAILED}


class SessionJournal:
    """A journal that keeps a branch's session."""

    def __init__(self, recorder: Recorder, store: Store, forge: str, ui: Ui) -> None:
        self._recorder = recorder
        self._store = store
        self._forge = forge
        self._ui = ui

    @property
    def counted(self) -> int:
        """Answers that count towards the cap."""
        return max(0, self._recorder.session.fix_cycle - self._recorder.session.fix_cycle_reset)

    @property
    def total(self) -> int:
        """Answers so far that are recorded, whether they count or not."""
        return self._recorder.session.fix_cycle

    @property
    def uncounted(self) -> int:
        """Answers on the branch that a person's reset does not count."""
        return self._recorder.session.fix_cycle_reset

    @property
    def again(self) -> bool:
        """Return whether feedback that was escalated to a person is to be tried again."""
        return self._recorder.session.request_reset

    def found(self, request: ChangeRequest) -> None:
        """Record which pull request the branch has."""
        session = self._recorder.session
        if (session.request, session.forge) != (request.number, self._forge):
            session.fix_cycle = session.fix_cycle_reset = 0
            session.request_reset, session.waits = False, 0
        session.forge, session.request, session.request_url = self._forge, request.number, request.url
        go(self._recorder, S.AWAITING_PR_FEEDBACK, only_from=frozenset(S) - _AFTER)

    def received(self, request: ChangeRequest, analysis: Analysis) -> None:
        """Record that there is feedback, before anything is done about it."""
        there = [piece for piece in analysis.judged if piece.meaning.is_open]
        go(self._recorder, S.ADDRESSING_FEEDBACK, request=request.number)
        received = FeedbackReceived(
            request=request.number,
            url=request.url,
            items={piece.item.id: piece.meaning.value for piece in there},
            overall=analysis.overall.value,
            pieces=list(map(_told, there[:_MAX_TOLD])),
        )
        self._recorder.feedback(analysis, received)

    @property
    def resets(self) -> int:
        """The number of times that a person reset the branch."""
        return sum(decision.action == "reset" for decision in self._recorder.session.decisions)

    @property
    def resolved(self) -> frozenset[str]:
        """Ids of feedback whose threads people had resolved when feedback was last read."""
        assert self._recorder.session.request is not None  # noqa: S101 - it was found
        return resolved_before(self._store, self._forge, self._recorder.session.request)

    def remember_resolved(self, ids: Sequence[str]) -> None:
        """Record the ids of feedback whose threads people resolved."""
        if set(ids) == self.resolved:
            return
        key = _SETTLED.format(self._forge, self._recorder.session.request)
        try:
            self._store.set_setting(key, json.dumps(ids) if ids else None)
        except StoreError as error:
            self.note(f"cannot remember which threads are resolved: {error.message}")

    def dropped(self, commit: FixCommit) -> None:
        """Record that a fix was dropped as its feedback was withdrawn: it counts as an answer."""
        session = self._recorder.session
        session.fix_cycle = max(session.fix_cycle, commit.cycle)
        self._note(CycleDropped, commit)

    def waited(self) -> int:
        """Count a cycle in which this machine could do nothing; return how many there were in a row."""
        self._recorder.session.waits += 1
        return self._recorder.session.waits

    def pushing(self, commit: FixCommit) -> None:
        """Record that a commit is about to be pushed."""
        self._note(CyclePushing, commit)

    def pushed(self, commit: FixCommit) -> None:
        """Record that a commit was pushed."""
        session = self._recorder.session
        session.fix_cycle, session.request_reset = max(session.fix_cycle, commit.cycle), False
        self._note(CyclePushed, commit)

    def _note(self, happened: type[CycleCommit], commit: FixCommit) -> None:
        self._recorder.note(happened(commit=commit.sha, cycle=commit.cycle, items=list(commit.keys)))

    def asked(self, logins: Sequence[str]) -> None:
        """Record that people were asked for another review."""
        session = self._recorder.session
        assert session.request is not None  # noqa: S101 - it was found
        self._recorder.note(ReviewRequested(request=session.request, who=list(logins)))

    def made(self, commit: FixCommit) -> bool:
        """Return whether a commit was pushed from here, according to this session's events."""
        return was_pushed(self._store, self._recorder.session.id, commit.sha)

    def note(self, text: str) -> None:
        """Show a note to the person."""
        self._ui.note(f"note: {masked(text)}")  # hooks and remotes may have said it

    def tell(self, notice: Notice) -> None:
        """Keep a notice until it is sent."""
        channels = channels_for(notice, self._recorder.config)
        clean = redacted(notice)
        for channel in dict.fromkeys(channels):
            self._store.messages.add(clean, channel, time.time())

    def now(self) -> str:
        """Return the time, as results have it."""
        return utc_now()

    def ended(self, ended: Ended, opinions: dict[str, Opinion]) -> None:
        """Move the session to the state in which a cycle ended."""
        session = self._recorder.session
        session.fix_cycle = max(session.fix_cycle, ended.cycles)
        if ended.outcome is not Outcome.WAITING:
            session.waits = 0
        required = ended.outcome is Outcome.ESCALATED
        if required:
            session.human_review_required = mask_secrets("; ".join(ended.why))
            session.request_reset = False
            if ended.called or session.human_review_at is None:
                session.human_review_at = utc_now()
        elif ended.outcome is Outcome.FIXED or (ended.nothing_waits and ended.outcome in _DONE):
            session.human_review_required = session.human_review_at = None
        target = self._target(ended, opinions)
        if target is not None:
            go(self._recorder, target, outcome=ended.outcome.value, why=[mask_secrets(why) for why in ended.why])
        self._recorder.note(
            CycleEnded(
                outcome=ended.outcome.value,
                why=[mask_secrets(why) for why in ended.why],
                commit=ended.commit.sha if ended.commit is not None else None,
                undone=[mask_secrets(what) for what in ended.undone],
            )
        )
        if required and ended.called:
            self._recorder.escalated(mask_secrets("; ".join(ended.why)))
        elif ended.outcome is Outcome.FIXED and not (ended.undone or ended.left or ended.request.draft):
            self._recorder.ready(f"what reviewers asked for is fixed: fix cycle {ended.cycles}")

    def _target(self, ended: Ended, opinions: dict[str, Opinion]) -> SessionState | None:
        if ended.outcome is Outcome.ENDED:
            return S.MERGED if ended.request.state is RequestState.MERGED else S.CLOSED
        if ended.outcome is Outcome.ESCALATED:
            return S.READY_FOR_HUMAN_REVIEW
        if ended.outcome in (Outcome.WAITING, Outcome.PAUSED):
            return None
        approved = bool(opinions) and all(opinion is Opinion.APPROVED for opinion in opinions.values())
        if approved:
            return S.APPROVED
        waits_for_person = self._recorder.session.state is S.READY_FOR_HUMAN_REVIEW and ended.outcome is Outcome.NOTHING
        return None if waits_for_person and not ended.nothing_waits else S.AWAITING_PR_FEEDBACK


def _told(judged: Judged) -> Piece:
    item, edits = judged.item, judged.meaning.is_work
    words = " ".join((judged.description or item.body).split())
    return Piece(
        id=item.id,
        meaning=judged.meaning.value,
        who=item.author.login if item.author is not None else "",
        what=mask_secrets(visible(words))[:_TOLD_CHARACTERS],
        file=display_path(item.spot.path) if item.spot is not None else "",
        line=item.spot.line if item.spot is not None else None,
        severity=judged.severity.value if edits else None,
    )


def was_pushed(store: Store, session: str, sha: str) -> bool:
    """Return whether a commit was pushed from here, according to a session's events."""
    return any(event.kind in _PUSHING and event.data.get("commit") == sha for event in store.session_events(session))


def resolved_before(store: Store, forge: str, number: int) -> frozenset[str]:
    """Return the ids of feedback whose threads people had resolved when a cycle last read feedback."""
    return frozenset(json.loads(store.setting(_SETTLED.format(forge, number)) or "[]"))


_AFTER = frozenset(
    {S.PR_CREATED, S.AWAITING_PR_FEEDBACK, S.ADDRESSING_FEEDBACK, S.READY_FOR_HUMAN_REVIEW, S.APPROVED, *TERMINAL}
) - {S.PR_CREATED}


def go(
    recorder: Recorder, target: SessionState, only_from: frozenset[SessionState] = frozenset(S), **data: Any
) -> None:
    """Move a session to a state by the shortest path in the table of moves; without a path, it stays.

    Args:
        recorder: Moves it.
        target: Where to.
        only_from: States that it is moved from; from others it is not.
        data: What the last event says.
    """
    here = recorder.session.state
    if here is target or here not in only_from:
        return
    ways: dict[SessionState, list[SessionState]] = {here: []}
    queue = deque([here])
    while queue and target not in ways:
        state = queue.popleft()
        for following in sorted(MOVES[state]):
            if following not in ways and (following is target or following not in _NOT_BETWEEN):
                ways[following] = [*ways[state], following]
                queue.append(following)
    for step in ways.get(target, []):
        recorder.move(step, **(data if step is target else {}))
