"""Finders: each lens asks about each task, and a task that does not fit is split."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from selfreview.api import ChangedFile, Finding, Side, SourceText
from selfreview.llm.ask import ask
from selfreview.llm.budget import Budget
from selfreview.llm.material import Material
from selfreview.llm.reading import Reader
from selfreview.llm.request import Client, Fault, ModelError, Request
from selfreview.llm.schema import FINDINGS
from selfreview.llm.settings import Settings
from selfreview.llm.splitting import cost
from selfreview.llm.tasks import Task, pack
from selfreview.llm.tokens import estimate
from selfreview.model.result import Usage

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
        sent = sum(map(estimate, request.texts))
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
