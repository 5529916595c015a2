"""Merging of our settings into an agent's JSON document, and their removal; all others stay as they are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

_STEP = re.compile(r"selfreview hook turn \w+")
_OURS = re.compile(r"selfreview hook turn\b")


class UnmergeableError(ValueError):
    """A document that nothing can be put into, such as one with comments."""


def merged(text: bytes, ours: str) -> bytes:
    """Return a document with our settings in it.

    What somebody changed about a hook of ours, such as its timeout, stays.

    Args:
        text: What is there.
        ours: The document of our settings alone.

    Raises:
        UnmergeableError: If it is no such document, or has something else where ours would be.
    """
    there, wanted = _read(text), _read(ours.encode())
    result = _with(there, wanted)
    return text if result == there else _written(result, text)


def unmerged(text: bytes, ours: str) -> bytes | None:
    """Return a document without our settings, or None where nothing else is in it.

    Raises:
        UnmergeableError: If it is no such document.
    """
    there, wanted = _read(text), _read(ours.encode())
    left = _without(there, wanted)
    if left == there:
        return text
    return _written(left, text) if left else None


def _read(text: bytes) -> dict[str, Any]:
    try:
        value = json.loads(text.decode(), object_pairs_hook=_object, parse_float=_number, parse_constant=_number)
    except (ValueError, RecursionError) as error:
        raise UnmergeableError(f"it is not plain JSON: {error}") from error
    if not isinstance(value, dict):
        raise UnmergeableError("it is no JSON object")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice")
    return found


def _number(text: str) -> float:
    if repr(float(text)) != text:
        raise ValueError(f"the number {text} would be written in another way")
    return float(text)


def _with(there: Any, ours: Any) -> Any:
    if isinstance(there, dict) and isinstance(ours, dict):
        return {**there, **{key: _with(there[key], ours[key]) if key in there else ours[key] for key in ours}}
    if isinstance(there, list) and isinstance(ours, list):
        steps = {step for group in there for step in _steps(group)}
        return [*there, *(item for item in ours if item not in there and not _steps(item) & steps)]
    if there == ours:
        return there
    raise UnmergeableError("it has something else where this would be")


def _steps(group: Any) -> set[str]:
    """Return the steps of our commands in a group of hooks, whatever path or options a command has."""
    hooks = group.get("hooks") if isinstance(group, dict) else None
    commands = [str(hook.get("command")) for hook in hooks if isinstance(hook, dict)] if isinstance(hooks, list) else []
    return {step for command in commands for step in _STEP.findall(command)}


def _without(there: Any, ours: Any) -> Any:
    """Return a value without our settings, and without what is empty then."""
    if isinstance(there, dict) and isinstance(ours, dict):
        left = {key: _without(value, ours[key]) if key in ours else value for key, value in there.items()}
        return {key: value for key, value in left.items() if value or not there[key]}
    if isinstance(there, list) and isinstance(ours, list):
        return list(_others(there, ours))
    return there


def _others(groups: Iterable[Any], ours: list[Any]) -> Iterable[Any]:
    for group in groups:
        hooks = group.get("hooks") if isinstance(group, dict) else None
        if group in ours:
            continue
        if not isinstance(hooks, list):
            yield group
            continue
        left = [hook for hook in hooks if not (isinstance(hook, dict) and _OURS.search(str(hook.get("command"))))]
        if left or not hooks:
            yield {**group, "hooks": left}


def _written(value: Any, like: bytes) -> bytes:
    """Return a document, with the indents and ends of lines that another one has.

    Raises:
        UnmergeableError: If there is something in it that cannot be written, such as half of a character.
    """
    indent = re.search(rb"^[{\[]\s*\n([ \t]+)", like.lstrip())
    step = indent[1].decode() if indent else "  "
    try:
        text = (json.dumps(value, indent=step, ensure_ascii=False) + "\n").encode()
    except (ValueError, RecursionError) as error:
        raise UnmergeableError(str(error)) from error
    return text.replace(b"\n", b"\r\n") if b"\r\n" in like else text
