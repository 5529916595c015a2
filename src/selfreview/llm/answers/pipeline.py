"""Pipeline of a review by a model: the questions of its finders, their answers, and the verified findings."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence

from selfreview.api import ChangedFile, Finding, Review, ReviewContext
from selfreview.errors import SelfreviewError
from selfreview.llm.answers.draft_places import TextOf
from selfreview.llm.answers.reading import Reader, merge, nothing_found
from selfreview.llm.answers.schema import FINDINGS
from selfreview.llm.answers.verification import Verifier
from selfreview.llm.context.material import Material
from selfreview.llm.context.prompts import OVERVIEW, ModelSettings
from selfreview.llm.context.tasks import PromptTask, cost, overview, pack
from selfreview.llm.transport.ask import Fanout, FaultTracker, ask, is_doubtful
from selfreview.llm.transport.budget import Budget
from selfreview.llm.transport.fences import counted, is_far_below
from selfreview.llm.transport.request import Fault, ModelClient, ModelError, ModelRequest, estimate_tokens, unasked
from selfreview.model.result import ReviewerStatus, Usage
from selfreview.text.layout import plural

_OVERVIEW_TOKENS = 6_000
_MIN_TOKENS = 500
"""Minimum tokens of each half of a task that is split."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Question:
    """Question of one lens about one task; ``task`` is None for the question about the whole change."""

    lens: str
    name: str
    task: PromptTask | None
    material: str

    @property
    def paths(self) -> tuple[str, ...]:
        """Paths of the files that it is about; none for the whole change."""
        return tuple(view.file.path for view in self.task.views) if self.task is not None else ()

    def request(self, material: Material, settings: ModelSettings) -> ModelRequest:
        """Return the request that asks it."""
        return material.request(
            name=self.name,
            material=self.material,
            user=material.prompts.find(self.lens),
            again=self.task is not None and len(settings.lenses) > 1,
            schema=FINDINGS,
            model=settings.model,
            max_tokens=settings.answer_tokens,
            effort=settings.thinking,
        )


@dataclasses.dataclass(frozen=True, kw_only=True)
class FinderAnswer:
    """Findings in the answer to a question.

    Attributes:
        question: The question.
        findings: What the answer reports.
        error: Why there is nothing, or not all of it, or None.
        notes: What a person should know of the answer.
        void: How many issues could not be used.
        usage: What it cost.
        sent: How many tokens were sent once, at most.
        summary: What the answer says where it lists no issue; else empty.
    """

    question: Question
    findings: list[Finding] = dataclasses.field(default_factory=list)
    error: ModelError | None = None
    notes: list[str] = dataclasses.field(default_factory=list)
    void: int = 0
    usage: Usage = dataclasses.field(default_factory=Usage)
    sent: int = 0
    summary: str = ""


