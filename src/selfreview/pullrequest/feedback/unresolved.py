"""Feedback that is left to a person, each piece with its reason, and its texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from selfreview.model.cycle import Judged
from selfreview.model.feedback import FeedbackItem
from selfreview.model.wire import display_path
from selfreview.pullrequest.feedback.markdown import blocks, visible
from selfreview.secrets.scanner import mask_secrets
from selfreview.text.layout import listing

_UNFIXED = "not fixed: "
_MAX_EXCERPT = 100
_MAX_CODE = 40
_MAX_PLACES = 3


class Unresolved(NamedTuple):
    """One piece of feedback that is left to a person.

    Attributes:
        judged: The feedback, with what was decided about it.
        why: Why, as a sentence.
    """

    judged: Judged
    why: str

    @property
    def outcome(self) -> str:
        """Outcome, as a history reports it."""
        return self.why if self.why.startswith(_UNFIXED) else f"left to a person: {self.why}"

    def is_because(self, why: str) -> bool:
        """Return whether this is its reason."""
        return self.why in (why, f"{_UNFIXED}{why}")


def unfixed(judged: Judged, why: str) -> Unresolved:
    """Return feedback that was tried and not fixed, with the reason."""
    return Unresolved(judged, f"{_UNFIXED}{why}")


def grouped(left: Iterable[Unresolved]) -> dict[str, list[FeedbackItem]]:
    """Return the feedback left to a person, grouped by reason, in order."""
    found: dict[str, list[FeedbackItem]] = {}
    for entry in left:
        found.setdefault(entry.why, []).append(entry.judged.item)
    return found


def sentences(left: Iterable[Unresolved]) -> list[str]:
    """Return the reasons, one sentence each, with the places that each is about."""
    found = []
    for why, items in grouped(left).items():
        places = (f"{where(item)} ({who(item)})" for item in items)
        found.append(f"{why}: {listing(places, _MAX_PLACES)}")
    return found


def listed(left: Iterable[Unresolved]) -> list[str]:
    """Return the reasons, each followed by its feedback, one line each, as plain text."""
    found = []
    for why, items in grouped(left).items():
        found.append(f"{mask_secrets(why)}:")
        found += [f"- {where(item)} {who(item)}: {excerpt(item.body)} {item.url}".rstrip() for item in items]
    return found


def who(item: FeedbackItem) -> str:
    """Return the name of a comment's author; a deleted account has none."""
    return item.author.login if item.author is not None else "ghost"


def where(item: FeedbackItem) -> str:
    """Return the place of a comment: ``app.py:10``, or the kind of comment."""
    if item.spot is None:
        return f"a {item.kind}"
    line = item.spot.line if item.spot.line is not None else item.spot.original_line
    return f"{display_path(item.spot.path)}{f':{line}' if line is not None else ''}"


def excerpt(body: str, limit: int = _MAX_EXCERPT) -> str:
    """Return the beginning of a comment, as one line without secrets; code is only named, or shown in short."""
    text = visible(body)
    lines, parts, at = text.split("\n"), [], 0
    for block in blocks(text):
        parts.append(" ".join(lines[at : block.start]))
        parts.append(_named(block.language, block.lines))
        at = block.end
    parts.append(" ".join(lines[at:]))
    line = mask_secrets(" ".join(" ".join(parts).split()))  # before it is cut: half of one is not known
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _named(language: str, lines: Sequence[str]) -> str:
    code = [line.strip() for line in lines if line.strip()]
    if language != "suggestion":
        return "[code]"
    if not code:
        return "[suggests to delete this]"
    short = len(code) == 1 and len(code[0]) <= _MAX_CODE
    return f"[suggests {code[0]}]" if short else f"[suggests {len(lines)} line{'s' if len(lines) != 1 else ''}]"
