"""Feedback as issues, and as Markdown, so that fixers, the guard and the loop take it as what they know."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from selfreview.api import Edit, FixAnswer, FixOutcome, Issue, ItemKind, Judged, Meaning, Severity, Side
from selfreview.api.context import SourceText
from selfreview.llm.fixing.prompt import FEEDBACK
from selfreview.model.issue import Category
from selfreview.model.wire import display_path
from selfreview.pullrequest.feedback.markdown import visible
from selfreview.pullrequest.feedback.marks import block_key
from selfreview.pullrequest.feedback.prompt import cut
from selfreview.pullrequest.feedback.suggestions import (
    Put,
    Suggestion,
    block_of,
    from_hunk,
    in_place,
    meant,
    overlapping,
    place,
    split,
)
from selfreview.pullrequest.feedback.unresolved import who
from selfreview.review.fingerprint import fingerprint_of, id_of
from selfreview.secrets.scanner import mask_secrets

REVIEWER = FEEDBACK
"""Name of the reviewer under which feedback stands among issues; also the fixer that makes suggested edits."""

APPLIED = "(its suggestion block is applied already)"
"""Note to the fixer of the rest of a comment that this part is done."""

Read = Callable[[str | None, str], bytes | None]
"""Returns a file of a commit, or of what is checked out where that is None; None where there is no such file."""
_MAX_SHOWN = 4_000


def as_issues(work: Sequence[Judged], read: Read, renames: dict[str, str]) -> list[Issue]:
    """Return feedback as issues, in the same order; a comment with a suggestion and more to do becomes two."""
    places = {piece.item.id: found for piece in work if (found := _placed(piece, read, renames)) is not None}
    clashing = overlapping(places)
    issues = []
    for piece in work:
        edits: tuple[Edit, ...] = ()
        start = end = 0
        path = _path(piece, renames)
        data = read(None, path) if path else None
        if piece.suggests and in_place_already(piece, read, renames) is not None:
            done = msgspec.structs.replace(piece, description=f"{piece.description} {APPLIED}")
            issues.append(_issue(_Part(done, piece.item.key, ()), path, (0, 0), data))
            continue
        if piece.item.id in places and piece.item.id not in clashing:
            where = places[piece.item.id][1]
            text = b"".join(where.lines).decode("utf-8", "surrogateescape")
            start, end = where.start + 1, where.start + where.length
            edits = (Edit(line_start=start, column_start=0, line_end=end + 1, column_end=0, replacement=text),)
        elif data is not None:
            start, end = _lines(piece, data)
        issues += [_issue(part, path, (start, end), data) for part in _parts(piece, edits)]
    return issues


class _Part(NamedTuple):
    """Part of a piece of feedback that becomes one issue.

    Attributes:
        judged: The piece of feedback, as far as it is meant.
        key: Its key, or that of its suggestion block.
        edits: Those of its suggestion.
        beside: Whether it is what is asked for beside a suggestion that is applied.
    """

    judged: Judged
    key: str
    edits: tuple[Edit, ...]
    beside: bool = False


def _parts(piece: Judged, edits: tuple[Edit, ...]) -> list[_Part]:
    """Return a piece of feedback as the parts that are fixed by different means."""
    key, block = piece.item.key, block_key(piece.item.key)
    if piece.meaning is Meaning.SUGGESTION:
        return [_Part(piece, block if piece.words_left else key, edits)]
    if not edits:
        return [_Part(piece, key, ())]
    rest = msgspec.structs.replace(piece, description=f"{piece.description} {APPLIED}")
    return [_Part(piece, block, edits), _Part(rest, key, (), beside=True)]


def _placed(piece: Judged, read: Read, renames: dict[str, str]) -> tuple[str, Put] | None:
    """Return in which file and where a suggestion belongs, or None where that is not certain."""
    suggestion = _suggestion(piece, read, renames) if piece.meaning is Meaning.SUGGESTION or piece.suggests else None
    data = read(None, suggestion.path) if suggestion is not None else None
    if (
        suggestion is None
        or data is None
        or (not _is_utf8(data) and any(not line.isascii() for line in suggestion.new))
    ):
        return None
    where = place(suggestion, data)
    return (suggestion.path, where) if where is not None else None


def in_place_already(piece: Judged, read: Read, renames: dict[str, str]) -> tuple[str, int, int] | None:
    """Return in which file and lines a suggestion stands already, or None where it does not."""
    suggestion = _suggestion(piece, read, renames, first_seen=True)
    data = read(None, suggestion.path) if suggestion is not None else None
    if suggestion is None or data is None:
        return None
    lines = in_place(suggestion, data)
    return (suggestion.path, *lines) if lines is not None else None


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def key_of(issue: Issue) -> str:
    """Return the key of the feedback, or of the suggestion block in it, that an issue stands for."""
    return issue.rule or ""


def answered(issue: Issue, outcome: FixOutcome, why: str) -> FixAnswer:
    """Return a fixer's word on an issue."""
    return FixAnswer(issue=issue.id, outcome=outcome, why=why)


