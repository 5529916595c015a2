"""The JSON verdict, as its schema says."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from scripts.reference.text import attributes, paragraphs, table

from selfreview.model.issue import Finding, Issue

SCHEMA = Path(__file__).parents[2] / "docs" / "schema" / "verdict.schema.json"


def verdict() -> str:
    """Return a section for each type of the schema."""
    types: Mapping[str, Any] = json.loads(SCHEMA.read_bytes())["$defs"]
    return "\n\n".join(_section(name, entry) for name, entry in types.items())


def _section(name: str, entry: Mapping[str, Any]) -> str:
    parts = [f"## {name}", *paragraphs(entry.get("description", ""))]
    if "enum" in entry:
        parts.append(f"One of {', '.join(f'`{json.dumps(value)}`' for value in entry['enum'])}.")
        return "\n\n".join(parts)
    said = {_camel(key): text for key, text in _attributes(name, entry.get("description", "")).items()}
    required = entry.get("required", ())
    rows = [
        (f"`{key}`", _type(value), _default(key, value, required), said.get(key, ""))
        for key, value in entry["properties"].items()
    ]
    return "\n\n".join((*parts, table(("key", "type", "default", "meaning"), rows)))


def _attributes(name: str, docstring: str) -> dict[str, str]:
    inherited = attributes(Finding.__doc__ or "") if name == Issue.__name__ else {}
    said = {**inherited, **attributes(docstring)}
    return {key: re.sub(r"\bNone\b", "`null`", text) for key, text in said.items()}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _default(key: str, value: Mapping[str, Any], required: Collection[str]) -> str:
    if key in required:
        return "always there"
    return f"`{json.dumps(value['default'], ensure_ascii=False)}`" if "default" in value else "as its type's"


def _type(value: Mapping[str, Any]) -> str:
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in value:
        return " or ".join(_type(each) for each in value["anyOf"])
    if value.get("type") == "array":
        return f"array of {_type(value['items'])}"
    if value.get("type") == "object" and isinstance(value.get("additionalProperties"), Mapping):
        return f"object of {_type(value['additionalProperties'])}"
    return str(value.get("type", "any"))
