"""Pipeline of a review by a model: the questions of its finders, their answers, and the verified findings."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Sequence

import msgspec

from selfreview.api import ChangedFile, Finding, IssueStatus, Review, ReviewContext, Severity, Side, SourceText
from selfreview.errors import SelfreviewError
from selfreview.llm.answers.merging import merge
from selfreview.llm.answers.reading import Reader, nothing_found
from selfreview.llm.answers.schema import FINDINGS
from selfreview.llm.answers.verification import Verifier
from selfreview.llm.context.material import Material
from selfreview.llm.context.prompts import OVERVIEW
from selfreview.llm.context.settings import Settings
from selfreview.llm.context.tasks import Task, cost, overview, pack
from selfreview.llm.transport.ask import Fanout, Stop, ask, is_doubtful
from selfreview.llm.transport.budget import Budget
from selfreview.llm.transport.prices import estimate_tokens
from selfreview.llm.transport.proof_of_reading import counted, is_far_below
from selfreview.llm.transport.request import Client, Fault, ModelError, Request, unasked
from selfreview.model.result import ReviewerStatus, Usage
from selfreview.text.layout import plural

_OVERVIEW_TOKENS = 6_000


def review(
    files: Sequence[ChangedFile],
    context: ReviewContext,
    material: Material,
    settings: Settings,
    *,
    client: Client,
    budget: Budget,
) -> Review:
    """Review files with a model.

    Args:
        files: What to review now; the rest of the change is known from the cache.
        context: The change.
        material: What is shown of it.
        settings: Of the model.
        client: Sends requests.
        budget: What may be spent.
    """
    finder = Finder(material, settings, client, budget, context.text)
    stop = Stop()

    def answer(question: Question) -> Found:
        if stop.why is not None:
            return _not_asked(question, stop.why)
        try:
            found = finder.answer(question)
        except SelfreviewError as error:  # a prompt that only this material breaks: the others' answers stand
            return _not_asked(question, unasked(error))
        stop.take(found.error)
        return found

    asked = questions(files, material, settings)
    found = Fanout(settings.concurrency).run(asked, answer, lambda one: is_doubtful(one.error))
    merged = merge([_of_lens(found, lens) for lens in dict.fromkeys(f.lens for f in found)])
    findings = [_excluded(finding, material) for finding in merged]
    # Another model or schema has a prefix of its own to be kept by the service, so its first request goes alone again.
    verifier = Verifier(material, settings, client, budget, Fanout(settings.concurrency), context=context)
    verified = verifier.verify(findings, stop.why)
    usage = _usage(found)
    notes = list(dict.fromkeys(note for one in found for note in one.notes))
    usage.add(verified.usage)
    notes += [f"an issue could not be verified and stays open: {error.message}" for error in verified.errors[:1]]
    notes += _told(found)
    void = sum(one.void for one in found)
    if void:
        notes.append(f"{plural(void, 'issue')} of the model could not be read, and count for nothing")
    unsettled = verified.unsettled | {finding.file for one in found if one.lens == OVERVIEW for finding in one.findings}
    review = _concluded(found, verified.findings, usage, notes)
    # What hangs on another file or on a verification that failed is said now and asked again the next time.
    review.unsettled = sorted(unsettled & {file.path for file in files})
    return review


def questions(files: Sequence[ChangedFile], material: Material, settings: Settings) -> list[Question]:
    """Return all finders' questions, lens by lens; each further lens sees the tasks in another order."""
    tasks = material.tasks(files, settings.task_tokens)
    shown = [material.show(task) for task in tasks]
    result: list[Question] = []
    for lens in settings.lenses:
        order = list(enumerate(zip(tasks, shown, strict=True), 1))
        if lens != settings.lenses[0]:
            random.Random(f"{lens}{len(order)}").shuffle(order)  # noqa: S311 - an order, not a secret
        result += [
            Question(lens=lens, name=f"{lens}:{number}/{len(tasks)}", task=task, material=text)
            for number, (task, text) in order
        ]
    if len(tasks) > 1:
        size = min(_OVERVIEW_TOKENS, settings.task_tokens)
        # What is asked about now: a file of the rest that uses any of it shows it as a reference, and is asked again.
        asked = [material.views[file.path] for file in files if file.path in material.views]
        text = overview(asked, material.references, size)
        if text:
            result.append(Question(lens=OVERVIEW, name=f"{OVERVIEW}:1/1", task=None, material=material.overview(text)))
    return result


