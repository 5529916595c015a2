"""Attribution of an error to a plugin: its name, place and cause in one line."""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Iterable
from pathlib import Path
from types import CodeType, TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pluggy

# The import system, and what calls plugins: neither is where a plugin went wrong.
_MACHINERY = ("<frozen importlib", str(Path(importlib.__file__).parent), str(Path(__file__).parent))


def describe(error: BaseException) -> str:
    """Return an exception as one line: its type and the first line of its text."""
    lines = str(error).strip().splitlines()
    if isinstance(error, SyntaxError):  # its text repeats a place that `location` gives better
        lines = [error.msg]
    if isinstance(error, SystemExit):
        return f"it ended the program: SystemExit({error.code!r})"
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def location(error: BaseException, file: str | None = None) -> str | None:
    """Return ``FILE:LINE`` of the deepest place of an exception, or None where it has none.

    Args:
        error: The exception, as caught.
        file: Only look at this file.
    """
    if isinstance(error, SyntaxError) and error.filename and file in (None, error.filename):
        return f"{error.filename}:{error.lineno or 1}"
    places = [(frame.co_filename, line) for frame, line in _frames(error.__traceback__)]
    of_interest = [
        f"{name}:{line}" for name, line in places if name == file or (file is None and not name.startswith(_MACHINERY))
    ]
    return of_interest[-1] if of_interest else None


def place_in(error: BaseException, files: Iterable[str]) -> tuple[str, str] | None:
    """Return which of some modules an exception came through last, and the place, ``FILE:LINE``; None for none.

    A package's ``__init__.py`` stands for all files below its folder.
    """
    frames = [(code.co_filename, line) for code, line in _frames(error.__traceback__)]
    known = list(files)
    for name, line in reversed(frames):
        for file in known:
            folder = file.removesuffix("__init__.py")
            if name == file or (folder != file and name.startswith(folder)):
                return file, f"{name}:{line}"
    return None


def in_plugin(error: BaseException, plugin: object) -> str:
    """Return `` (FILE:LINE)`` of an exception within the module of a plugin's object, or nothing for our own."""
    file = added_file(plugin)
    found = place_in(error, [file]) if file else None
    return f" ({Path(found[1]).name})" if found is not None else ""


def added_file(plugin: object) -> str | None:
    """Return the file of the module that an object's class comes from, or None for our own."""
    module = type(plugin).__module__
    return None if module.startswith("selfreview.") else getattr(sys.modules.get(module), "__file__", None)


def code_of(plugin: object) -> list[bytes]:
    """Return the code that an object comes from: that of its module, or of its package's folder; none for our own.

    What cannot be read counts as no code: the module is loaded, so that this is no reason to fail.
    """
    file = added_file(plugin)
    if file is None:
        return []
    module = sys.modules[type(plugin).__module__]
    files = sorted(Path(file).parent.rglob("*.py")) if getattr(module, "__package__", None) else [Path(file)]
    code = []
    for path in files:
        with contextlib.suppress(OSError):
            code.append(path.read_bytes())
    return code


def culprits(error: BaseException, implementations: Iterable[pluggy.HookImpl]) -> list[str]:
    """Return the name of the plugin whose hook implementation raised; none where the traceback does not show it.

    pluggy stops at the first exception and does not say whose it was, but the failing function is in the traceback.
    Functions made by one decorator share their code: then every candidate is named.
    """
    by_code: dict[CodeType, list[str]] = {}
    for implementation in implementations:
        code = _code(implementation.function)
        if code is not None:
            by_code.setdefault(code, []).append(implementation.plugin_name)
    names: list[str] = []
    for frame, _ in _frames(error.__traceback__):
        # Wrappers stand outside of what they wrap and merely pass an exception on, so the deepest is to blame.
        names = by_code.get(frame, names)
    return list(dict.fromkeys(names))


def _code(function: Any) -> CodeType | None:
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return code if isinstance(code, CodeType) else None


def _frames(traceback: TracebackType | None) -> Iterable[tuple[CodeType, int]]:
    while traceback is not None:
        yield traceback.tb_frame.f_code, traceback.tb_lineno
        traceback = traceback.tb_next
