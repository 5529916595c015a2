"""Tie a finding that stands on no changed line to the change that makes it."""

from __future__ import annotations

import msgspec

from selfreview.api import ChangedFile, Finding, Place, Side
from selfreview.model.change import HunkSpan, overlaps

_NOTES = {Side.NEW: "this line triggers it", Side.OLD: "removing this line triggers it"}


def is_on_change(finding: Finding, file: ChangedFile) -> bool:
    """Whether a finding of a file stands on a line that the change touches."""
    ranges = file.removed if finding.side is Side.OLD else file.added
    return overlaps(ranges, finding.line_start, max(finding.line_start, finding.line_end))


def tied(finding: Finding, file: ChangedFile) -> Finding:
    """Return a finding that the change makes, with the changed line nearest to it where it stands on none."""
    if is_on_change(finding, file) or not file.spans:
        return finding
    span = min(file.spans, key=lambda span: abs(_start(span, finding.side) - finding.line_start))
    side = Side.NEW if span.new_count else Side.OLD
    line = _start(span, side)
    place = Place(file=file.path, line_start=line, line_end=line, side=side, note=_NOTES[side])
    return msgspec.structs.replace(finding, related=(*finding.related, place))


def _start(span: HunkSpan, side: Side) -> int:
    return span.new_start if side is Side.NEW else span.old_start
