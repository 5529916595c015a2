"""The two words that an answer has to repeat of its prompt, for stand-ins that answer without reading it."""

from __future__ import annotations

import json
import re

from selfreview.llm.transport.fences import FIRST, LAST

_FIRST = re.compile(r"^First word: (\w+)$", re.MULTILINE)
_LAST = re.compile(r"^Last word: (\w+)$", re.MULTILINE)


def words_in(prompt: str) -> dict[str, str] | None:
    """Return the words of a prompt by their keys in an answer, or None where it lacks one."""
    first, last = _FIRST.search(prompt), _LAST.findall(prompt)
    return {FIRST: first[1], LAST: last[-1]} if first is not None and last else None


def with_words(answer: str, prompt: str) -> str:
    """Return an answer with the words of its prompt; one that has any, or is not one JSON object, stays as it is."""
    words = words_in(prompt)
    try:
        given = json.loads(answer)
    except (ValueError, RecursionError):
        return answer
    if words is None or not isinstance(given, dict) or not given or FIRST in given or LAST in given:
        return answer
    return json.dumps({**words, **given})
