"""Extraction of the single JSON object in an answer, and the length limit of the text in it."""

from __future__ import annotations

import json
import re
from typing import Any

from selfreview.llm.transport.request import Fault, ModelError

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