def review(
    files: Sequence[ChangedFile],
    context: ReviewContext,
    material: Material,
    settings: ModelSettings,
    *,
    client: ModelClient,
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
    stop = FaultTracker()

    def answer(question: Question) -> FinderAnswer:
        if stop.why is not None:
            return FinderAnswer(question=question, error=stop.why)
        try:
            found = finder.answer(question)
        except SelfreviewError as error:  # a prompt that only this material breaks: the others' answers stand
            return FinderAnswer(question=question, error=unasked(error))
        stop.take(found.error)
        return found

    asked = questions(files, material, settings)
    answers = Fanout(settings.concurrency).run(asked, answer, lambda found: is_doubtful(found.error))
    lenses = dict.fromkeys(found.question.lens for found in answers)
    merged = merge(
        [[finding for found in answers if found.question.lens == lens for finding in found.findings] for lens in lenses]
    )
    findings = [material.exclusions.applied(finding) for finding in merged]
    # Another model or schema has a prefix of its own to be kept by the service, so its first request goes alone again.
    verifier = Verifier(material, settings, client, budget, Fanout(settings.concurrency), context=context)
    verified = verifier.verify(findings, stop.why)
    usage = Usage.total([*(found.usage for found in answers), verified.usage])
    notes = list(dict.fromkeys(note for found in answers for note in found.notes))
    notes += [f"an issue could not be verified and stays open: {error.message}" for error in verified.errors[:1]]
    notes += _notes(answers)
    void = sum(found.void for found in answers)
    if void:
        notes.append(
            f"{plural(void, 'issue')} in the model's answer could not be read and {'was' if void == 1 else 'were'} "
            "dropped"
        )
    of_overview = {finding.file for found in answers if _is_overview(found) for finding in found.findings}
    unsettled = verified.unsettled | of_overview
    review = _concluded(answers, verified.findings, usage, notes)
    # What hangs on another file or on a verification that failed is said now and asked again the next time.
    review.unsettled = sorted(unsettled & {file.path for file in files})
    return review


def questions(files: Sequence[ChangedFile], material: Material, settings: ModelSettings) -> list[Question]:
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


def finder_requests(files: Sequence[ChangedFile], material: Material, settings: ModelSettings) -> list[ModelRequest]:
    """Return the requests that the finders would send."""
    return [question.request(material, settings) for question in questions(files, material, settings)]


def _is_overview(found: FinderAnswer) -> bool:
    return found.question.lens == OVERVIEW


def _notes(answers: Sequence[FinderAnswer]) -> list[str]:
    """Return notes on the summaries of empty answers, and where a server counted far less than it was sent."""
    summaries = nothing_found([found.summary for found in answers])
    notes = [f"the model {summaries}"] if summaries is not None else []
    short = next((found for found in answers if is_far_below(found.usage, found.sent)), None)
    if short is not None:
        notes.append(
            f"the model's server counted {counted(short.usage):,} tokens of about {short.sent:,} that it was sent: "
            "its window may be too small"
        )
    return notes


def _concluded(answers: Sequence[FinderAnswer], findings: list[Finding], usage: Usage, notes: list[str]) -> Review:
    """Return the review: a file counts as reviewed only when every question about it was answered."""
    errors = [(found, found.error) for found in answers if found.error is not None]
    failed = [(found, error) for found, error in errors if not _is_overview(found)]
    unreviewed: dict[str, str] = {}
    for found, error in failed:
        for path in found.question.paths:
            unreviewed.setdefault(path, error.message)
    gaps = [
        f"the change as a whole was not reviewed: {error.message}" for found, error in errors if _is_overview(found)
    ]
    review = Review(findings=findings, usage=usage, notes=notes, unreviewed=unreviewed, gaps=gaps)
    if not failed:
        return review
    notes.append(f"{len(answers) - len(errors)} of {len(answers)} questions to the model were answered")
    faults = {error.fault for _, error in failed}
    if Fault.BUDGET in faults:
        review.status = ReviewerStatus.OVER_BUDGET
    elif Fault.DEADLINE in faults:
        review.status = ReviewerStatus.TIMED_OUT
    elif len(failed) == sum(not _is_overview(found) for found in answers):
        review.status = ReviewerStatus.FAILED
    first = failed[0][1]
    review.error, review.hint, review.outage = first.message, first.hint, first.outage
    return review


class Finder:
    """Finder of issues, which asks the questions of all lenses.

    Args:
        material: What is shown.
        settings: Of the model.
        client: Sends.
        budget: What may be spent.
        text_of: Returns a file's text on one side.
    """

    def __init__(
        self, material: Material, settings: ModelSettings, client: ModelClient, budget: Budget, text_of: TextOf
    ) -> None:
        self._material = material
        self._settings = settings
        self._client = client
        self._budget = budget
        self._text_of = text_of

    def answer(self, question: Question) -> FinderAnswer:
        """Ask one question; a task that is too long for the model is asked about in two halves."""
        request = question.request(self._material, self._settings)
        reader = Reader(self._material.views, self._text_of, self._material.redactor, request.words)
        sent = sum(map(estimate_tokens, request.texts))
        asked = ask(request, reader.read, self._client, self._budget)
        if asked.error is not None:
            refused = reader.refused
            left = FinderAnswer(question=question, findings=refused.findings if refused else [])
            halves = self._halves(question) if asked.error.fault in (Fault.TOO_LONG, Fault.CUT_OFF) else []
            if halves:
                parts = [self.answer(half) for half in halves]
                first = [dataclasses.replace(left, error=refused.error)] if refused else []
                return _joined([*first, *parts], question, asked.usage)
            return dataclasses.replace(left, error=asked.error, usage=asked.usage, sent=sent)
        read = asked.value
        assert read is not None  # noqa: S101 - an answer without an error has a value
        return FinderAnswer(
            question=question,
            findings=read.findings,
            error=read.error,
            notes=[f"{question.name}: {note}" for note in read.notes],
            void=read.void,
            usage=asked.usage,
            sent=sent,
            summary=read.summary,
        )

    def _halves(self, question: Question) -> list[Question]:
        if question.task is None:
            return []
        views = list(question.task.views)
        size = sum(map(cost, views))
        parts = pack(views, {}, size // 2 + 1) if size >= 2 * _MIN_TOKENS else []
        if len(parts) < 2:
            return []
        return [
            dataclasses.replace(
                question, name=f"{question.name}.{number}", task=part, material=self._material.show(part)
            )
            for number, part in enumerate(parts, 1)
        ]


def _joined(parts: Sequence[FinderAnswer], question: Question, usage: Usage) -> FinderAnswer:
    return FinderAnswer(
        question=question,
        findings=[finding for part in parts for finding in part.findings],
        error=next((part.error for part in parts if part.error is not None), None),
        notes=[note for part in parts for note in part.notes],
        void=sum(part.void for part in parts),
        usage=Usage.total([usage, *(part.usage for part in parts)]),
    )
