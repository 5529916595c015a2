"""Writing of what ``selfreview init`` writes, beside what is there."""

from __future__ import annotations

import json
import os
import re
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from selfreview.errors import OutputError

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


def write_new(root: Path, path: str, content: bytes, *, program: bool) -> bool:
    """Write a file that is not there yet.

    Args:
        root: The repository's root.
        path: Where below it, with ``/``.
        content: The whole file.
        program: Whether it is made executable.

    Returns:
        Whether it was written: False where something has that name already, be it a link to nothing.

    Raises:
        OutputError: If a folder on the way is a link or no folder, or it cannot be written.
    """
    folder = root
    try:
        for part in path.split("/")[:-1]:
            folder = folder / part
            if folder.is_symlink():
                raise OutputError(f"{folder} is a symbolic link, and nothing is written through it")
            folder.mkdir(exist_ok=True)
        target = root / path
        # O_EXCL: what is there is neither replaced nor, where it is a link, followed.
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        descriptor = os.open(target, flags, 0o777 if program else 0o666)
    except FileExistsError:
        if folder.is_dir():
            return False
        raise OutputError(f"{folder} is no folder") from None
    except OSError as error:
        raise OutputError(f"{root / path} cannot be written: {error.strerror or error}") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
    except OSError as error:
        target.unlink(missing_ok=True)  # half a file is worse than none
        raise OutputError(f"{target} cannot be written: {error.strerror or error}") from error
    return True


def replace(root: Path, path: str, content: bytes) -> None:
    """Replace an existing file, keeping its mode.

    Args:
        root: The repository's root.
        path: Where below it, with ``/``.
        content: The whole file.

    Raises:
        OutputError: If it or a folder on the way is a link, or it cannot be written.
    """
    target = checked(root, path)
    made: str | None = None
    try:
        descriptor, made = tempfile.mkstemp(dir=target.parent, prefix=".selfreview-")
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(made).chmod(stat.S_IMODE(target.stat().st_mode))
        Path(made).replace(target)
    except OSError as error:
        if made is not None:
            Path(made).unlink(missing_ok=True)
        raise OutputError(f"{target} cannot be written: {error.strerror or error}") from error


def checked(root: Path, path: str) -> Path:
    """Return a file's place, where neither it nor a folder on the way is a link.

    Raises:
        OutputError: If one is.
    """
    target = root
    for part in path.split("/"):
        target = target / part
        if target.is_symlink():
            raise OutputError(f"{target} is a symbolic link, and nothing is written through it")
    return target
