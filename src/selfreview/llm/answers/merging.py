"""Merging of findings of several passes about the same defect; nothing loses its severity."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import msgspec

from selfreview.model.issue import Category, Finding

ALIKE = 0.3
"""Minimum share of common words of two descriptions of the same place that mean the same."""
NEAR = 3
"""Maximum distance in lines between two places that are merged."""
DEFAULT_CONFIDENCE = 0.5
"""Confidence of a finding that states none."""
HIGHEST_CONFIDENCE = 0.99

_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_ENDING = re.compile(r"(?:ing|ed|es|s)$")
_COMMON = frozenset("the and for with that this not are can was use instead from into has have".split())  # noqa: SIM905
_NEIGHBOURS = (
    frozenset({Category.LOGIC, Category.ARCHITECTURE}),
    frozenset({Category.LOGIC, Category.SECURITY}),
    frozenset({Category.LOGIC, Category.PERFORMANCE}),
    frozenset({Category.LOGIC, Category.TESTING}),
    frozenset({Category.STYLE, Category.DOCUMENTATION}),
)
_SURELY_ALIKE = 0.5
_ALIKE_ON_ONE_LINE = 0.2
"""Minimum share of common words where the lines and the category are the same too."""
_ALIKE_WITH_NAMES = 0.15
_NAMES = 2
"""Minimum number of the program's names in both descriptions that compensate for differing words."""
_NAME = re.compile(r"`([^`\n]+)`|\b([a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|\w+_\w+|\w+(?:\.[A-Za-z_]\w*)+|\w+(?=\(\)))")


def merge(passes: Sequence[Sequence[Finding]]) -> list[Finding]:
    """Merge the findings of several passes over the same change.

    Two of different passes are one where they stand on the same side of a file, at most three lines apart, and are
    alike: in half of their words, or in three of ten and in a category that is the same or close. On the same lines
    and in the same category two of ten are enough, or fewer with names of the program that both have, or the same
    fix. One pass means
    two things by two findings, unless their words are the same. A merged finding has the worst severity with that
    finding's place, category and words (the longest of those that are as bad), and every related place.

    Its confidence is that of independent witnesses: ``1 - (1 - a)(1 - b)`` at most 0.99, where a finding that states
    none counts as 0.5 and a pass counts once. A finding of one pass keeps its own.

    Returns:
        The findings in the order in which each was said first.
    """
    groups: list[list[tuple[int, Finding]]] = []
    for number, findings in enumerate(passes):
        for finding in findings:
            group = next((group for group in groups if _belongs(number, finding, group)), None)
            if group is None:
                groups.append([(number, finding)])
            else:
                group.append((number, finding))
    return [_merged(group) for group in groups]


def similarity(one: str, other: str) -> float:
    """Return the share of words, 0 to 1, that two texts have in common; names count by their parts."""
    words, others = _words(one), _words(other)
    return len(words & others) / len(words | others) if words and others else 0.0


def _words(text: str) -> frozenset[str]:
    parts = (part.lower() for part in _PART.findall(text))
    return frozenset(
        _ENDING.sub("", part) if len(part) > 5 else part for part in parts if len(part) > 2 and part not in _COMMON
    )


def _belongs(number: int, finding: Finding, group: list[tuple[int, Finding]]) -> bool:
    """Return whether a finding duplicates the first of a group; likeness to another member alone is not enough."""
    first_number, first = group[0]
    if (first.file, first.side, first.status) != (finding.file, finding.side, finding.status):
        return False
    if not _near(first, finding):
        return False
    if number == first_number:
        return first.description == finding.description
    alike = similarity(first.description, finding.description)
    if alike >= _SURELY_ALIKE or (alike >= ALIKE and _close(first.category, finding.category)):
        return True
    return first.category is finding.category and _on_one_line(first, finding) and _same_matter(first, finding, alike)


def _on_one_line(one: Finding, other: Finding) -> bool:
    """Return whether two findings share a line and begin near each other; a long range shares lines with everything."""
    if not one.line_start or not other.line_start or abs(one.line_start - other.line_start) > NEAR:
        return False
    last, other_last = max(one.line_start, one.line_end), max(other.line_start, other.line_end)
    return one.line_start <= other_last and other.line_start <= last


def _same_matter(one: Finding, other: Finding, alike: float) -> bool:
    """Return whether two findings of the same lines and the same category mean one defect."""
    if alike >= _ALIKE_ON_ONE_LINE or (
        alike >= _ALIKE_WITH_NAMES and len(_names(one.description) & _names(other.description)) >= _NAMES
    ):
        return True
    fixes = (one.suggested_fix, other.suggested_fix)
    return bool(fixes[0] and fixes[1]) and similarity(fixes[0] or "", fixes[1] or "") >= _SURELY_ALIKE


def _names(text: str) -> frozenset[str]:
    return frozenset(quoted or name for quoted, name in _NAME.findall(text))


def _near(one: Finding, other: Finding) -> bool:
    if 0 in (one.line_start, other.line_start):
        return one.line_start == other.line_start
    last, other_last = max(one.line_start, one.line_end), max(other.line_start, other.line_end)
    return one.line_start <= other_last + NEAR and other.line_start <= last + NEAR


def _close(one: Category, other: Category) -> bool:
    return one is other or frozenset({one, other}) in _NEIGHBOURS


def _merged(group: list[tuple[int, Finding]]) -> Finding:
    findings = [finding for _, finding in group]
    if len(findings) == 1:
        return findings[0]
    worst = max(findings, key=lambda f: (f.severity.rank, len(f.description)))
    fixes = [(f.severity.rank, f.suggested_fix) for f in findings if f.suggested_fix]
    surest: dict[int, float] = {}
    for number, finding in group:
        stated = DEFAULT_CONFIDENCE if finding.confidence is None else finding.confidence
        surest[number] = max(stated, surest.get(number, 0.0))
    confidence = max(surest.values())
    if len(surest) > 1:
        together = 1 - math.prod(1 - stated for stated in surest.values())
        confidence = max(confidence, min(HIGHEST_CONFIDENCE, together))
    return msgspec.structs.replace(
        worst,
        suggested_fix=worst.suggested_fix or max(fixes, key=lambda fix: fix[0], default=(0, None))[1],
        related=tuple(dict.fromkeys(place for finding in findings for place in finding.related)),
        confidence=confidence,
    )
