"""Evaluation of a finder's answer: its content, the places of its findings, and whether it can be relied on."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from selfreview.llm.answers.decode import Decoded, DraftFinding, decode_findings
from selfreview.llm.answers.draft_places import Placed, ShownFile, TextOf, place
from selfreview.llm.transport.fences import Words
from selfreview.llm.transport.request import Fault, ModelError
from selfreview.model.issue import Category, Finding, Severity
from selfreview.model.result import Verdict
from selfreview.model.wire import display_path
from selfreview.secrets.redactor import Redactor
from selfreview.text.escape import visible
from selfreview.text.layout import listing, plural

_LONGEST_NAME = 80
"""Maximum characters of a model's name for a file, in a message."""
_LONGEST_SUMMARY = 200
_MAX_SUMMARIES = 3


@dataclasses.dataclass(frozen=True, kw_only=True)
class Read:
    """Parsed and placed content of a finder's answer.

    Attributes:
        findings: What it reports, in its place.
        error: Why it is not all of a review, or None.
        notes: What a person should know of it.
        void: How many issues could not be used.
        summary: What it says where it lists no issue and can be relied on, quoted in one line; else empty.
    """

    findings: list[Finding]
    error: ModelError | None
    notes: list[str]
    void: int
    summary: str = ""


class Reader:
    """Reader of the answers to one question.

    Of an answer that is doubtful, or holds something grave that is not about the change, the first is refused, so that
    the question is asked again. What can be used of it is kept and joined to the next, and something grave in it that
    could not be used, and that the next does not say either, makes the review incomplete. So does what is doubtful in
    the next.

    Args:
        shown: What the question shows, by path.
        text_of: Returns a file's text on one side.
        redactor: Turns placeholders back.
        words: What an answer has to repeat of the question.
    """

    def __init__(self, shown: Mapping[str, ShownFile], text_of: TextOf, redactor: Redactor, words: Words) -> None:
        self._words = words
        self._shown = shown
        self._text_of = text_of
        self._redactor = redactor
        self._refused: _Refused | None = None

    def read(self, text: str) -> Read:
        """Read an answer.

        Raises:
            ModelError: ``Fault.GARBAGE`` if nothing in it can be relied on, or it is the first and doubtful.
        """
        decoded = decode_findings(text, self._words)
        placed = [self._place(draft) for draft in decoded.drafts]
        astray = [
            placement.finding
            for placement in placed
            if not placement.counts and placement.finding.severity.at_least(Severity.MEDIUM)
        ]
        counting = [placement.finding for placement in placed if placement.counts]
        doubt = next(_doubts(decoded, counting, astray), None)
        summary = "" if decoded.drafts or decoded.void else self._summary(decoded.summary)
        doubt = f"{doubt}: {summary}" if doubt is not None and summary else doubt
        error = ModelError(Fault.GARBAGE, doubt) if doubt is not None else None
        first = self._refused
        if error is not None and first is None:
            usable = [placement.finding for placement in placed if placement.finding not in astray]
            missed = [*decoded.missed, *(finding.severity for finding in astray)]
            self._refused = _Refused(error, usable, astray, missed)
            raise error
        findings = [placement.finding for placement in placed]
        if first is not None:
            missing = _is_missing(first, findings)
            error = error or (first.error if missing else None)
            findings = merge([[*first.usable, *(first.astray if missing else ())], findings])
        notes = _contradictions(decoded, counting)
        lost = sum(not placement.found for placement in placed)
        if lost:
            notes.append(f"{plural(lost, 'issue')} of the model could not be matched to a line of the change")
        return Read(
            findings=findings, error=error, notes=notes, void=len(decoded.void), summary="" if error else summary
        )

    @property
    def refused(self) -> Read | None:
        """Usable part of a refused answer and the reason for doubt, for when there is no other answer; or None."""
        first = self._refused
        if first is None:
            return None
        return Read(findings=[*first.usable, *first.astray], error=first.error, notes=[], void=0)

    def _summary(self, summary: str) -> str:
        """Return a summary as one line that is safe to print, quoted; an agent's may hold what it read itself."""
        line = visible(" ".join(self._redactor.redact(summary).split()))
        return f'"{line if len(line) <= _LONGEST_SUMMARY else f"{line[: _LONGEST_SUMMARY - 1]}…"}"' if line else ""

    def _place(self, draft: DraftFinding) -> Placed:
        """Place a draft; a path and a quoted line hold their own values there, and no placeholder."""
        file, evidence = self._redactor.restore(draft.file), self._redactor.restore(draft.evidence)
        return place(msgspec.structs.replace(draft, file=file, evidence=evidence), self._shown, self._text_of)


