"""What GitHub says of its own interfaces, and whether the fake keeps to it."""

from __future__ import annotations

import json
import re
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx2
from jsonschema import Draft202012Validator, FormatChecker
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

ROOT = "urn:github"
NULL_IN_TRUTH = re.compile(
    r"(^|/)line$|(^|/)original_line$"  # a comment on a whole file, or one that is outdated
    r"|(^|/)head/repo$"  # a fork that was deleted
    r"|(^|/)labels/\d+/description$"
)
"""What is null in answers of the real one where its description does not say so."""


def fetch(package: str, member: str, folder: Path) -> bytes:
    """Return a file of an npm package."""
    packed = subprocess.run(
        ["npm", "pack", "--silent", package], cwd=folder, capture_output=True, text=True, timeout=300, check=True
    )
    with tarfile.open(folder / packed.stdout.split()[-1]) as archive:
        found = archive.extractfile(f"package/{member}")
        assert found is not None
        return found.read()


def today(value: Any) -> Any:
    """Return a description with ``nullable`` as JSON Schema has it."""
    if isinstance(value, list):
        return [today(one) for one in value]
    if not isinstance(value, dict):
        return value
    told = {name: today(one) for name, one in value.items() if name not in {"nullable", "example", "examples"}}
    if value.get("nullable") is True:
        return {"anyOf": [told, {"type": "null"}]}
    return told


class Description:
    """GitHub's OpenAPI description."""

    def __init__(self, text: bytes) -> None:
        whole = json.loads(text)
        self.paths: dict[str, Any] = whole["paths"]
        self._whole = whole
        parts = {"components": {"schemas": today(whole["components"]["schemas"])}}
        self._registry = Registry().with_resource(ROOT, Resource(contents=parts, specification=DRAFT202012))
        self._patterns = {
            path: re.compile(
                re.sub(r"\\\{(\w+)\\\}", lambda m: "(.+)" if m[1] == "ref" else "([^/]+)", re.escape(path))
            )
            for path in self.paths
        }

    def operation(self, method: str, path: str) -> tuple[str, dict[str, Any]] | None:
        """Return the path and the description of what a request asks for; the most literal one."""
        fitting = [one for one, pattern in self._patterns.items() if pattern.fullmatch(path)]
        known = [
            one
            for one in sorted(fitting, key=lambda one: (one.count("{"), -len(one)))
            if method.lower() in self.paths[one]
        ]
        return (known[0], self.paths[known[0]][method.lower()]) if known else None

    def problems(self, answer: httpx2.Response) -> Iterator[str]:
        """Yield what is wrong with an exchange."""
        request = answer.request
        where = urlsplit(str(request.url))
        name = f"{request.method} {where.path} {answer.status_code}"
        found = self.operation(request.method, where.path)
        if found is None:
            yield f"{name}: there is no such operation"
            return
        _path, operation = found
        known = {one["name"] for one in map(self._deref, operation.get("parameters", ())) if one["in"] == "query"}
        yield from (f"{name}: no parameter {one}" for one, _value in parse_qsl(where.query) if one not in known)
        if answer.status_code < 400:
            yield from self._body(name, operation, request)
        told = operation["responses"].get(str(answer.status_code))
        if told is None:
            if answer.status_code not in {304, 307, 401, 403, 404}:  # said of all operations, in prose
                yield f"{name}: no such status"
            return
        yield from self._answer(name, self._deref(told), answer)

    def _body(self, name: str, operation: dict[str, Any], request: httpx2.Request) -> Iterator[str]:
        content = self._deref(operation.get("requestBody", {})).get("content", {}).get("application/json")
        if content is not None and request.content:
            yield from self._check(f"{name} request", content["schema"], json.loads(request.content))

    def _answer(self, name: str, told: dict[str, Any], answer: httpx2.Response) -> Iterator[str]:
        content = told.get("content", {})
        if not content:
            if answer.content and answer.status_code < 300:
                yield f"{name}: there is a body"
        else:
            schemas = [one["schema"] for kind, one in content.items() if "json" in kind]
            yield from self._check(name, {"anyOf": schemas} if len(schemas) > 1 else schemas[0], answer.json())

    def _check(self, name: str, schema: Any, value: Any) -> Iterator[str]:
        whole = _rooted(today(schema))
        validator = Draft202012Validator(whole, registry=self._registry, format_checker=FormatChecker())
        for error in validator.iter_errors(value):
            deepest = min([error, *(error.context or ())], key=lambda one: -len(one.absolute_path))
            place = "/".join(map(str, deepest.absolute_path))
            if not (deepest.instance is None and NULL_IN_TRUTH.search(place)):
                yield f"{name} at {place}: {deepest.message[:200]}"

    def _deref(self, value: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in value:
            _hash, *names = value["$ref"].split("/")
            found: Any = self._whole
            for one in names:
                found = found[one]
            value = found
        return value


def _rooted(value: Any) -> Any:
    if isinstance(value, list):
        return [_rooted(one) for one in value]
    if isinstance(value, dict):
        return {name: f"{ROOT}{one}" if name == "$ref" else _rooted(one) for name, one in value.items()}
    return value
