"""JSON answers of a model: their schemas, and the single object that is taken out of an answer.

The service enforces types, enumerations and required keys, and ignores bounds; :mod:`selfreview.llm.answers.decode`
checks everything again, because other servers enforce nothing.
"""

from __future__ import annotations

import enum
import json
import re
from typing import Any

from selfreview.llm.transport.fences import FIRST, LAST
from selfreview.llm.transport.request import Fault, ModelError
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


_THOUGHTS = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
_START = re.compile(r'\{\s*"')
_FENCE = re.compile(r"^[ \t]*```\w*[ \t]*$", re.MULTILINE)


def garbage(message: str) -> ModelError:
    """Return the error of an answer that does not follow the schema."""
    return ModelError(Fault.GARBAGE, message)


def only_object(text: str) -> tuple[dict[str, Any], str]:
    """Return the single JSON object in a text, and the text around it, thoughts and fences apart.

    A second object, or one that cannot be read to its end, makes all of it unusable: which one is the answer would be
    a guess, and a quoted one could stand for the real one.

    Raises:
        ModelError: ``Fault.GARBAGE``.
    """
    thoughts = _THOUGHTS.match(text)
    body = text[thoughts.end() :] if thoughts else text
    if not body.strip():
        raise garbage("the answer is empty")
    start = _START.search(body)
    if start is None:
        raise garbage("the answer holds no JSON object with anything in it")
    if body[: start.start()].rstrip().endswith("["):
        raise garbage("the answer is a JSON list, not an object")
    decoder = json.JSONDecoder(object_pairs_hook=_unique, strict=False)
    try:
        answer, end = decoder.raw_decode(body, start.start())
    except json.JSONDecodeError as error:
        cut = not body[error.pos :].strip() or error.msg.startswith("Unterminated")
        raise garbage("the answer's JSON is cut off" if cut else "the answer's JSON cannot be read") from None
    except RecursionError:
        raise garbage("the answer's JSON is nested too deeply") from None
    except ValueError as error:  # a key twice, or a number of thousands of digits
        raise garbage(str(error) if isinstance(error, _TwiceError) else "the answer's JSON cannot be read") from None
    if _START.search(body, end):
        raise garbage("the answer holds more than one JSON object")
    beside = f"{body[: start.start()]}\n{body[end:]}"
    return dict(answer), _FENCE.sub("", beside).strip(" \t\r\n\ufeff")


class _TwiceError(ValueError):
    """Error of an object that has a key twice."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise _TwiceError("an object of the answer has a key twice")
    return made


def entries_of(answer: dict[str, Any], key: str) -> list[Any]:
    """Return the list that an answer has under a key.

    Raises:
        ModelError: ``Fault.GARBAGE`` if it has none, or is an error message.
    """
    if answer.get("error"):
        raise garbage("the answer is an error message")
    entries = answer.get(key)
    if not isinstance(entries, list):
        raise garbage(f"the answer has no list of {key}")
    return entries


LONGEST_TEXT = 4_000
"""Maximum characters of one text: fifty lines, of which a person reads the first few."""


def shortened(text: str, limit: int = LONGEST_TEXT) -> str:
    """Return a text; of a long text the beginning, with a note that it is cut.

    It is cut between words where it has some: of half a secret, nobody would know any more that it is one.
    """
    if len(text) <= limit:
        return text
    begun = text[:limit].rsplit(None, 1)[0] if not text[limit].isspace() else text[:limit].rstrip()
    return f"{begun}… [shortened: it had {len(text):,} characters]"
