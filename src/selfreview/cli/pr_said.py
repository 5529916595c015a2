"""What a person reads of a fix cycle, and of feedback."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from selfreview.api import Analysis, Judged, Meaning
from selfreview.errors import BusyError
from selfreview.feedback.classify import REPLY
from selfreview.feedback.marks import block_key
from selfreview.feedback.redacted import analysis_without_secrets
from selfreview.feedback.seams import Ended, Outcome
from selfreview.feedback.visible import visible
from selfreview.model.wire import display_path
from selfreview.scan.redact import mask_secrets
from selfreview.text.escape import visible as printable

_WORDS = {
    Outcome.NOTHING: "nothing to do",
    Outcome.FIXED: "fixed and pushed",
    Outcome.ANSWERED: "questions answered",
    Outcome.ESCALATED: "a person is needed",
    Outcome.WAITING: "waiting",
    Outcome.PAUSED: "paused",
    Outcome.ENDED: "over",
}
_MOST = 100


def lines_of(ended: Ended) -> Iterator[str]:
    """Yield what a cycle came to, for a terminal."""
    request = ended.request
    yield printable(f"#{request.number} {request.title}: {_WORDS[ended.outcome]}")
    if ended.commit is not None:
        yield f"  pushed {ended.commit.sha[:12]} to {printable(request.head)}, fix cycle {ended.commit.cycle}"
    for why in ended.why:
        yield f"  {printable(mask_secrets(' '.join(why.split())))}"
    for text in ended.not_shown:
        yield f"  {printable(text)}"
    if ended.analysis is not None:
        done = set(ended.commit.keys) if ended.commit is not None else set()
        yield from told(ended.analysis, done=done)


def told(analysis: Analysis, *, every: bool = False, done: Collection[str] | None = None) -> Iterator[str]:
    """Yield what feedback was taken to mean, one line each.

    Args:
        analysis: It.
        every: Whether also what is settled, ours, or of nobody who is listened to.
        done: Keys of what was fixed by now; None where nothing was done about any of it.
    """
    open_ = {one.item.thread for one in analysis.judged if one.meaning.is_open and one.item.thread is not None}
    for one in analysis.judged:
        if every or one.meaning.is_open or (one.why == REPLY and one.item.thread in open_):
            yield f"  {printable(_line(one, done))}"


def _line(one: Judged, done: Collection[str] | None) -> str:
    item = one.item
    word = "reply" if one.why == REPLY else one.meaning.replace("_", " ")
    if done is not None:
        word = "answered" if one.meaning is Meaning.QUESTION else word
        word = "partly fixed" if block_key(item.key) in done else word
        word = "fixed" if item.key in done else word
    who = item.author.login if item.author is not None else "ghost"
    where = ""
    if item.spot is not None:
        where = f" {display_path(item.spot.path)}{f':{item.spot.line}' if item.spot.line is not None else ''}"
    said = mask_secrets(" ".join(visible(item.body).split()))  # before it is cut: half of one is not known
    said = said if len(said) <= _MOST else f"{said[: _MOST - 1]}…"
    why = f" ({one.why})" if one.why else ""
    return f"{word}: {who}{where}: {said}{mask_secrets(why)}"


def busy_json(error: BusyError) -> dict[str, Any]:
    """Return that the forge wants to be left alone, for a machine: nobody is to ask it for ``wait`` seconds."""
    return {"outcome": Outcome.WAITING.value, "why": [error.message], "wait": error.wait_s, "busy": True}


def as_json(ended: Ended) -> dict[str, Any]:
    """Return what a cycle came to, for a machine."""
    return {
        "outcome": ended.outcome.value,
        "why": [mask_secrets(why) for why in ended.why],
        "notShown": list(ended.not_shown),
        "again": ended.again,
        "wait": ended.wait_s,
        "request": ended.request,
        "cycles": ended.cycles,
        "commit": ended.commit.sha if ended.commit is not None else None,
        "cycle": ended.commit.cycle if ended.commit is not None else None,
        "analysis": analysis_without_secrets(ended.analysis) if ended.analysis is not None else None,
    }
