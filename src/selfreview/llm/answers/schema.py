"""JSON Schemas of the answers that a model is asked for.

The service enforces types, enumerations and required keys, and ignores bounds; :mod:`selfreview.llm.answers.decode`
checks everything again, because other servers enforce nothing.
"""

from __future__ import annotations

import enum
from typing import Any

from selfreview.llm.transport.proof_of_reading import FIRST, LAST
from selfreview.model.issue import Category, Severity
from selfreview.model.result import Verdict

COULD_NOT_REVIEW = "could_not_review"
"""Answer in place of a verdict where there was nothing to judge by."""


class Judged(enum.StrEnum):
    """Verifier's answer about an issue."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    UNSURE = "unsure"
    COULD_NOT_REVIEW = COULD_NOT_REVIEW


def _object(**properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


def _line(description: str) -> dict[str, Any]:
    return {"type": "integer", "description": description}


def _one_of(names: type[enum.StrEnum], *more: str) -> dict[str, Any]:
    return {"type": "string", "enum": [*(name.value for name in names), *more]}


WORDS: dict[str, Any] = {FIRST: _text('What follows "First word:"'), LAST: _text('What follows "Last word:"')}
"""Properties with the words of the prompt that every answer which can clear something repeats."""

FINDINGS: dict[str, Any] = _object(
    **WORDS,
    issues={
        "type": "array",
        "items": _object(
            file=_text("Path as shown"),
            lineStart=_line("First line, as numbered"),
            lineEnd=_line("Last line, as numbered"),
            evidence=_text("One changed line, quoted exactly, without its number or mark"),
            failure=_text("Input or situation -> what happens -> what should happen"),
            description=_text("What is wrong"),
            severity=_one_of(Severity),
            category=_one_of(Category),
            suggestedFix=_text("What to do"),
            confidence={"type": "number", "description": "0 to 1"},
        ),
    },
    summary=_text("One sentence"),
    verdict=_one_of(Verdict, COULD_NOT_REVIEW),
)
"""Schema of a finder's answer."""

VERDICTS: dict[str, Any] = _object(
    **WORDS,
    judgements={
        "type": "array",
        "items": _object(
            index=_line("The issue's number as given, from 1"),
            reason=_text("Why, in one or two sentences"),
            evidence=_text("The line of code that decides it, quoted exactly; empty where there is none"),
            answer=_one_of(Judged),
        ),
    },
)
"""Schema of a verification, a judgement for each issue."""
