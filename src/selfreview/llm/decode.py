"""From an answer's text to drafts of findings, or to judgements.

An answer counts only if it holds exactly one JSON object of the right shape. What cannot be read is never "no issues".
Reasons say what is wrong and never quote the answer: it may repeat the code.
"""

from __future__ import annotations

import json
import re
from typing import Any, TypeVar

import msgspec

from selfreview.llm.request import Fault, ModelError
from selfreview.llm.schema import Judged
from selfreview.model.issue import Category, Severity

MAX_ISSUES = 200
"""More than this many in one answer is babble, not a review."""
MAX_LINE = 10_000_000
"""No file that is reviewed has more lines."""

_THOUGHTS = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
_BROKEN = re.compile("[\0\ud800-\udfff]")
_START = re.compile(r'\{\s*"')

Name = TypeVar("Name", Severity, Category, Judged)


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A finding as a model words it, checked for types but not yet placed.

    Attributes:
        file: As the model names it; perhaps no file of the change.
        line_start, line_end: Lines from 1 as the model counts, 0 for the whole file; in order.
        evidence: What it quotes; never blank.
        failure: Input or situation, what happens, what should happen; perhaps empty.
        description: What is wrong; empty only where ``failure`` is not.
        suggested_fix: What to do, or None.
        confidence: 0 to 1, or None where it says nothing usable.
    """

    severity: Severity
    category: Category
    file: str
    line_start: int
    line_end: int
    evidence: str
    failure: str
    description: str
    suggested_fix: str | None = None
    confidence: float | None = None


class Decoded(msgspec.Struct, frozen=True, kw_only=True):
    """A finder's answer.

    Attributes:
        drafts: The issues that can be used.
        void: For each that cannot, why, in a line that does not quote it.
        verdict: What the model itself concludes; advisory.
        summary: Its own summary; advisory.
    """

    drafts: list[Draft]
    void: list[str]
    verdict: str | None
    summary: str


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """What a verification says about one issue.

    Attributes:
        answer: A refutation that cites no line is ``UNSURE``.
        reason: Why.
        evidence: The line that it cites, or the empty text.
    """

    answer: Judged
    reason: str
    evidence: str = ""


class _VoidError(Exception):
    """An entry cannot be used; says why."""


def decode_findings(text: str) -> Decoded:
    """Read a finder's answer.

    Raises:
        ModelError: ``Fault.GARBAGE`` if it is not exactly one object with a list of at most 200 issues.
    """
    answer = _only_object(text)
    entries = _entries(answer, "issues")
    if len(entries) > MAX_ISSUES:
        raise _garbage(f"the answer lists {len(entries)} issues, more than {MAX_ISSUES}")
    drafts: list[Draft] = []
    void: list[str] = []
    for number, entry in enumerate(entries, 1):
        try:
            drafts.append(_draft(entry))
        except _VoidError as why:
            void.append(f"issue {number}: {why}")
    verdict = answer.get("verdict")
    summary = answer.get("summary")
    return Decoded(
        drafts=drafts,
        void=void,
        verdict=_clean(verdict).strip().lower() if isinstance(verdict, str) else None,
        summary=_clean(summary).strip() if isinstance(summary, str) else "",
    )


def decode_judgements(text: str, count: int) -> list[Judgement]:
    """Read a verification's answer.

    Args:
        text: The answer.
        count: How many issues were given, numbered from 1.

    Returns:
        One judgement for each issue, in order; unsure where there is none, none that can be used, or more than one.

    Raises:
        ModelError: ``Fault.GARBAGE`` if it is not exactly one object with a list, or judges none of the issues.
    """
    entries = _entries(_only_object(text), "judgements")
    if len(entries) > max(MAX_ISSUES, 2 * count):
        raise _garbage(f"the answer lists {len(entries)} judgements of {count} issues")
    found: dict[int, Judgement] = {}
    for entry in entries:
        try:
            index, judgement = _judgement(entry, count)
        except _VoidError:
            continue
        if index in found and found[index].answer is not judgement.answer:
            judgement = Judgement(answer=Judged.UNSURE, reason="judged more than once, differently")
        found[index] = judgement
    if count and not found:
        raise _garbage("the answer judges none of the issues")
    missing = Judgement(answer=Judged.UNSURE, reason="not judged")
    return [found.get(index, missing) for index in range(1, count + 1)]


def _garbage(message: str) -> ModelError:
    return ModelError(Fault.GARBAGE, message)


def _only_object(text: str) -> dict[str, Any]:
    """Return the one JSON object that a text holds, whatever stands around it.

    A second object, or one that cannot be read to its end, makes all of it unusable: which one is the answer would be
    a guess, and a quoted one could stand for the real one.
    """
    thoughts = _THOUGHTS.match(text)
    body = text[thoughts.end() :] if thoughts else text
    if not body.strip():
        raise _garbage("the answer is empty")
    start = _START.search(body)
    if start is None:
        raise _garbage("the answer holds no JSON object with anything in it")
    if body[: start.start()].rstrip().endswith("["):
        raise _garbage("the answer is a JSON list, not an object")
    decoder = json.JSONDecoder(object_pairs_hook=_unique, strict=False)
    try:
        answer, end = decoder.raw_decode(body, start.start())
    except json.JSONDecodeError as error:
        cut = not body[error.pos :].strip() or error.msg.startswith("Unterminated")
        raise _garbage("the answer's JSON is cut off" if cut else "the answer's JSON cannot be read") from None
    except RecursionError:
        raise _garbage("the answer's JSON is nested too deeply") from None
    except ValueError as error:  # a key twice, or a number of thousands of digits
        raise _garbage(str(error) if isinstance(error, _TwiceError) else "the answer's JSON cannot be read") from None
    if _START.search(body, end):
        raise _garbage("the answer holds more than one JSON object")
    return dict(answer)


class _TwiceError(ValueError):
    """An object has a key twice."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise _TwiceError("an object of the answer has a key twice")
    return made