def nothing_found(summaries: Sequence[str]) -> str | None:
    """Return the summaries of answers without an issue, in one line, or None where there are none."""
    distinct = list(dict.fromkeys(filter(None, summaries)))
    if not distinct:
        return None
    return f"found nothing, and says: {listing(distinct, _MAX_SUMMARIES)}"


class _Refused(NamedTuple):
    """Refused answer: its error, its findings in and outside of the change, and severities still to be found."""

    error: ModelError
    usable: list[Finding]
    astray: list[Finding]
    missed: list[Severity]


def _is_missing(first: _Refused, findings: Sequence[Finding]) -> bool:
    """Return whether a severe issue of a refused answer is missing from the next: nothing new there is as severe."""
    new = merge([first.usable, findings])[len(merge([first.usable])) :]
    ranks = sorted((finding.severity.rank for finding in new), reverse=True)
    missed = sorted((severity.rank for severity in first.missed), reverse=True)
    return len(ranks) < len(missed) or any(rank < least for rank, least in zip(ranks, missed, strict=False))


def _doubts(decoded: Decoded, counting: Sequence[Finding], astray: Sequence[Finding]) -> Iterator[str]:
    """Yield reasons why an answer cannot be relied on, such as a contradiction in favour of the change."""
    if decoded.void and not decoded.drafts:
        yield f"none of the {plural(len(decoded.void), 'issue')} of an answer can be read: {decoded.void[0]}"
    yield from decoded.doubts
    for finding in astray:
        where = display_path(finding.file)[:_LONGEST_NAME]
        said = f"{where}, line {finding.line_start}"
        yield f"a {finding.severity} issue of an answer refers to no changed line: {said}"
    computed = _computed(counting)
    if decoded.verdict is not None and _rank(decoded.verdict) > _rank(computed):
        said = decoded.verdict if decoded.verdict in set(Verdict) else f"something else than {', '.join(Verdict)}"
        yield f"an answer says {said}, and its issues amount to {computed}"


def _computed(findings: Sequence[Finding]) -> Verdict:
    worst = max((finding.severity for finding in findings), key=lambda severity: severity.rank, default=None)
    if worst is None or not worst.at_least(Severity.MEDIUM):
        return Verdict.PASS
    return Verdict.CRITICAL_ISSUES if worst is Severity.CRITICAL else Verdict.NEEDS_WORK


def _rank(verdict: str) -> int:
    """Return how strict a verdict is; a word of the model's own does not pass."""
    ranks = {Verdict.PASS.value: 0, Verdict.NEEDS_WORK.value: 1, Verdict.CRITICAL_ISSUES.value: 2}
    return ranks.get(verdict, 1)


def _contradictions(decoded: Decoded, counting: Sequence[Finding]) -> list[str]:
    """Return notes on where the model's verdict is laxer than its issues, or in words that nobody asked for."""
    computed = _computed(counting)
    if decoded.verdict is None or _rank(decoded.verdict) > _rank(computed) or decoded.verdict == computed:
        return []
    verdict = decoded.verdict if decoded.verdict in set(Verdict) else "something of its own"
    return [f"the model said {verdict}, its issues amount to {computed}; the issues count"]


ALIKE = 0.3
"""Minimum share of common words of two descriptions of the same place that mean the same."""
_NEAR = 3
"""Maximum distance in lines between two places that are merged."""
DEFAULT_CONFIDENCE = 0.5
"""Confidence of a finding that states none."""
_HIGHEST_CONFIDENCE = 0.99

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
    if not one.line_start or not other.line_start or abs(one.line_start - other.line_start) > _NEAR:
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
    return one.line_start <= other_last + _NEAR and other.line_start <= last + _NEAR


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
        confidence = max(confidence, min(_HIGHEST_CONFIDENCE, together))
    return msgspec.structs.replace(
        worst,
        suggested_fix=worst.suggested_fix or max(fixes, key=lambda fix: fix[0], default=(0, None))[1],
        related=tuple(dict.fromkeys(place for finding in findings for place in finding.related)),
        confidence=confidence,
    )
