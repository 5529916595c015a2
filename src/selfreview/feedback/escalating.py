"""Calling a person: one comment, one label, one notice, whatever happens in between."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from selfreview.api import Comments, Connection, HistoryEntry, Judged, Labels, Notice, NoticeEvent
from selfreview.errors import NotFoundError, RefusedError
from selfreview.feedback import texts
from selfreview.feedback.marks import ESCALATED, whole_key
from selfreview.feedback.standing import Standing
from selfreview.feedback.visible import visible
from selfreview.model.cycle import Analysis, Meaning
from selfreview.model.feedback import ChangeRequest
from selfreview.scan.redact import mask_secrets

_MOST_TOLD = 200
"""Characters of one piece of feedback in a history."""


def history(analysis: Analysis, standing: Standing) -> list[HistoryEntry]:
    """Return all that people who are listened to said, and what came of it."""
    by_key = {key: commit for commit in standing.commits for key in commit.keys}
    parts = {whole_key(key): commit for key, commit in by_key.items() if whole_key(key) != key}
    entries = []
    for judged in analysis.judged:
        item = judged.item
        if judged.meaning in (Meaning.OWN, Meaning.IGNORED, Meaning.UNTRUSTED) or not visible(item.body):
            continue
        commit = by_key.get(item.key) or parts.get(item.key)
        outcome = _OUTCOMES.get(judged.meaning, judged.why)
        if commit is not None:
            outcome = f"{'' if item.key in by_key else 'partly '}fixed in {commit.sha[:12]}"
        said = mask_secrets(" ".join(visible(item.body).split()))  # before it is cut: half of one is not known
        entries.append(
            HistoryEntry(
                who=item.author.login if item.author is not None else "ghost",
                what=said if len(said) <= _MOST_TOLD else f"{said[: _MOST_TOLD - 1]}…",
                outcome=outcome,
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
    Meaning.RESOLVED: "settled by people",
    Meaning.HANDLED: "answered",
}


def escalate(
    connection: Connection,
    request: ChangeRequest,
    standing: Standing,
    *,
    why: Sequence[str],
    left: Sequence[Judged],
    told: Sequence[HistoryEntry],
    label: str,
    note: Callable[[str], None],
    waits: bool = False,
) -> None:
    """Say on the forge that a person is needed.

    Args:
        connection: The forge.
        request: The pull request.
        standing: What was done already.
        why: The reasons.
        left: The feedback that is left to a person; it is not looked at again.
        told: What was said, and what came of it.
        label: The label to put there, or empty.
        note: Told what could not be done.
        waits: Whether that feedback only waits for a person, and is answered after that.

    Raises:
        ForgeError: If the comment cannot be written, or the label cannot be set for now: then nothing says that these
            are handed over.
    """
    if label and isinstance(connection, Labels):
        try:
            connection.add_label(request.number, label)
        except (RefusedError, NotFoundError) as error:  # all else is tried again by the next cycle
            note(f"the label {label} was not put there: {error.message}")
            label = ""
    if isinstance(connection, Comments):
        mine = [one.item.key for one in left]
        keys = dict.fromkeys((*sorted(standing.handed_over), *([] if waits else mine)))
        waiting = dict.fromkeys((*sorted(standing.waiting), *mine)) if waits else ()
        lines = [
            f"{texts.inert(entry.who)}: {texts.inert(entry.what)} — {texts.inert(entry.outcome)}" for entry in told
        ]
        body = texts.escalation(why=why, history=lines, keys=keys, label=label, waits=waiting)
        connection.comment(request.number, ESCALATED, body)
    else:
        note("this forge takes no comments from us")


def ready_title(path: str, request: ChangeRequest) -> str:
    """Return the title of a notice that people can take over; ``path`` is ``owner/name``."""
    return f"{path}#{request.number} is ready for people to review"


def notice(
    event: NoticeEvent,
    request: ChangeRequest,
    repository: str,
    *,
    title: str,
    why: Sequence[str],
    about: Sequence[str],
    told: Sequence[HistoryEntry] = (),
    mention: Sequence[str] = (),
    at: str,
) -> Notice:
    """Return what people are told; the same for the same things, so that it is sent once.

    Args:
        event: What it is about.
        request: The pull request.
        repository: ``host/owner/name``.
        title: One line.
        why: More lines.
        about: What makes it this notice and no other: keys of feedback, or a commit.
        told: What was said, and what came of it.
        mention: Logins of people whom it concerns.
        at: The time.
    """
    digest = hashlib.sha256("\n".join(sorted(about)).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return Notice(
        key=f"{event}:{repository}#{request.number}:{digest}",
        event=event,
        title=title,
        text="\n".join(why),
        repository=repository.partition("/")[2],
        branch=request.head,
        number=request.number,
        url=request.url,
        mention=tuple(dict.fromkeys(mention)),
        history=tuple(told),
        at=at,
    )
