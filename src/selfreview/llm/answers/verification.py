"""Verifier: a fresh context that tries to refute the finders' findings."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Sequence

import msgspec

from selfreview.api import Finding, IssueStatus, ReviewContext, Side
from selfreview.errors import SelfreviewError
from selfreview.llm.answers.citations import Citations
from selfreview.llm.answers.decode import Judgement, decode_judgements
from selfreview.llm.answers.json_object import garbage
from selfreview.llm.answers.schema import VERDICTS, Judged
from selfreview.llm.context.material import Material
from selfreview.llm.context.settings import Settings
from selfreview.llm.context.tasks import Task, split
from selfreview.llm.context.view import FileView
from selfreview.llm.transport.ask import Fanout, FaultTracker, ask, is_doubtful
from selfreview.llm.transport.budget import Budget
from selfreview.llm.transport.request import Client, ModelError, Request, unasked
from selfreview.model.result import Usage

_CLAIMS_AT_ONCE = 5


@dataclasses.dataclass(frozen=True)
class Verified:
    """Outcome of a verification.

    Attributes:
        findings: All that were given, in the same order, marked.
        unsettled: The files with findings that should have been verified and were not.
        errors: Why some could not be verified; those stay open.
        usage: What it cost.
    """

    findings: list[Finding]
    unsettled: frozenset[str]
    errors: list[ModelError]
    usage: Usage


class Verifier:
    """Verifier of findings.

    Args:
        material: What is shown.
        settings: Of the model.
        client: Sends.
        budget: What may be spent.
        fanout: Asks several at once.
        context: The change.
    """

    def __init__(
        self,
        material: Material,
        settings: Settings,
        client: Client,
        budget: Budget,
        fanout: Fanout,
        *,
        context: ReviewContext,
    ) -> None:
        self._material = material
        self._settings = settings
        self._client = client
        self._budget = budget
        self._fanout = fanout
        self._citations = Citations(material, context)

    def verify(
        self, findings: Sequence[Finding], stopped: ModelError | None = None, *, every: bool = False
    ) -> Verified:
        """Verify those findings that the effort asks for, or all of them.

        Args:
            findings: What the finders say.
            stopped: Why nothing more can be asked, or None.
            every: Whether all are verified.
        """
        result = list(findings)
        batches = self._batches(findings, every=every)
        stop = FaultTracker(stopped)
        asked = self._fanout.run(
            batches,
            lambda batch: self._ask([findings[index] for index in batch], stop),
            lambda outcome: is_doubtful(outcome[1]),
        )
        usage, errors, unsettled = Usage(), [], set()
        for batch, (judgements, error, spent) in zip(batches, asked, strict=True):
            usage.add(spent)
            if error is not None:
                errors.append(error)
                unsettled.add(findings[batch[0]].file)
                continue
            for index, judgement in zip(batch, judgements, strict=True):
                result[index] = self._marked(findings[index], judgement)
        return Verified(result, frozenset(unsettled), errors, usage)

    def _batches(self, findings: Sequence[Finding], *, every: bool) -> list[list[int]]:
        by_part: dict[tuple[str, int], list[int]] = defaultdict(list)
        for index, finding in enumerate(findings):
            wanted = every or self._settings.is_verified(finding.severity, finding.category.value)
            if wanted and finding.status is IssueStatus.OPEN and finding.file in self._material.views:
                by_part[finding.file, self._part(finding)[0]].append(index)
        return [
            indexes[start : start + _CLAIMS_AT_ONCE]
            for indexes in by_part.values()
            for start in range(0, len(indexes), _CLAIMS_AT_ONCE)
        ]

    def _ask(self, claimed: Sequence[Finding], stop: FaultTracker) -> tuple[list[Judgement], ModelError | None, Usage]:
        if stop.why is not None:
            return [], stop.why, Usage()
        try:
            request = self.request(claimed)
        except SelfreviewError as error:  # a prompt that only these claims break: the others are judged all the same
            return [], unasked(error), Usage()

        def understand(text: str) -> list[Judgement]:
            judgements = decode_judgements(text, len(claimed), request.words)
            for judgement in judgements:
                if judgement.answer is Judged.REFUTED and not self._citations.stands(
                    claimed[0].file, judgement.evidence
                ):
                    raise garbage("an answer refutes an issue with a line that stands nowhere in what it was shown")
            return judgements

        asked = ask(request, understand, self._client, self._budget)
        stop.take(asked.error)
        return asked.value or [], asked.error, asked.usage

    def request(self, claimed: Sequence[Finding]) -> Request:
        """Return the request for findings of one file."""
        path = claimed[0].file
        _, view = self._part(claimed[0])
        task = Task(name=path, views=(view,), references=self._material.references.get(path, ()))
        return self._material.request(
            name=f"verify:{path}",
            material=self._material.show(task),
            user=self._material.verify([_claim(finding) for finding in claimed]),
            schema=VERDICTS,
            model=self._settings.verify_model,
            max_tokens=self._settings.answer_tokens,
            effort=self._settings.thinking,
        )

    def _part(self, finding: Finding) -> tuple[int, FileView]:
        """Return the part of a file that holds a finding's line: of a large file only that is shown."""
        parts = list(split(self._material.views[finding.file], self._settings.task_tokens))
        for number, part in enumerate(parts):
            lines = (line for piece in part.pieces for line in piece.lines)
            if finding.side is Side.NEW and any(line.number == finding.line_start for line in lines):
                return number, part
            if finding.side is Side.OLD and any(line.mark == "-" and line.text == finding.evidence for line in lines):
                return number, part
        return 0, parts[0]

    def _marked(self, finding: Finding, judgement: Judgement) -> Finding:
        """Mark a finding; a refutation that cites no decisive line of code only makes it unconfirmed."""
        if judgement.answer == "confirmed":
            return finding
        status, reason = IssueStatus.UNCONFIRMED, f"not confirmed on verification: {judgement.reason}"
        if judgement.answer == "refuted" and self._citations.decides(finding, judgement.evidence):
            status, reason = IssueStatus.DISMISSED, f"refuted on verification: {judgement.reason}"
        return msgspec.structs.replace(finding, status=status, status_reason=" ".join(reason.split()))


def _claim(finding: Finding) -> str:
    lines = f"line {finding.line_start}" if finding.line_end <= finding.line_start else (
        f"lines {finding.line_start}-{finding.line_end}"
    )  # fmt: skip
    quote = f"\nthe line in question: {finding.evidence.strip()}" if finding.evidence else ""
    return f"{finding.file}, {lines} ({finding.severity}, {finding.category}){quote}\n{finding.description}"