def _path(piece: Judged, renames: dict[str, str]) -> str:
    spot = piece.item.spot
    return renames.get(spot.path, spot.path) if spot is not None else ""


def _suggestion(piece: Judged, read: Read, renames: dict[str, str], *, first_seen: bool = False) -> Suggestion | None:
    """Return a comment's suggestion with the lines that it was made for, or None where these cannot be known."""
    spot, block = piece.item.spot, block_of(piece.item)
    there = meant(spot, first_seen=first_seen) if spot is not None else None
    if spot is None or block is None or there is None:
        return None
    first, last, commit = there
    data = read(commit, spot.path)
    before = tuple(_bare(line) for line in split(data)) if data is not None else None
    old = before[first - 1 : last] if before is not None else None
    if old is None or len(old) != last - first + 1:
        old, before = from_hunk(spot.hunk, last - first + 1), None
    if old is None:
        return None
    new = tuple(line.encode("utf-8", "surrogateescape") for line in block)
    return Suggestion(piece.item.id, _path(piece, renames), old, new, first, before)


def _lines(piece: Judged, data: bytes) -> tuple[int, int]:
    """Return the lines of today's file that a comment is about; 0 where that cannot be known: none is guessed."""
    spot = piece.item.spot
    if spot is None or spot.old_side or spot.line is None:
        return 0, 0
    count = len(split(data))
    first = spot.start_line if spot.start_line is not None else spot.line
    return (first, spot.line) if 0 < first <= spot.line <= count else (0, 0)


def _issue(part: _Part, path: str, lines_of: tuple[int, int], data: bytes | None) -> Issue:
    if part.beside:
        lines_of = (0, 0)  # the suggestion takes the line away that it stood on
    fingerprint = fingerprint_of(part.key)
    (start, end), evidence = lines_of, None
    if start and data is not None:
        lines = SourceText.from_bytes(data).lines
        evidence = lines[start - 1] if start <= len(lines) else None
    return Issue(
        id=id_of(fingerprint),
        severity=max(part.judged.severity, Severity.HIGH, key=lambda severity: severity.rank),
        category=Category.LOGIC,
        file=path,
        line_start=start,
        line_end=end,
        side=Side.NEW,
        description=_description(part.judged),
        reviewer=REVIEWER,
        fingerprint=fingerprint,
        rule=part.key,
        evidence=evidence,
        edits=list(part.edits),
    )


def _description(piece: Judged) -> str:
    item = piece.item
    parts = [piece.description] if piece.description else []
    if item.spot is not None and item.spot.outdated:
        parts.append("The lines that the comment stood on are not there any more; this is what they were:")
        parts.append(cut(item.spot.hunk, _MAX_SHOWN))
    elif item.spot is not None and item.spot.old_side:
        parts.append(f"The comment stands on a line that the change removes:\n{cut(item.spot.hunk, _MAX_SHOWN)}")
    parts.append(f"{who(item)} wrote:\n{cut(visible(item.body), _MAX_SHOWN)}")
    return mask_secrets("\n".join(parts))  # it is kept with the patch


def _bare(line: bytes) -> bytes:
    return line.removesuffix(b"\n").removesuffix(b"\r")


_MAX_FEEDBACK = 60_000
"""Maximum characters of all feedback together; the rest is cut, the last comments first."""


def material(work: Sequence[Judged]) -> str:
    """Return feedback as Markdown: the reviews' own words, then the comments on files."""
    reviews = [piece for piece in work if piece.item.kind is not ItemKind.INLINE]
    inline = [piece for piece in work if piece.item.kind is ItemKind.INLINE]
    parts = []
    if reviews:
        parts.append("## Review Summary")
        parts += [_said(piece) for piece in reviews]
    if inline:
        parts.append("## File-Level Comments")
        parts += [f"### {_where(piece)}\n{_said(piece)}" for piece in inline]
    return mask_secrets(cut("\n\n".join(parts), _MAX_FEEDBACK))


def _where(piece: Judged) -> str:
    spot = piece.item.spot
    if spot is None:
        return "the pull request as a whole"
    path = display_path(spot.path)
    return path if spot.line is None else f"{path}:{spot.line}"


def _said(piece: Judged) -> str:
    item = piece.item
    opinion = f", {item.opinion.replace('_', ' ')}" if item.opinion is not None else ""
    head = " ".join(part for part in (f"{who(item)}{opinion}", item.created, item.url) if part)
    quoted = "\n".join(f"> {line}" for line in cut(visible(item.body), 8_000).split("\n"))
    return f"{head}\n{quoted}"
