"""``selfreview schema``: the JSON Schema of an output, generated from the model."""

from __future__ import annotations

import inspect
import json

import click

NAMES = ("verdict",)


@click.command(name="schema")
@click.argument("name", type=click.Choice(NAMES), default="verdict")
def command(name: str) -> None:  # noqa: ARG001 - there is one schema today
    """Print the JSON Schema of what --format json prints."""
    click.echo(json.dumps(verdict_schema(), indent=2))


def verdict_schema() -> dict[str, object]:
    """Return the JSON Schema of :class:`selfreview.model.result.Result`."""
    import msgspec

    from selfreview.model.result import SCHEMA_VERSION, Result

    schema: dict[str, object] = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    schema |= {"title": "selfreview verdict", "description": f"Version {SCHEMA_VERSION}; it only ever gains keys."}
    schema |= msgspec.json.schema(Result)
    for one in schema["$defs"].values():  # type: ignore[attr-defined]  # a mapping of mappings
        if "description" in one:  # msgspec takes the indents out since 0.23
            one["description"] = inspect.cleandoc(one["description"])
    return schema
