"""Issues that an answer holds as words, or in parts where none belong."""

from __future__ import annotations

import re
from typing import Any

_SEVERE = re.compile(
    r"critical|high(?![- ]?(?:level|light|er|est|ly|quality))|severe|severity|blocker|vulnerab|injection|exploit|"
    r"\bxss\b|\brce\b|\bcve-|insecure|data loss",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:no|not|without|any|zero|0)\b[\w ,/-]{0,40}", re.IGNORECASE)
_LABEL = re.compile(r"\W{0,5}(?:critical|high|medium|blocker)\b[\w ]{0,12}[:(\[\u2013\u2014-]", re.IGNORECASE)
_SHORT = 200
"""Characters of what may stand beside an answer without being read: a greeting."""
_ISSUES = re.compile("issue|finding|problem|bug|defect|vulnerab|concern|violation|error|security", re.IGNORECASE)
_OF_ISSUES = frozenset({"severity", "lineStart", "evidence", "failure"})


def says_issue(text: str) -> bool:
    """Whether words speak of something grave, but for saying that there is none."""
    return _SEVERE.search(_DENIED.sub(" ", text)) is not None


def is_telling(text: str) -> bool:
    """Whether what stands beside an answer has to be taken seriously: it is long, or speaks of something grave."""
    return len(text) >= _SHORT or _SEVERE.search(text) is not None


def is_labelled(text: str) -> bool:
    """Whether a text begins like an issue: ``CRITICAL: ...``."""
    return _LABEL.match(text) is not None


def holds_text(value: Any) -> bool:
    """Whether a part of an answer holds any words; numbers and empty parts say nothing of an issue."""
    return any(isinstance(part, str) and part.strip() for part in _parts(value))


def may_be_issues(key: str, value: Any) -> bool:
    """Whether a part of an answer could be issues.

    It could where it holds objects in a list, an object with a key of issues, words that speak of something grave,
    or anything at all under a name of issues.
    """
    for part in _parts(value):
        if isinstance(part, list) and any(isinstance(item, dict) and item for item in part):
            return True
        if isinstance(part, dict) and _OF_ISSUES.intersection(part):
            return True
        if isinstance(part, str) and says_issue(part):
            return True
    named = _ISSUES.search(key) is not None or _SEVERE.search(key) is not None
    return isinstance(value, (list, dict, str)) and bool(value) and named


def _parts(value: Any) -> list[Any]:
    """Return a value and everything within it; the keys of objects too."""
    found, waiting = [], [value]
    while waiting:
        part = waiting.pop()
        found.append(part)
        if isinstance(part, list):
            waiting += part
        elif isinstance(part, dict):
            waiting += [*part, *part.values()]
    return found
