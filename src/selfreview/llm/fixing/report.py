"""Final report of a fixer: an answer for each issue, and notes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from selfreview.llm.answers.json_object import shortened
from selfreview.llm.answers.schema import list_of, one_of, string
from selfreview.llm.context.fences import escape
from selfreview.model.refinement import FixAnswer, FixOutcome

_LONGEST = 2_000
_TAIL = 100_000
"""Characters at the end of an agent's message in which its report is looked for."""
_START = "{"
_LOCAL = re.compile(
    r"(?<![\w.:/~])(?:/(?:home|Users)/[^\s/]+/|/root/|[A-Z]:\\Users\\[^\s\\]+\\)(?:[^\s'\"`/\\]+[/\\])*(?=\w)"
)
"""Folders of somebody's machine, in front of the name of a file."""

SHAPE = (
    '{"answers": [{"issue": "the id as given", "outcome": "addressed|false_positive|needs_person|not_addressed", '
    '"why": "what was done, or why not"}], "elsewhere": [{"path": "a file that the change does not touch", '
    '"why": "why it had to be edited"}], "notes": "new concerns, or an empty string"}'
)
"""The report as a prompt shows it."""

PROPERTIES: Mapping[str, Any] = {
    "answers": list_of(
        "One for each issue.",
        issue=string("Its id as given"),
        outcome=one_of(FixOutcome),
        why=string("What was done, or why not"),
    ),
    "elsewhere": list_of(
        "The files that you edited and that the change does not touch.",
        path=string("Path from the top of the repository"),
        why=string("Why it had to be edited"),
    ),
    "notes": string("New concerns; empty where there are none"),
}
"""The report as arguments of a tool."""


class Report(NamedTuple):
    """A report.

    Attributes:
        answers: One an issue at most; of two for the same, the last.
        notes: Plain text.
        reasons: By path, why a file was edited that the change does not touch.
        wrong: What cannot be understood, a sentence each.
    """

    answers: tuple[FixAnswer, ...] = ()
    notes: str = ""
    reasons: Mapping[str, str] = MappingProxyType({})
    wrong: tuple[str, ...] = ()


def parse_report(given: Mapping[str, Any], ids: Collection[str], safe: Callable[[str], str]) -> Report:
    """Read a report.

    Args:
        given: The arguments that the model or agent gave.
        ids: The issues that there are.
        safe: Takes secrets out of a text.
    """
    answers: dict[str, FixAnswer] = {}
    wrong: list[str] = []
    entries = given.get("answers")
    for entry in entries if isinstance(entries, list) else ():
        issue = entry.get("issue") if isinstance(entry, dict) else None
        outcome = entry.get("outcome") if isinstance(entry, dict) else None
        if issue not in ids:
            wrong.append(f"there is no issue {escape(str(issue))[:40]!r}; there are {', '.join(ids)}")
        elif outcome not in list(FixOutcome):
            wrong.append(f"{escape(str(outcome))[:40]!r} is no outcome; there are {', '.join(FixOutcome)}")
        else:
            why = _plain(entry.get("why"), safe)
            answers[str(issue)] = FixAnswer(issue=str(issue), outcome=FixOutcome(outcome), why=why)
    if not isinstance(entries, list):
        wrong.append("answers must be a list")
    return Report(tuple(answers.values()), _plain(given.get("notes"), safe), _reasons(given, safe), tuple(wrong))


def _reasons(given: Mapping[str, Any], safe: Callable[[str], str]) -> dict[str, str]:
    entries = given.get("elsewhere")
    reasons = {}
    for entry in entries if isinstance(entries, list) else ():
        path, why = (entry.get("path"), entry.get("why")) if isinstance(entry, dict) else (None, None)
        if isinstance(path, str) and isinstance(why, str) and why.strip():
            reasons[path.removeprefix("./")] = _plain(why, safe)
    return reasons


def last_report(text: str, ids: Collection[str], safe: Callable[[str], str]) -> Report | None:
    """Return the last report that a text holds, or None.

    Whatever else stands in the text, and around the report, is passed over: an agent's edits are looked at in any case.
    """
    decoder = json.JSONDecoder(strict=False)
    text = text[-_TAIL:]
    found, end = None, text.find(_START)
    while end >= 0:
        try:
            value, after = decoder.raw_decode(text, end)
        except (ValueError, RecursionError):
            after = end + 1
        else:
            if isinstance(value, dict) and isinstance(value.get("answers"), list):
                found = value
        end = text.find(_START, after)
    return None if found is None else parse_report(found, ids, safe)


def _plain(value: object, safe: Callable[[str], str]) -> str:
    text = _LOCAL.sub("", safe(value.strip())) if isinstance(value, str) else ""
    return shortened(text, _LONGEST)
