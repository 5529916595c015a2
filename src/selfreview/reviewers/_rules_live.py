"""Lines that a change touches, or turns into code or into something else."""

from __future__ import annotations

from collections.abc import Sequence

from selfreview.model.change import HunkSpan, LineRange
from selfreview.reviewers._rules_blame import kept_lines


def differing(
    old: Sequence[str], new: Sequence[str], spans: Sequence[HunkSpan]
) -> tuple[tuple[LineRange, ...], tuple[LineRange, ...]]:
    """Return the lines of both sides that a change touches, or that are code on one side only.

    Args:
        old, new: Lines of both sides, with what is no code blank.
        spans: The lines that the change touches.
    """
    gone, come = [], []
    for span in spans:
        if span.old_count:
            gone.append(LineRange(span.old_start, span.old_start + span.old_count - 1))
        if span.new_count:
            come.append(LineRange(span.new_start, span.new_start + span.new_count - 1))
    for at, now, count in kept_lines(spans, len(old)):
        if old[at - 1 : at - 1 + count] != new[now - 1 : now - 1 + count]:
            for here, there in zip(range(at, at + count), range(now, now + count), strict=True):
                if old[here - 1 : here] != new[there - 1 : there]:
                    gone.append(LineRange(here, here))
                    come.append(LineRange(there, there))
    return tuple(sorted(gone)), tuple(sorted(come))
