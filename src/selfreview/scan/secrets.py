"""Search for secrets in a text, with exact places."""

from __future__ import annotations

import bisect
import dataclasses
import re
from collections.abc import Callable, Sequence

from selfreview.scan import addresses
from selfreview.scan.grade import GENERIC, Confidence, confidence_of
from selfreview.scan.match import RawMatch, line_starts
from selfreview.scan.rules import rule_matches
from selfreview.text.masking import masking

_NAME = re.compile(r"[A-Za-z_$@][\w$.:\[\]()'\"?+*&-]*")

OWN = "own-secret"
"""Rule of the values that this program itself signs in with."""
_OWN_TITLE = "Value that selfreview signs in with"


@dataclasses.dataclass(frozen=True, slots=True)
class SecretMatch:
    """Secret that was found. Its ``repr`` does not show the value.

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

    Lines end at line feeds only. Other scanners' inline markers (``gitleaks:allow``) do not count.

    Args:
        text: Any text; lone surrogates (bytes that were not UTF-8) are allowed.
        source: Whether it is the source of a programming language, where a value without quotes is a name.
        own: Whether the values that this program signs in with count, whatever form they have.
        remaining: Returns the seconds left; asked at every place that a rule looks at.

    Raises:
        ToolTimeout: If no time is left.
    """
    clean = text.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate becomes one question mark
    graded = []
    for match in rule_matches(clean, remaining):
        confidence = confidence_of(match, clean)
        if confidence is not None and not (source and match.rule in GENERIC and _is_name(clean, match)):
            graded.append((match, confidence))
    if own:
        graded += [(RawMatch(OWN, _OWN_TITLE, "high", *place), Confidence.HIGH) for place in masking().places(clean)]
    if not graded:
        return []
    starts = line_starts(text)
    return [_located(match, confidence, text, starts) for match, confidence in _distinct(graded)]


def _is_name(text: str, match: RawMatch) -> bool:
    """Return whether a value is an expression of the language and not a literal."""
    if match.rule == addresses.RULE:
        return False  # the quote stands before the address
    quoted = match.start > 0 and text[match.start - 1] in "\"'`"
    return not quoted and _NAME.fullmatch(text, match.start, match.end) is not None


def _distinct(graded: Sequence[tuple[RawMatch, Confidence]]) -> list[tuple[RawMatch, Confidence]]:
    """Keep, of matches that overlap, the most certain and then the longest."""
    kept = []
    taken = bytearray(max(match.end for match, _ in graded))
    for match, confidence in sorted(graded, key=lambda g: (-g[1].rank, g[0].start - g[0].end, g[0])):
        if taken.find(1, match.start, match.end) < 0:
            taken[match.start : match.end] = b"\1" * (match.end - match.start)
            kept.append((match, confidence))
    return sorted(kept, key=lambda g: g[0].start)


def _located(match: RawMatch, confidence: Confidence, text: str, starts: list[int]) -> SecretMatch:
    line = bisect.bisect_right(starts, match.start)
    return SecretMatch(
        rule=match.rule,
        title=match.title,
        confidence=confidence,
        value=text[match.start : match.end],
        start=match.start,
        end=match.end,
        line=line,
        column=match.start - starts[line - 1] + 1,
        end_line=bisect.bisect_right(starts, max(match.start, match.end - 1)),
    )