def _entries(answer: dict[str, Any], key: str) -> list[Any]:
    if answer.get("error"):
        raise _garbage("the answer is an error message")
    entries = answer.get(key)
    if not isinstance(entries, list):
        raise _garbage(f"the answer has no list of {key}")
    return entries


def _draft(entry: Any) -> Draft:
    if not isinstance(entry, dict):
        raise _VoidError("not an object")
    first = _line(entry, "lineStart")
    last = first if entry.get("lineEnd") is None else _line(entry, "lineEnd")
    evidence, file = _string(entry, "evidence"), _string(entry, "file")
    failure, description = _string(entry, "failure"), _string(entry, "description")
    if not evidence.strip():
        raise _VoidError("no evidence")
    if not file:
        raise _VoidError("no file")
    if not (failure or description):
        raise _VoidError("no description")
    return Draft(
        severity=_named(entry, "severity", Severity),
        category=_named(entry, "category", Category),
        file=file,
        line_start=first,
        line_end=max(first, last),
        evidence=evidence,
        failure=failure,
        description=description,
        suggested_fix=_string(entry, "suggestedFix") or None,
        confidence=_share(entry.get("confidence")),
    )


def _judgement(entry: Any, count: int) -> tuple[int, Judgement]:
    if not isinstance(entry, dict):
        raise _VoidError("not an object")
    index = entry.get("index")
    if type(index) is not int or not 1 <= index <= count:
        raise _VoidError("no such issue")
    answer = _named(entry, "answer", Judged)
    reason, evidence = _string(entry, "reason"), _string(entry, "evidence")
    if answer is Judged.REFUTED and not evidence.strip():
        return index, Judgement(answer=Judged.UNSURE, reason=f"refuted without a line that shows it: {reason}")
    return index, Judgement(answer=answer, reason=reason, evidence=evidence)


def _string(entry: dict[str, Any], key: str) -> str:
    """Return a text; empty where it is missing or null."""
    value = entry.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _VoidError(f"{key} is not a text")
    return _clean(value).strip("\r\n" if key == "evidence" else None)


def _clean(text: str) -> str:
    """Return a text with what is no character, or no character of a text, as U+FFFD."""
    return _BROKEN.sub("\ufffd", text)


def _line(entry: dict[str, Any], key: str) -> int:
    value = entry.get(key)
    if type(value) is not int:  # True is an int, and no line
        raise _VoidError(f"{key} is not a whole number")
    if not 0 <= value <= MAX_LINE:
        raise _VoidError(f"{key} is no line")
    return value


def _named(entry: dict[str, Any], key: str, names: type[Name]) -> Name:
    value = entry.get(key)
    if not isinstance(value, str):
        raise _VoidError(f"{key} is not a text")
    try:
        return names(value.strip().lower())
    except ValueError:
        raise _VoidError(f"unknown {key}") from None


def _share(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if 0 <= value <= 1 else None
