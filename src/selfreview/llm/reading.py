"""Understand a finder's answer: what it says, where that stands, and whether it can be relied on."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

import msgspec

from selfreview.llm.decode import Decoded, Draft, decode_findings
from selfreview.llm.place import Placed, ShownFile, TextOf, place
from selfreview.llm.redaction import Redactor
from selfreview.llm.request import Fault, ModelError
from selfreview.model.issue import Finding, Severity
from selfreview.model.result import Verdict
from selfreview.text.layout import plural


@dataclasses.dataclass(frozen=True, kw_only=True)
class Read:
    """What an answer says.

    Attributes:
        findings: What it reports, in its place.
        error: Why it is not all of a review, or None.
        notes: What a person should know of it.
        void: How many issues could not be used.
    """

    findings: list[Finding]
    error: ModelError | None
    notes: list[str]
    void: int


class Reader:
    """Reads the answers to one question.

    Of an answer that is doubtful, or about something else, the first is refused, so that the question is asked again.
    What can be used of the second counts, and what is doubtful in it makes the review incomplete.

    Args:
        shown: What the question shows, by path.
        text_of: Returns a file's text on one side.
        redactor: Turns placeholders back.
    """

    def __init__(self, shown: Mapping[str, ShownFile], text_of: TextOf, redactor: Redactor) -> None:
        self._shown = shown
        self._text_of = text_of
        self._redactor = redactor
        self._answers = 0

    def read(self, text: str) -> Read:
        """Read an answer.

        Raises:
            ModelError: ``Fault.GARBAGE`` if nothing in it can be relied on, or it is the first and doubtful.
        """
        self._answers += 1
        decoded = decode_findings(text)
        doubt = next(_doubts(decoded), None)
        error = ModelError(Fault.GARBAGE, doubt) if doubt is not None else None
        placed = [self._place(draft) for draft in decoded.drafts]
        lost = [one for one in placed if not one.found]
        if self._answers == 1:
            if error is not None:
                raise error
            if len(lost) == len(placed) and any(one.finding.severity.at_least(Severity.MEDIUM) for one in lost):
                raise ModelError(Fault.GARBAGE, "an answer is about code that is not in the change")
        notes = _contradictions(decoded)
        if lost:
            notes.append(f"{plural(len(lost), 'issue')} of the model could not be placed in the change")
        return Read(findings=[one.finding for one in placed], error=error, notes=notes, void=len(decoded.void))

    def _place(self, draft: Draft) -> Placed:
        """Find the place of a draft; a path and a quoted line hold their own values there, and no placeholder."""
        file, evidence = self._redactor.restore(draft.file), self._redactor.restore(draft.evidence)
        return place(msgspec.structs.replace(draft, file=file, evidence=evidence), self._shown, self._text_of)


def _doubts(decoded: Decoded) -> Iterator[str]:
    """Yield why an answer cannot be relied on; one that contradicts itself in favour of the change cannot."""
    if decoded.void and not decoded.drafts:
        yield f"none of the {plural(len(decoded.void), 'issue')} of an answer can be read"
    yield from decoded.doubts
    if decoded.verdict is not None and _rank(decoded.verdict) > _rank(_computed(decoded)):
        said = decoded.verdict if decoded.verdict in set(Verdict) else "something else than pass"
        yield f"an answer says {said}, and its issues amount to {_computed(decoded)}"


def _computed(decoded: Decoded) -> Verdict:
    worst = max((draft.severity for draft in decoded.drafts), key=lambda severity: severity.rank, default=None)
    if worst is None or not worst.at_least(Severity.MEDIUM):
        return Verdict.PASS
    return Verdict.CRITICAL_ISSUES if worst is Severity.CRITICAL else Verdict.NEEDS_WORK


def _rank(verdict: str) -> int:
    """Return how strict a verdict is; a word of the model's own is no pass."""
    ranks = {Verdict.PASS.value: 0, Verdict.NEEDS_WORK.value: 1, Verdict.CRITICAL_ISSUES.value: 2}
    return ranks.get(verdict, 1)


def _contradictions(decoded: Decoded) -> list[str]:
    """Say where the model's own verdict is laxer than its issues, or in words that nobody asked for."""
    computed = _computed(decoded)
    if decoded.verdict is None or _rank(decoded.verdict) > _rank(computed) or decoded.verdict == computed:
        return []
    said = decoded.verdict if decoded.verdict in set(Verdict) else "something of its own"
    return [f"the model said {said}, its issues amount to {computed}; the issues count"]
