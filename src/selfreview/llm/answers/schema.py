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


class ClaimVerdict(enum.StrEnum):
    """Verifier's answer about an issue."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    UNSURE = "unsure"
    COULD_NOT_REVIEW = COULD_NOT_REVIEW


def object_of(**properties: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with these properties, all required."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def list_of(about: str = "", /, **properties: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a list of objects with these properties."""
    described = {"description": about} if about else {}
    return {"type": "array", **described, "items": object_of(**properties)}


def string(description: str) -> dict[str, Any]:
    """Return the schema of a text."""
    return {"type": "string", "description": description}


def _line(description: str) -> dict[str, Any]:
    return {"type": "integer", "description": description}


def one_of(names: type[enum.StrEnum], *more: str) -> dict[str, Any]:
    """Return the schema of one of some names."""
    return {"type": "string", "enum": [*(name.value for name in names), *more]}


WORDS: dict[str, Any] = {FIRST: string('What follows "First word:"'), LAST: string('What follows "Last word:"')}
"""Properties with the words of the prompt that every answer which can clear something repeats."""

FINDINGS: dict[str, Any] = object_of(
    **WORDS,
    issues=list_of(
        file=string("Path as shown"),
        lineStart=_line("First line, as numbered"),
        lineEnd=_line("Last line, as numbered"),
        evidence=string("One changed line, quoted exactly, without its number or mark"),
        failure=string("Input or situation -> what happens -> what should happen"),
        description=string("What is wrong"),
        severity=one_of(Severity),
        category=one_of(Category),
        suggestedFix=string("What to do"),
        confidence={"type": "number", "description": "0 to 1"},
    ),
    summary=string("One sentence"),
    verdict=one_of(Verdict, COULD_NOT_REVIEW),
)
"""Schema of a finder's answer."""

VERDICTS: dict[str, Any] = object_of(
    **WORDS,
    judgements=list_of(
        index=_line("The issue's number as given, from 1"),
        reason=string("Why, in one or two sentences"),
        evidence=string("The line of code that decides it, quoted exactly; empty where there is none"),
        answer=one_of(ClaimVerdict),
    ),
)
"""Schema of a verification, a judgement for each issue."""
