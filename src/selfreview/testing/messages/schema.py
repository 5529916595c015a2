"""JSON Schema as the service takes it: what it accepts, and what its answers keep to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_KEYWORDS = frozenset(
    [
        "$defs",
        "$ref",
        "additionalProperties",
        "allOf",
        "anyOf",
        "const",
        "default",
        "description",
        "enum",
        "format",
        "items",
        "minItems",
        "properties",
        "required",
        "title",
        "type",
    ]
)
_TYPES: Mapping[str, tuple[type, ...]] = {
    "array": (list,),
    "boolean": (bool,),
    "integer": (int,),
    "null": (type(None),),
    "number": (int, float),
    "object": (dict,),
    "string": (str,),
}


def refusals(schema: Any, at: str = "schema") -> Iterator[str]:
    """Yield why the service would not take a schema."""
    if not isinstance(schema, dict):
        yield f"{at}: not an object"
        return
    for keyword in schema:
        if keyword not in _KEYWORDS:
            yield f"{at}: For '{schema.get('type')}' type, property '{keyword}' is not supported"
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        yield f"{at}: For 'object' type, 'additionalProperties' must be explicitly set to false"
    for name in ("properties", "$defs"):
        for key, part in schema.get(name, {}).items():
            yield from refusals(part, f"{at}.{name}.{key}")
    if "items" in schema:
        yield from refusals(schema["items"], f"{at}.items")
    for name in ("anyOf", "allOf"):
        for index, part in enumerate(schema.get(name, ())):
            yield from refusals(part, f"{at}.{name}[{index}]")


def mismatches(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any], at: str = "$") -> Iterator[str]:
    """Yield where a value does not match a schema that the service takes."""
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        yield from mismatches(value, root["$defs"][name], root, at)
        return
    if "anyOf" in schema and all(any(mismatches(value, part, root, at)) for part in schema["anyOf"]):
        yield f"{at}: matches nothing of anyOf"
    for part in schema.get("allOf", ()):
        yield from mismatches(value, part, root, at)
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r} is not one of {schema['enum']}"
    if "const" in schema and value != schema["const"]:
        yield f"{at}: {value!r} is not {schema['const']!r}"
    if "type" in schema and not _is(value, schema["type"]):
        yield f"{at}: {type(value).__name__} is not {schema['type']}"
    elif isinstance(value, dict):
        yield from _members(value, schema, root, at)
    elif isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            yield from mismatches(item, schema["items"], root, f"{at}[{index}]")


def _members(value: dict[str, Any], schema: Mapping[str, Any], root: Mapping[str, Any], at: str) -> Iterator[str]:
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{at}: {name} is missing"
    for name, member in value.items():
        if name in properties:
            yield from mismatches(member, properties[name], root, f"{at}.{name}")
        elif schema.get("additionalProperties") is False:
            yield f"{at}: {name} is not known"


def _is(value: Any, types: str | list[str]) -> bool:
    names = [types] if isinstance(types, str) else types
    if isinstance(value, bool):
        return "boolean" in names
    return any(isinstance(value, _TYPES[name]) for name in names)