def finder_requests(files: Sequence[ChangedFile], material: Material, settings: Settings) -> list[Request]:
    """Return the requests that the finders would send."""
    return [find_request(question, material, settings) for question in questions(files, material, settings)]


def _not_asked(question: Question, why: ModelError) -> Found:
    return Found(
        lens=question.lens, paths=question_paths(question), findings=[], error=why, notes=[], void=0, usage=Usage()
    )


def _of_lens(found: Sequence[Found], lens: str) -> list[Finding]:
    return [finding for one in found if one.lens == lens for finding in one.findings]


def _excluded(finding: Finding, material: Material) -> Finding:
    """Set aside what is not reported; what is called high or critical is for the verifier to judge, not for words."""
    if finding.severity.at_least(Severity.HIGH) or finding.status is not IssueStatus.OPEN:
        return finding
    reason = material.exclusions.reason(finding)
    if reason is None:
        return finding
    return msgspec.structs.replace(finding, status=IssueStatus.DISMISSED, status_reason=reason)


def _usage(found: Sequence[Found]) -> Usage:
    total = Usage()
    for one in found:
        total.add(one.usage)
    return total


def _told(found: Sequence[Found]) -> list[str]:
    """Return notes on the summaries of empty answers, and where a server counted far less than it was sent."""
    said = nothing_found([one.summary for one in found])
    notes = [f"the model {said}"] if said is not None else []
    short = next((one for one in found if is_far_below(one.usage, one.sent)), None)
    if short is not None:
        notes.append(
            f"the model's server counted {counted(short.usage):,} tokens of about {short.sent:,} that it was sent: "
            "its window may be too small"
        )
    return notes


def _concluded(found: Sequence[Found], findings: list[Finding], usage: Usage, notes: list[str]) -> Review:
    """Return the review: a file counts as reviewed only when every question about it was answered."""
    failed = [one for one in found if one.error is not None and one.lens != OVERVIEW]
    unreviewed: dict[str, str] = {}
    for one in failed:
        assert one.error is not None  # noqa: S101 - filtered above
        for path in one.paths:
            unreviewed.setdefault(path, one.error.message)
    gaps = [
        f"the change as a whole was not looked at: {one.error.message}"
        for one in found
        if one.error is not None and one.lens == OVERVIEW
    ]
    review = Review(findings=findings, usage=usage, notes=notes, unreviewed=unreviewed, gaps=gaps)
    if not failed:
        return review
    first = failed[0].error
    assert first is not None  # noqa: S101 - filtered above
    notes.append(f"{sum(one.error is None for one in found)} of {len(found)} questions to the model were answered")
    if any(one.error is not None and one.error.fault is Fault.BUDGET for one in failed):
        review.status = ReviewerStatus.OVER_BUDGET
    elif any(one.error is not None and one.error.fault is Fault.DEADLINE for one in failed):
        review.status = ReviewerStatus.TIMED_OUT
    elif len(failed) == sum(one.lens != OVERVIEW for one in found):
        review.status = ReviewerStatus.FAILED
    review.error, review.hint, review.outage = first.message, first.hint, first.outage
    return review


TextOf = Callable[[ChangedFile, Side], SourceText | None]

