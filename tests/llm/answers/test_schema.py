"""The schemas are what the service takes, and what the decoder reads."""

from __future__ import annotations

import json
from typing import Any

import pytest

from selfreview.llm.answers.decode import decode_findings, decode_judgements
from selfreview.llm.answers.schema import FINDINGS, VERDICTS, shortened
from selfreview.llm.transport.fences import Words


def objects(schema: Any) -> list[dict[str, Any]]:
    if isinstance(schema, list):
        return [found for item in schema for found in objects(item)]
    if not isinstance(schema, dict):
        return []
    inner = [found for value in schema.values() for found in objects(value)]
    return [schema, *inner] if schema.get("type") == "object" else inner


@pytest.mark.parametrize("schema", [FINDINGS, VERDICTS])
def test_objects_are_closed_and_the_service_ignores_nothing_in_them(schema):
    for item in objects(schema):
        assert item["additionalProperties"] is False
        assert item["required"] == list(item["properties"])
    words = json.dumps(schema)
    for ignored in ("minimum", "maximum", "pattern", "maxItems", "minLength", "default"):
        assert f'"{ignored}"' not in words


def example(schema: dict[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema["type"]
    if kind == "object":
        return {key: example(value) for key, value in schema["properties"].items()}
    return {"string": "x", "integer": 1, "number": 0.5}.get(kind) or [example(schema["items"])]


def test_an_answer_made_by_the_schema_is_read_without_a_loss():
    decoded = decode_findings(json.dumps(example(FINDINGS)), Words("x", "x"))
    assert (len(decoded.drafts), decoded.void, decoded.doubts) == (1, [], [])
    assert decoded.verdict == "pass"
    (item,) = decode_judgements(json.dumps(example(VERDICTS)), 1, Words("x", "x"))
    assert (item.answer, item.reason, item.evidence) == ("confirmed", "x", "x")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ten chars.", "ten chars."),
        ("one two three", "one two… [shortened: it had 13 characters]"),
        ("one ghp_secret", "one… [shortened: it had 14 characters]"),  # half of a token would be known as none
        ("one two th  four", "one two th… [shortened: it had 16 characters]"),
        ("x" * 12, "x" * 10 + "… [shortened: it had 12 characters]"),
    ],
)
def test_it_is_cut_between_words(text: str, expected: str) -> None:
    assert shortened(text, 10) == expected


def test_the_number_is_of_the_whole() -> None:
    assert shortened("flood " * 35_000).endswith("flood… [shortened: it had 210,000 characters]")
