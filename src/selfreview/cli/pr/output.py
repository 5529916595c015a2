"""Output of a fix cycle, and of feedback, for people and machines."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from selfreview.api import Analysis, Judged, Meaning
from selfreview.errors import BusyError
from selfreview.pullrequest.feedback.classify import IN_PLACE, REPLY
from selfreview.pullrequest.feedback.marks import block_key
from selfreview.pullrequest.feedback.unresolved import excerpt, listed, sentences, where, who
from selfreview.pullrequest.ports import Ended, Outcome
from selfreview.pullrequest.texts import analysis_without_secrets
from selfreview.secrets.scanner import mask_secrets
from selfreview.text.escape import visible as printable

_WORDS = {
    Outcome.NOTHING: "nothing to do",
    Outcome.FIXED: "fixed and pushed",
    Outcome.ANSWERED: "answered",
    Outcome.ESCALATED: "a person is needed",
    Outcome.WAITING: "waiting",
    Outcome.PAUSED: "paused",
    Outcome.ENDED: "over",
}


def lines_of(ended: Ended) -> Iterator[str]:
    """Yield the outcome of a cycle, for a terminal."""
    request = ended.request
    yield printable(f"#{request.number} {request.title}: {_WORDS[ended.outcome]}")
    if ended.commit is not None:
        yield f"  pushed {ended.commit.sha[:12]} to {printable(request.head)}, fix cycle {ended.commit.cycle}"
    grouped = set(sentences(ended.left))
    if ended.undone and ended.outcome is not Outcome.WAITING:  # there the reason says it
        yield f"  not done yet: {printable(', '.join(ended.undone))}; the next pr fix tries it again"
    for why in ended.why:
        if why not in grouped:
            yield f"  {printable(mask_secrets(' '.join(why.split())))}"
    for line in listed(ended.left):
        yield f"  {'  ' if line.startswith('- ') else ''}{printable(' '.join(line.split()))}"
    if ended.outcome is Outcome.ESCALATED:
        threads = any(entry.judged.item.thread for entry in ended.left)
        then = " or ".join(["resolve the threads"] * threads + ["remove the label"] * bool(ended.label))
        yield (
            f"  next: answer it{', then ' if then else ''}{then}; or run selfreview reset on the branch, which tries "
            "again and allows more fix cycles"
        )
    for text in ended.not_shown:
        yield f"  {printable(text)}"
    if ended.analysis is not None:
        done = set(ended.commit.keys) if ended.commit is not None else set()
        yield from lines_of_analysis(ended.analysis, done=done, besides={entry.judged.item.key for entry in ended.left})


def lines_of_analysis(
    analysis: Analysis, *, every: bool = False, done: Collection[str] | None = None, besides: Collection[str] = ()
) -> Iterator[str]:
    """Yield the meaning of feedback, one line each.

    Args:
        analysis: The judged feedback.
        every: Whether also what is settled, ours, or of nobody who is listened to.
        done: Keys of what was fixed by now; None where nothing was done about any of it.
        besides: Keys of what is told already.
    """
    open_ = {piece.item.thread for piece in analysis.judged if piece.meaning.is_open and piece.item.thread is not None}
    for piece in analysis.judged:
        shown = every or piece.meaning.is_open or (piece.why == REPLY and piece.item.thread in open_)
        if shown and piece.item.key not in besides:
            yield f"  {printable(_line(piece, done))}"


def _line(piece: Judged, done: Collection[str] | None) -> str:
    item = piece.item
    word = "reply" if piece.why == REPLY else piece.meaning.replace("_", " ")
    if done is not None:
        word = "answered" if piece.meaning is Meaning.QUESTION or piece.why == IN_PLACE else word
        word = "partly fixed" if block_key(item.key) in done else word
        word = "fixed" if item.key in done else word
    place = f" {where(item)}" if item.spot is not None else ""
    why = f" ({piece.why})" if piece.why else ""
    return f"{word}: {who(item)}{place}: {excerpt(item.body)}{mask_secrets(why)}"


def busy_json(error: BusyError) -> dict[str, Any]:
    """Return the forge's rate limit as JSON: no request should be made for ``wait`` seconds.

    Of the pull request nothing is known then: what :func:`as_json` says of it is None.
    """
    unknown = ("notShown", "left", "request", "cycles", "commit", "cycle", "undone", "analysis")
    return {
        "outcome": Outcome.WAITING.value,
        "why": [mask_secrets(error.message)],
        "hint": error.hint and mask_secrets(error.hint),
        "wait": error.wait_s,
        "busy": True,
        **dict.fromkeys(unknown),
    }


def as_json(ended: Ended) -> dict[str, Any]:
    """Return the outcome of a cycle as JSON."""
    return {
        "outcome": ended.outcome.value,
        "why": [mask_secrets(why) for why in ended.why],
        "hint": None,
        "busy": ended.busy,
        "notShown": list(ended.not_shown),
        "left": [
            {"id": entry.judged.item.id, "url": entry.judged.item.url, "why": mask_secrets(entry.why)}
            for entry in ended.left
        ],
        "wait": ended.wait_s,
        "request": ended.request,
        "cycles": ended.cycles,
        "commit": ended.commit.sha if ended.commit is not None else None,
        "cycle": ended.commit.cycle if ended.commit is not None else None,
        "undone": [mask_secrets(what) for what in ended.undone],
        "analysis": analysis_without_secrets(ended.analysis) if ended.analysis is not None else None,
    }
