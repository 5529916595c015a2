"""Evidence of findings: the content of a whole file, and the changed line that causes a finding elsewhere."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

import msgspec

from selfreview.api import ChangedFile, Finding, Place, Side
from selfreview.model.change import HunkSpan, overlaps


def state_of(content: bytes | str) -> str:
    """Return the evidence of a finding on all of a file's content: an acceptance of it covers no other content."""
    data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape")
    return f"content {hashlib.sha256(data).hexdigest()}"


_NOTES = {Side.NEW: "this line triggers it", Side.OLD: "removing this line triggers it"}


def kept_lines(spans: Sequence[HunkSpan], lines: int) -> Iterator[tuple[int, int, int]]:
    """Yield runs of lines that a change leaves: the first of each side, from 1, and how many.

    Args:
        spans: The lines that the change touches.
        lines: How many lines the old side has.
    """
    at, now = 1, 1
    for span in spans:
        # With a count of 0, git names the line before the place.
        first = span.old_start + (not span.old_count)
        yield at, now, first - at
        at, now = first + span.old_count, span.new_start + (not span.new_count) + span.new_count
    yield at, now, lines - at + 1


def is_on_change(finding: Finding, file: ChangedFile) -> bool:
    """Return whether a finding of a file is on a line that the change touches."""
    ranges = file.removed if finding.side is Side.OLD else file.added
    return overlaps(ranges, finding.line_start, max(finding.line_start, finding.line_end))


def tied(finding: Finding, file: ChangedFile) -> Finding:
    """Return a finding that the change causes, with the nearest changed line where it is on none."""
    if is_on_change(finding, file) or not file.spans:
        return finding
    span = min(file.spans, key=lambda span: _distance(span, finding))
    return msgspec.structs.replace(finding, related=(*finding.related, trigger_of(file, span)))


def trigger(file: ChangedFile, line: int, side: Side) -> Place:
    """Return a changed line as the one that causes a finding elsewhere."""
    return Place(file=file.path, line_start=line, line_end=line, side=side, note=_NOTES[side])


def trigger_of(file: ChangedFile, span: HunkSpan) -> Place:
    """Return the first line of a span as the one that causes a finding elsewhere; of a removal, the removed one."""
    return trigger(file, span.new_start, Side.NEW) if span.new_count else trigger(file, span.old_start, Side.OLD)


def _distance(span: HunkSpan, finding: Finding) -> int:
    """Return how far a span is from where a finding begins; one without lines on its side is between two lines."""
    if finding.side is Side.NEW:
        start, count = span.new_start, span.new_count
    else:
        start, count = span.old_start, span.old_count
    line = finding.line_start
    return min(abs(start - line), abs(start + max(count - 1, 0) - line), abs(start + (not count) - line))