_LEAST_TOKENS = 500
"""Minimum tokens of each half of a task that is split."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Found:
    """Findings of one lens in one task.

    Attributes:
        lens: Which one.
        paths: The files that were asked about.
        findings: What it reported.
        error: Why there is nothing, or not all of it, or None.
        notes: What a person should know of the answer.
        void: How many issues could not be used.
        usage: What it cost.
        sent: How many tokens were sent once, at most.
        summary: What the answer says where it lists no issue; else empty.
    """

    lens: str
    paths: tuple[str, ...]
    findings: list[Finding]
    error: ModelError | None
    notes: list[str]
    void: int
    usage: Usage
    sent: int = 0
    summary: str = ""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Question:
    """Question of one lens about one task; ``task`` is None for the question about the whole change."""

    lens: str
    name: str
    task: Task | None
    material: str


class Finder:
    """Finder of issues, which asks the questions of all lenses.

    Args:
        material: What is shown.
        settings: Of the model.
        client: Sends.
        budget: What may be spent.
        text_of: Returns a file's text on one side.
    """

    def __init__(self, material: Material, settings: Settings, client: Client, budget: Budget, text_of: TextOf) -> None:
        self._material = material
        self._settings = settings
        self._client = client
        self._budget = budget
        self._text_of = text_of

    def answer(self, question: Question) -> Found:
        """Ask one question; a task that is too long for the model is asked about in two halves."""
        request = find_request(question, self._material, self._settings)
        reader = Reader(self._material.views, self._text_of, self._material.redactor, request.words)
        sent = sum(map(estimate_tokens, request.texts))
        asked = ask(request, reader.read, self._client, self._budget)
        paths = question_paths(question)
        if asked.error is not None:
            left = _left(question, reader)
            halves = self._halves(question) if asked.error.fault in (Fault.TOO_LONG, Fault.CUT_OFF) else []
            if halves:
                parts = [self.answer(half) for half in halves]
                return _joined([*([left] if left.findings or left.error else []), *parts], question, asked.usage)
            return dataclasses.replace(left, error=asked.error, usage=asked.usage, sent=sent)
        read = asked.value
        assert read is not None  # noqa: S101 - an answer without an error has a value
        return Found(
            lens=question.lens,
            paths=paths,
            findings=read.findings,
            error=read.error,
            notes=[f"{question.name}: {note}" for note in read.notes],
            void=read.void,
            usage=asked.usage,
            sent=sent,
            summary=read.summary,
        )

    def _halves(self, question: Question) -> list[Question]:
        task = question.task
        if task is None:
            return []
        size = sum(cost(view) for view in task.views)
        if size < 2 * _LEAST_TOKENS:
            return []
        parts = pack(list(task.views), {}, size // 2 + 1)
        if len(parts) < 2:
            return []
        return [
            Question(
                lens=question.lens,
                name=f"{question.name}.{number}",
                task=part,
                material=self._material.show(part),
            )
            for number, part in enumerate(parts, 1)
        ]


def _left(question: Question, reader: Reader) -> Found:
    """Return the usable part of a refused answer, where no usable answer followed it."""
    left = reader.left
    return Found(
        lens=question.lens,
        paths=question_paths(question),
        findings=left.findings if left else [],
        error=left.error if left else None,
        notes=[],
        void=0,
        usage=Usage(),
    )


def find_request(question: Question, material: Material, settings: Settings) -> Request:
    """Return the request of a question."""
    return material.request(
        name=question.name,
        material=question.material,
        user=material.prompts.find(question.lens),
        again=question.task is not None and len(settings.lenses) > 1,
        schema=FINDINGS,
        model=settings.model,
        max_tokens=settings.answer_tokens,
        effort=settings.thinking,
    )


def question_paths(question: Question) -> tuple[str, ...]:
    """Return the paths of the files that a question is about; none for the whole change."""
    return tuple(view.file.path for view in question.task.views) if question.task is not None else ()


def _joined(parts: Sequence[Found], question: Question, usage: Usage) -> Found:
    total = Usage()
    for spent in (usage, *(part.usage for part in parts)):
        total.add(spent)
    return Found(
        lens=question.lens,
        paths=question_paths(question),
        findings=[finding for part in parts for finding in part.findings],
        error=next((part.error for part in parts if part.error is not None), None),
        notes=[note for part in parts for note in part.notes],
        void=sum(part.void for part in parts),
        usage=total,
    )
