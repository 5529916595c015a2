"""Ends of a fix cycle: done, waiting, or left to a person, who is called: one comment, one label, one notice.

The forge is told only of what is left to a person; of a wait, people hear by their own channels.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from selfreview.api import (
    Analysis,
    Comments,
    Connection,
    Feedback,
    HistoryEntry,
    Labels,
    Notice,
    NoticeEvent,
    ReadsFeedback,
    TellsLabelChanges,
)
from selfreview.errors import ExitCode, NotFoundError, RefusedError, SelfreviewError
from selfreview.model.cycle import Meaning
from selfreview.model.feedback import ChangeRequest, FeedbackItem, hidden, mark_of
from selfreview.pullrequest import texts
from selfreview.pullrequest.answered_state import AnsweredState
from selfreview.pullrequest.feedback.markdown import visible
from selfreview.pullrequest.feedback.marks import (
    Mark,
    call_of,
    is_marked,
    is_there,
    label_in,
    settled_by_people,
    whole_key,
)
from selfreview.pullrequest.feedback.unresolved import Unresolved, excerpt, listed, sentences, who
from selfreview.pullrequest.git.trailers import FixCommit
from selfreview.pullrequest.git.transient_errors import without_git_output
from selfreview.pullrequest.ports import Ended, Outcome, Parts
from selfreview.secrets.scanner import mask_secrets

_MAX_TOLD = 200
"""Characters of one piece of feedback in a history."""


def history(analysis: Analysis, answered: AnsweredState, left: Sequence[Unresolved]) -> list[HistoryEntry]:
    """Return all feedback of people who are listened to, with its outcome."""
    whys = {entry.judged.item.key: entry.outcome for entry in left}
    by_key = {key: commit for commit in answered.commits for key in commit.keys}
    parts = {whole_key(key): commit for key, commit in by_key.items() if whole_key(key) != key}
    entries = []
    for judged in analysis.judged:
        item = judged.item
        if judged.meaning in (Meaning.OWN, Meaning.IGNORED, Meaning.UNTRUSTED) or not visible(item.body):
            continue
        commit = by_key.get(item.key) or parts.get(item.key)
        outcome = whys.get(item.key) or _OUTCOMES.get(judged.meaning, judged.why)
        if commit is not None:
            rest = "" if item.key in by_key else f"; {whys[item.key]}" if item.key in whys else ""
            outcome = f"{'' if item.key in by_key else 'partly '}fixed in {commit.sha[:12]}{rest}"
        entries.append(
            HistoryEntry(
                who=who(item),
                what=excerpt(item.body, _MAX_TOLD),
                outcome=mask_secrets(outcome),
                cycle=commit.cycle if commit is not None else None,
                url=item.url,
            )
        )
    return entries


_OUTCOMES = {
    Meaning.ACTIONABLE: "open",
    Meaning.SUGGESTION: "open",
    Meaning.QUESTION: "a question",
    Meaning.NEEDS_PERSON: "left to a person",
    Meaning.PRAISE: "nothing to do",
    Meaning.RESOLVED: "resolved by people",
}


def take_label_back(
    connection: Connection, request: ChangeRequest, answered: AnsweredState, note: Callable[[str], None]
) -> None:
    """Remove the labels that we added, where nothing is left to a person any more; labels of others stay.

    Where a person took one away, what they were called for is taken down as settled by them.

    Raises:
        ForgeError: If the forge cannot be reached.
    """
    _take_down(connection, request, answered, note)
    ours = [item for item in answered.labelled if item.id not in answered.taken]
    if not ours or not isinstance(connection, Labels) or not isinstance(connection, Comments):
        return
    if isinstance(connection, ReadsFeedback):  # another cycle may have called a person since, with the same label
        known, me = {item.id for item in answered.ours}, connection.whoami().id
        now = connection.feedback(request.number).items
        if any(
            _is_call(comment) and comment.author and comment.author.id == me and comment.id not in known
            for comment in now
        ):
            return
    names = {name.casefold(): name for item in ours if (name := label_in(item.body)) is not None}
    try:
        for name in names.values():
            connection.remove_label(request.number, name)
        for item in ours:
            _without_label(connection, request, item)
    except (RefusedError, NotFoundError) as error:
        note(f"the label {', '.join(names.values())} was not taken away: {error.message}")


def _is_call(item: FeedbackItem) -> bool:
    return is_marked(item.body) and label_in(item.body) is not None


def _take_down(
    connection: Connection, request: ChangeRequest, answered: AnsweredState, note: Callable[[str], None]
) -> None:
    """Record that a person settled the feedback they were called for, where they removed the label."""
    if not isinstance(connection, Comments):
        return
    try:
        for item in answered.labelled:
            if item.id in answered.taken:
                _without_label(connection, request, item, settled_by_people)
    except (RefusedError, NotFoundError) as error:
        note(f"that a person settled what they were called for was not written down: {error.message}")


def _without_label(
    connection: Comments, request: ChangeRequest, item: FeedbackItem, then: Callable[[str], str] = str
) -> None:
    """Rewrite a comment of ours without the mark of its label."""
    mark, name = mark_of(item.body), label_in(item.body)
    if mark is not None and name is not None:
        body = item.body.partition("-->")[2].strip().replace(hidden(Mark.LABELLED.of(name)), "")
        connection.comment(request.number, mark, then(body))


def ready_title(path: str, request: ChangeRequest) -> str:
    """Return the title of the notice that people can take over; ``path`` is ``owner/name``."""
    return f"{path}#{request.number} is ready for people to review"


class Message(NamedTuple):
    """The text of a notice.

    Attributes:
        title: One line.
        why: More lines.
        about: What makes it this notice and no other: keys of feedback, or a commit.
    """

    title: str
    why: Sequence[str]
    about: Sequence[str]


def notice(
    event: NoticeEvent,
    request: ChangeRequest,
    repository: str,
    message: Message,
    *,
    mention: Sequence[str] = (),
    at: str,
) -> Notice:
    """Return the notice for people; the same for the same content, so that it is sent once.

    Args:
        event: What it is about.
        request: The pull request.
        repository: ``host/owner/name``.
        message: Its text.
        mention: Logins of people whom it concerns.
        at: The time.
    """
    digest = hashlib.sha256("\n".join(sorted(message.about)).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return Notice(
        key=f"{event}:{repository}#{request.number}:{digest}",
        event=event,
        title=message.title,
        text="\n".join(message.why),
        repository=repository.partition("/")[2],
        branch=request.head,
        number=request.number,
        url=request.url,
        mention=tuple(dict.fromkeys(mention)),
        at=at,
    )


class Endings:
    """Ends that a fix cycle can come to, as it stands."""

    def __init__(
        self,
        parts: Parts,
        feedback: Feedback,
        answered: AnsweredState,
        analysis: Analysis | None,
        *,
        pushed: FixCommit | None = None,
        unfinished: Sequence[str] = (),
    ) -> None:
        self._parts = parts
        self._feedback = feedback
        self._request = feedback.request
        self._answered = answered
        self._analysis = analysis
        self._pushed, self._unfinished = pushed, unfinished

    def waiting(self) -> list[Unresolved]:
        """Return the feedback that a person was called for before, and that still waits for them."""
        if self._parts.journal.again:
            return []  # it is tried again
        return self._answered.waiting(self._feedback, self._parts.policy)

    def done(self, outcome: Outcome, *, why: Sequence[str] = ()) -> Ended:
        """End with nothing new for a person; feedback they were called for before may still wait for them."""
        if waiting := self.waiting():
            why = (*why, *sentences(waiting))
            return self.end(Outcome.ESCALATED, why=why, left=waiting)
        take_label_back(self._parts.connection, self._request, self._answered, self._parts.journal.note)
        return self.end(outcome, why=why)

    def escalate(self, left: Sequence[Unresolved], why: Sequence[str] = ()) -> Ended:
        """Leave feedback to a person, and call them."""
        new = {entry.judged.item.key for entry in left}
        before = [entry for entry in self.waiting() if entry.judged.item.key not in new]
        called = bool(left) or not self._answered.handed_over  # else a person was called already
        if called:
            self._call(why, left, before)
        everything = [*left, *before]
        reasons = (*why, *sentences(everything))
        return self.end(Outcome.ESCALATED, why=reasons, left=everything, called=called)

    def wait(self, why: str, waiting: Sequence[str]) -> Ended:
        """Wait for an obstacle on this machine, or a passing one; where it lasts, notify people, once."""
        waited = self._parts.journal.waited()
        if waiting and waited >= self._parts.settings.waits:
            self.notify_here(f"{why} ({waited} times in a row)", waiting)
        return self.end(Outcome.WAITING, why=(why,))

    def failed(self, error: Exception) -> None:
        """Record that the cycle fails, as if it waited; where that goes on, notify people, once."""
        if isinstance(error, SelfreviewError) and error.exit_code is ExitCode.USAGE:
            self.broke_off(error.message)  # else a forge is only away, or it is a defect

    def broke_off(self, why: str) -> None:
        """Record that the cycle broke off, as if it waited; where that goes on, notify people, once."""
        waited = self._parts.journal.waited()
        if waited >= self._parts.settings.waits:
            self.notify_here(f"{why} ({waited} times in a row)", ["failed", why])

    def limited(self, why: str, wait_s: float, waiting: Sequence[str]) -> Ended:
        """Wait for a quota: nothing failed, and nobody is called; where it lasts, people are notified, once."""
        ended = self.wait(f"a quota is used up: {why}", waiting)
        return dataclasses.replace(ended, wait_s=wait_s)

    def end(
        self,
        outcome: Outcome,
        *,
        why: Sequence[str] = (),
        left: Sequence[Unresolved] = (),
        called: bool = False,
    ) -> Ended:
        """Return the outcome of the cycle, and do nothing else."""
        analysis, pushed = self._analysis, self._pushed
        settles = outcome is Outcome.ESCALATED and isinstance(self._parts.connection, TellsLabelChanges)
        if analysis is not None:
            analysis = self._answered.with_outcomes(analysis, self.waiting())
            analysis = analysis.blocked() if outcome is Outcome.WAITING else analysis
        return Ended(
            outcome=outcome,
            request=self._request,
            why=tuple(why),
            analysis=analysis,
            commit=pushed,
            undone=tuple(self._unfinished),
            cycles=max(self._answered.cycles, pushed.cycle if pushed is not None else 0),
            opinions=self._parts.policy.opinions(self._feedback),
            left=tuple(left),
            called=called,
            label=self._label if settles else "",
            nothing_waits=bool(self._answered.handed_over or self._answered.by_people) and not left,
        )

    @property
    def name(self) -> str:
        """The pull request, as ``owner/name#5``."""
        return f"{self._parts.connection.location.path}#{self._request.number}"

    @property
    def _label(self) -> str:
        """The label of what needs a person, or empty: where the forge has none, too."""
        return self._parts.settings.label if isinstance(self._parts.connection, Labels) else ""

    def _call(self, why: Sequence[str], new: Sequence[Unresolved], before: Sequence[Unresolved]) -> None:
        """Call a person.

        Raises:
            ForgeError: If the comment cannot be written.
        """
        new = [entry._replace(why=without_git_output(entry.why)) for entry in new]
        why = [without_git_output(sentence) for sentence in why]
        left = [*new, *before]
        entries = history(self._analysis, self._answered, left) if self._analysis is not None else []
        resets = self._parts.journal.resets
        about = [f"reset {resets}", *([entry.judged.item.key for entry in new] or why)]
        # The notice first: it is kept once, and what the forge is told makes this one the last look at these.
        title, about_it = f"{self.name} needs a person", [*why, *listed(left)]
        author = self._request.author
        owner = [author.login] if author is not None and author.id is not None and not author.is_bot else []
        notice = self._notice(NoticeEvent.ESCALATED, Message(title, about_it, about), mention=owner)
        self._parts.journal.tell(msgspec.structs.replace(notice, history=tuple(entries)))
        mark = call_of(resets, self._answered.cycles, [entry.judged.item.key for entry in new])
        self._comment(mark, why, left, entries)

    def _comment(
        self, mark: str, why: Sequence[str], left: Sequence[Unresolved], entries: Sequence[HistoryEntry]
    ) -> None:
        """Say on the forge that a person is needed.

        Raises:
            ForgeError: If the comment cannot be written, or the label cannot be set for now: then nothing says that
                these are handed over.
        """
        connection, request, answered = self._parts.connection, self._request, self._answered
        label, note = self._label, self._parts.journal.note
        mine = False
        if label and isinstance(connection, Labels):
            _take_down(connection, request, answered, note)
            try:
                connection.add_label(request.number, label)
                ours = (label_in(item.body) or "" for item in answered.labelled)
                mine = is_there(label, ours) or not is_there(label, request.labels)
            except (RefusedError, NotFoundError) as error:  # all else is tried again by the next cycle
                note(f"the label {label} was not put there: {error.message}")
                label = ""
        if not isinstance(connection, Comments):
            note("this forge takes no comments from us")
            return
        inert = texts.inert
        comment = texts.Escalation(
            why=why,
            left=left,
            history=[f"{inert(entry.who)}: {inert(entry.what)} — {inert(entry.outcome)}" for entry in entries],
            label=label,
            ours=mine,
            settles=isinstance(connection, TellsLabelChanges),
            kept=answered.handed_over,
            by_people=sorted(answered.by_people),
        )
        try:
            connection.comment(request.number, mark, comment.text())
        except (RefusedError, NotFoundError) as error:  # of what is locked, say: people are told by other ways
            note(f"the comment that calls a person was refused: {error.message}")

    def notify_here(self, why: str, about: Sequence[str]) -> None:
        """Notify of a problem on this machine, now or lasting: by people's own channels, and never on the forge."""
        title = f"{self.name}: feedback waits, because nothing can be done on this machine now"
        notice = self._notice(NoticeEvent.ESCALATED, Message(title, [without_git_output(why)], ["here", *about]))
        self._parts.journal.tell(msgspec.structs.replace(notice, number=None))  # so it is none for a pull request

    def notify_fixed(self, commit: str, reviewers: Sequence[str]) -> None:
        """Notify that a fix was pushed."""
        title = "feedback is answered with a fix"
        self._parts.journal.tell(self._notice(NoticeEvent.FIXED, Message(title, (), [commit]), mention=reviewers))

    def ready(self, commit: str, reviewers: Sequence[str]) -> None:
        """Notify that people can take over again: nothing that they asked for is open."""
        title = ready_title(self._parts.connection.location.path, self._request)
        about = [self._request.title]
        self._parts.journal.tell(self._notice(NoticeEvent.READY, Message(title, about, [commit]), mention=reviewers))

    def _notice(self, event: NoticeEvent, message: Message, *, mention: Sequence[str] = ()) -> Notice:
        location = self._parts.connection.location
        place, now = f"{location.host}/{location.path}", self._parts.journal.now()
        return notice(event, self._request, place, message, mention=mention, at=now)
