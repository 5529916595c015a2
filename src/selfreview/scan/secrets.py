"""Find secrets in a text, with exact places."""

from __future__ import annotations

import bisect
import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator

from selfreview.errors import ToolTimeout
from selfreview.scan import addresses
from selfreview.scan.grade import GENERIC, Confidence, confidence_of, title_of
from selfreview.scan.library import RawMatch, has_library, line_starts, scan_window
from selfreview.scan.own import own_matches
from selfreview.scan.windows import windows
from selfreview.text.masking import masking

_NAME = re.compile(r"[A-Za-z_$@][\w$.:\[\]()'\"?+*&-]*")

OWN = "own-secret"
"""The rule of what this program itself signs in with."""
_OWN_TITLE = "Value that selfreview signs in with"


@dataclasses.dataclass(frozen=True, slots=True)
class SecretMatch:
    """One secret. Its ``repr`` does not show the value.

    Attributes:
        rule: Stable id of the rule that matched.
        title: What it is, for a person; never quotes the text.
        confidence: How sure it is that this is a secret that works.
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


def scan(
    text: str, *, source: bool = False, own: bool = True, remaining: Callable[[], float] | None = None
) -> list[SecretMatch]:
    """Find the secrets in a text, in order, without overlaps.

    Where the scanning library is not installed, our own rules look alone. Lines end at line feeds only. Other
    scanners' inline markers (``gitleaks:allow``) do not count.

    Args:
        text: Any text; lone surrogates (bytes that were not UTF-8) are allowed.
        source: Whether it is the source of a programming language, where a value without quotes is a name.
        own: Whether the values that this program signs in with count, whatever form they have.
        remaining: Returns the seconds left; asked between the parts of a long text.

    Raises:
        ToolError: If the scanning library is broken or fails.
        ToolTimeout: If no time is left.
    """
    clean = text.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate becomes one question mark
    graded = []
    for match in (*_library_matches(clean, remaining), *own_matches(clean)):
        confidence = confidence_of(match, clean)
        if confidence is not None and not (source and match.rule in GENERIC and _is_name(clean, match)):
            graded.append((match, confidence))
    if own:
        graded += [(RawMatch(OWN, _OWN_TITLE, "high", *place), Confidence.HIGH) for place in masking().places(clean)]
    if not graded:
        return []
    starts = line_starts(text)
    return [_located(match, confidence, text, starts) for match, confidence in _distinct(graded)]


def _library_matches(text: str, remaining: Callable[[], float] | None) -> Iterator[RawMatch]:
    library = has_library()
    for window in windows(text):
        if remaining is not None and remaining() <= 0:
            raise ToolTimeout("the secret scanner did not finish in time")
        for match in scan_window(text[window.start : window.end]) if library else ():
            start, end = match.start + window.start, match.end + window.start
            if window.own_start <= start < window.own_end:
                yield match._replace(start=start, end=end)


def _is_name(text: str, match: RawMatch) -> bool:
    """Whether a value is an expression of the language and not a literal."""
    if match.rule == addresses.RULE:
        return False  # the quote stands before the address
    quoted = match.start > 0 and text[match.start - 1] in "\"'`"
    return not quoted and _NAME.fullmatch(text, match.start, match.end) is not None


def _distinct(graded: Iterable[tuple[RawMatch, Confidence]]) -> list[tuple[RawMatch, Confidence]]:
    """Keep, of matches that overlap, the surest and then the longest."""
    kept: list[tuple[int, int, RawMatch, Confidence]] = []
    for match, confidence in sorted(graded, key=lambda g: (-g[1].rank, g[0].start - g[0].end, g[0])):
        index = bisect.bisect_left(kept, (match.end,))
        if index == 0 or kept[index - 1][1] <= match.start:
            kept.insert(index, (match.start, match.end, match, confidence))
    return [(match, confidence) for _, _, match, confidence in kept]


def _located(match: RawMatch, confidence: Confidence, text: str, starts: list[int]) -> SecretMatch:
    line = bisect.bisect_right(starts, match.start)
    return SecretMatch(
        rule=match.rule,
        title=title_of(match),
        confidence=confidence,
        value=text[match.start : match.end],
        start=match.start,
        end=match.end,
        line=line,
        column=match.start - starts[line - 1] + 1,
        end_line=bisect.bisect_right(starts, max(match.start, match.end - 1)),
    )
