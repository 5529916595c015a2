"""Find secrets in a text, with exact places."""

from __future__ import annotations

import bisect
import dataclasses
import enum
from collections.abc import Callable, Iterable

from selfreview.errors import ToolTimeout
from selfreview.scan.formats import FORMATS, find_formats
from selfreview.scan.library import RawMatch, library_stamp, line_starts, scan_window
from selfreview.scan.placeholder import is_placeholder
from selfreview.scan.windows import windows


class Confidence(enum.StrEnum):
    """How sure a rule is that what it matches is a secret."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


_SURE = {Confidence.HIGH: 2, Confidence.MEDIUM: 1, Confidence.LOW: 0}


@dataclasses.dataclass(frozen=True, slots=True)
class SecretMatch:
    """One secret. Its ``repr`` does not show the value.

    Attributes:
        rule: Stable id of the rule that matched.
        title: What it is, for a person; never quotes the text.
        confidence: How sure the rule is.
        value: The secret itself.
        start, end: Its extent in the text, in code points, the end exclusive.
        line, column: Where it starts; both from 1, columns in code points.
        end_line: The line of its last character.
    """

    rule: str
    title: str
    confidence: Confidence
    value: str = dataclasses.field(repr=False)
    start: int
    end: int
    line: int
    column: int
    end_line: int


def scanner_stamp() -> str:
    """Return everything that matches depend on besides the text: our formats and the library.

    Raises:
        ToolError: If the library is not installed.
    """
    return f"{FORMATS!r}\n{library_stamp()}"


def scan(text: str, *, remaining: Callable[[], float] | None = None) -> list[SecretMatch]:
    """Find the secrets in a text, in order, without overlaps.

    Lines end at line feeds only. Other scanners' inline markers (``gitleaks:allow``) do not count.

    Args:
        text: Any text; lone surrogates (bytes that were not UTF-8) are allowed.
        remaining: Returns the seconds left; asked between parts of a long text.

    Raises:
        ToolError: If the scanning library is missing or fails.
        ToolTimeout: If no time is left.
    """
    clean = text.encode("utf-8", "replace").decode() if not _encodable(text) else text
    raw: list[RawMatch] = []
    for window in windows(clean):
        if remaining is not None and remaining() <= 0:
            raise ToolTimeout("the secret scanner did not finish in time")
        for match in scan_window(clean[window.start : window.end]):
            start, end = match.start + window.start, match.end + window.start
            if window.own_start <= start < window.own_end:
                raw.append(match._replace(start=start, end=end))
    raw += [RawMatch(form.rule, form.title, Confidence.HIGH, *span) for form, *span in find_formats(clean)]
    starts = line_starts(clean)
    return [_located(match, text, starts) for match in _distinct(raw, clean)]


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _distinct(raw: Iterable[RawMatch], text: str) -> list[RawMatch]:
    """Drop placeholders, and of matches that overlap keep the surest and then the longest."""
    kept: list[RawMatch] = []
    for match in sorted(raw, key=lambda m: (-_SURE[Confidence(m.confidence)], m.start - m.end, m.start, m.rule)):
        value = text[match.start : match.end]
        if is_placeholder(value, generic=match.confidence == Confidence.LOW):
            continue
        if not any(match.start < other.end and other.start < match.end for other in kept):
            kept.append(match)
    return sorted(kept, key=lambda m: m.start)


def _located(match: RawMatch, text: str, starts: list[int]) -> SecretMatch:
    line = bisect.bisect_right(starts, match.start)
    last = bisect.bisect_right(starts, max(match.start, match.end - 1))
    return SecretMatch(
        rule=match.rule,
        title=match.title,
        confidence=Confidence(match.confidence),
        value=text[match.start : match.end],
        start=match.start,
        end=match.end,
        line=line,
        column=match.start - starts[line - 1] + 1,
        end_line=last,
    )
