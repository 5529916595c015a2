"""Prompt of a model about feedback, and the schema of its answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from selfreview.api.fixer import Document
from selfreview.llm.answers.schema import WORDS, entries_of, garbage, only_object, shortened
from selfreview.llm.transport.fences import Fences, Words
from selfreview.llm.transport.request import ModelRequest
from selfreview.model.cycle import Judged, Meaning
from selfreview.model.feedback import CheckState, Feedback, FeedbackItem
from selfreview.model.issue import Severity
from selfreview.model.wire import display_path
from selfreview.pullrequest.feedback.markdown import visible
from selfreview.pullrequest.feedback.unresolved import who
from selfreview.resources import read
from selfreview.secrets.redactor import PLACEHOLDER, Redactor
from selfreview.text.masking import MASK, masking

MEANINGS = (Meaning.ACTIONABLE, Meaning.QUESTION, Meaning.NEEDS_PERSON, Meaning.PRAISE)
"""Meanings that a model may give an item of feedback; everything else is decided without a model."""

_TEMPLATE = "feedback/analyzer.md.j2"
_SYSTEM = "You sort code review feedback. You answer with one JSON object."
_MAX_BODY = 8_000
"""Characters that are shown of one comment."""
_HUNK_LINES = 30


def _text() -> dict[str, str]:
    return {"type": "string"}


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        **WORDS,
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": _text(),
                    "meaning": {"type": "string", "enum": [meaning.value for meaning in MEANINGS]},
                    "severity": {"type": "string", "enum": [severity.value for severity in Severity]},
                    "description": _text(),
                    "suggestedResponse": _text(),
                    "reason": _text(),
                },
                "required": ["id", "meaning", "severity", "description", "suggestedResponse", "reason"],
                "additionalProperties": False,
            },
        },
    },
    "required": [*WORDS, "items"],
    "additionalProperties": False,
}


def digest(model: str, requirements: Sequence[Document]) -> str:
    """Return a digest of the prompt besides the feedback: with another one, the same words may mean something else."""
    found = hashlib.sha256()
    texts = [model, _SYSTEM, read("templates", _TEMPLATE).decode(), json.dumps(SCHEMA)]
    for text in (*texts, *(part for document in requirements for part in document)):
        data = text.encode("utf-8", "surrogatepass")
        found.update(b"%d " % len(data) + data)
    return found.hexdigest()


def question(
    items: Sequence[FeedbackItem],
    feedback: Feedback,
    *,
    trusted: Mapping[str, Sequence[FeedbackItem]],
    requirements: Sequence[Document],
    model: str,
    max_tokens: int,
) -> ModelRequest:
    """Return the prompt about items; the first is ``f1``."""
    from jinja2 import Environment, StrictUndefined

    fences = Fences()
    # The template is ours alone: no repository, and so no pull request, says how its feedback is judged.
    environment = Environment(undefined=StrictUndefined, autoescape=False)  # noqa: S701 - plain text for a model
    environment.globals["fence"] = fences.fence
    failing = [check.name for check in feedback.checks if check.state is CheckState.FAILING]
    safe = Redactor().redact
    rendered = environment.from_string(read("templates", _TEMPLATE).decode()).render(
        number=feedback.request.number,
        title=safe(feedback.request.title),
        checks=safe("\n".join(failing)),
        requirements=[Document(safe(document.path), safe(document.text)) for document in requirements],
        items=[
            {"name": name, "text": safe(_shown(item, trusted.get(item.thread or "", ())))}
            for name, item in _named(items)
        ],
        names=", ".join(name for name, _ in _named(items)),
    )
    user = rendered.strip() + "\n"
    return ModelRequest(name="feedback", system=_SYSTEM, user=user, schema=SCHEMA, model=model, max_tokens=max_tokens)


def understand(text: str, items: Sequence[FeedbackItem], words: Words) -> dict[str, Judged]:
    """Return a model's judgement of items, by their ids, without those that it did not judge in a usable way.

    Raises:
        ModelError: If the answer is not one object with a list of items, or does not repeat the words of its prompt.
    """
    answer, _ = only_object(PLACEHOLDER.sub(MASK, text))  # it may repeat what stands for a secret
    entries = entries_of(answer, "items")
    missing = words.missing(answer)
    if missing is not None:
        raise garbage(missing)
    given: dict[str, list[dict[str, Any]]] = {}
    for entry in entries:
        if isinstance(entry, dict) and isinstance(entry.get("id"), str):
            given.setdefault(entry["id"], []).append(entry)
    judged = {}
    for name, item in _named(items):
        own = given.get(name, [])
        if len(own) == 1 and (judgement := _judged(item, own[0])) is not None:
            judged[item.id] = judgement
    return judged


def _judged(item: FeedbackItem, entry: Mapping[str, Any]) -> Judged | None:
    """Return an entry of an answer as a judgement, or None where it is not valid."""
    try:
        meaning, severity = Meaning(entry["meaning"]), Severity(entry["severity"])
    except (KeyError, ValueError, TypeError):
        return None
    description, answer, why = (
        shortened(" ".join(value.split())) if isinstance(value := entry.get(name), str) else ""
        for name in ("description", "suggestedResponse", "reason")
    )
    wanting = (meaning is Meaning.ACTIONABLE and not description) or (meaning is Meaning.QUESTION and not answer)
    if meaning not in MEANINGS or wanting:
        return None
    return Judged(
        item=item,
        meaning=meaning,
        why=why,
        severity=severity,
        description=description if meaning is Meaning.ACTIONABLE else "",
        answer=answer if meaning is Meaning.QUESTION else "",
    )


def _named(items: Sequence[FeedbackItem]) -> list[tuple[str, FeedbackItem]]:
    return [(f"f{number}", item) for number, item in enumerate(items, 1)]


def _shown(item: FeedbackItem, thread: Sequence[FeedbackItem]) -> str:
    """Return an item as text for the prompt: its place, the comments before it, its own words."""
    parts = [f"kind: {item.kind}{f', {item.opinion}' if item.opinion is not None else ''}, by {who(item)}"]
    if item.spot is not None:
        spot = item.spot
        line = "the whole file" if spot.whole_file else "outdated" if spot.line is None else f"line {spot.line}"
        parts.append(f"where: {display_path(spot.path)}, {line}{' of the old version' if spot.old_side else ''}")
        if spot.hunk:
            parts.append("the code there:\n" + "\n".join(spot.hunk.split("\n")[-_HUNK_LINES:]))
    place = [other.id for other in thread].index(item.id) if item.id in {other.id for other in thread} else len(thread)
    parts += [_other("said before", other) for other in thread[:place]]
    parts.append(f"it says:\n{cut(visible(item.body))}")
    parts += [_other("said after", other) for other in thread[place + 1 :]]
    return "\n".join(parts)


def _other(when: str, item: FeedbackItem) -> str:
    return f"{when}, by {who(item)}:\n{cut(visible(item.body))}"


def cut(text: str, limit: int = _MAX_BODY) -> str:
    """Return a text, shortened with a note where it is too long; no credential of ours is cut in two."""
    text = masking().hide(text)
    return text if len(text) <= limit else f"{text[:limit]}\n[cut: {len(text) - limit} more characters]"
