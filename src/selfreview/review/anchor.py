"""Anchoring of findings: on which line each one is, and whether the change caused it.

A model's drafts, which quote code and guess at numbers, are placed before that: ``llm/answers/draft_places.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from selfreview.api.context import SourceText
from selfreview.model.change import Change, ChangedFile, FileStatus, overlaps
from selfreview.model.issue import Finding, IssueStatus, Side
from selfreview.text.masking import MASK

TextOf = Callable[[ChangedFile, Side], SourceText | None]


class Anchored(NamedTuple):
    """A finding with its final place.

    Attributes:
        finding: With line numbers that exist.
        line_start, line_end: Where it stands; 0 for the file as a whole.
        status: ``OUT_OF_SCOPE``, else as the reviewer says.
        reason: Why it is out of scope or does not count, or that it was moved.
        evidence: The first line that it stands on, or what the reviewer quoted.
    """

    finding: Finding
    line_start: int
    line_end: int
    status: IssueStatus
    reason: str | None
    evidence: str | None


def anchor(finding: Finding, change_files: dict[str, ChangedFile], text_of: TextOf) -> Anchored:
    """Anchor a finding.

    A quoted line (``evidence``) that does not stand at the number given is looked for, nearest first, on the side that
    the finding names. What touches no changed line, and names none as related, is out of scope.
    """
    if finding.commit is not None:  # it is of no file that is there now
        return Anchored(finding, 0, 0, finding.status, finding.status_reason, finding.evidence)
    file = change_files.get(finding.file)
    if file is None:
        return _out(finding, "the change does not touch this file")
    if finding.line_start <= 0:
        if finding.side is Side.NEW and file.status is FileStatus.DELETED:
            return _out(finding, "the change deletes this file")
        return Anchored(finding, 0, 0, finding.status, finding.status_reason, finding.evidence)
    text = text_of(file, finding.side)
    if text is None:
        return _out(finding, f"there is no {finding.side} side of this file")
    first, last, moved = _place(finding, text)
    if first == 0:
        return _out(finding, f"line {finding.line_start} does not exist, and the quoted code is nowhere in the file")
    ranges = file.removed if finding.side is Side.OLD else file.added
    evidence = finding.evidence if finding.evidence is not None else text.line(first)
    reason = f"moved from line {finding.line_start} to its quoted code" if moved else None
    if overlaps(ranges, first, last) or _related_to_change(finding, change_files):
        return Anchored(finding, first, last, finding.status, finding.status_reason or reason, evidence)
    return Anchored(finding, first, last, IssueStatus.OUT_OF_SCOPE, "on no line that the change touches", evidence)


def by_path(change: Change) -> dict[str, ChangedFile]:
    """Index a change's reviewable and excluded files by path, on the old side too where it was renamed.

    Of a copy the old side is another file; it has no old object where a gate takes a rename for one.
    """
    moved = (FileStatus.RENAMED, FileStatus.COPIED)
    files = {
        file.path_at_base: file
        for file in change.files
        if file.status in moved and (file.status is FileStatus.RENAMED or file.old_oid is None)
    }
    files.update((file.path, file) for file in change.files)
    return files


def _place(finding: Finding, text: SourceText) -> tuple[int, int, bool]:
    """Return the first and last line, and whether the quote moved them; 0 where there is no such place."""
    first = finding.line_start
    length = max(finding.line_end - first, 0)
    exists = first <= len(text.lines)
    # What a mask hides could stand anywhere, so a masked quote moves nothing.
    quote = _squeeze(finding.evidence) if finding.evidence and MASK not in finding.evidence else ""
    if quote:
        if exists and any(quote in _squeeze(line) for line in text.lines[first - 1 : first + length]):
            return first, min(first + length, len(text.lines)), False
        found = [number for number, line in enumerate(text.lines, 1) if _squeeze(line) == quote]
        if not found:
            found = [number for number, line in enumerate(text.lines, 1) if quote in _squeeze(line)]
        if found:
            nearest = min(found, key=lambda number: abs(number - first))
            return nearest, min(nearest + length, len(text.lines)), nearest != first
    if exists:
        return first, min(first + length, len(text.lines)), False
    return (
        (len(text.lines), len(text.lines), True)
        if not quote and first == len(text.lines) + 1 and first > 1
        else (0, 0, False)
    )


def _squeeze(line: str) -> str:
    return "".join(line.split())


def _related_to_change(finding: Finding, files: dict[str, ChangedFile]) -> bool:
    for place in finding.related:
        file = files.get(place.file)
        if file is not None:
            ranges = file.removed if place.side is Side.OLD else file.added
            if overlaps(ranges, place.line_start, place.line_end):
                return True
    return False


def _out(finding: Finding, reason: str) -> Anchored:
    last = max(finding.line_end, finding.line_start)
    return Anchored(finding, finding.line_start, last, IssueStatus.OUT_OF_SCOPE, reason, finding.evidence)
