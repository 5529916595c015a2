"""Syntax errors in files that parsed before."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator

from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import File, Patch
from selfreview.loop.guard.tables import read_json, read_toml
from selfreview.syntax.parsing import parse

_GRAMMARS = frozenset({"javascript", "typescript", "tsx", "go", "java", "ruby", "php", "csharp", "rust", "bash"})
"""Languages whose grammar is exact enough; preprocessors and templates make errors of their own."""
_LONGEST = 500_000


def syntax_error(patch: Patch) -> Iterator[Rejection]:
    """Reject a file that has more syntax errors than before."""
    for file in patch.files:
        where = _broken(file) if file.new_text and file.new_text != file.old_text else None
        if where is not None:
            yield Rejection(file.path, "syntax-error", f"Correct the syntax: {where}.")


def _broken(file: File) -> str | None:
    name = file.path.casefold()
    if len(file.new_text) > _LONGEST:
        return None
    if file.language == "python":
        error = python_error(file.new_text)
        return error if error and (not file.old_text or python_error(file.old_text) is None) else None
    if name.endswith(".json"):
        return "it is no valid JSON" if _breaks_json(file) else None
    if name.endswith(".toml"):
        return "it is no valid TOML" if _breaks_toml(file) else None
    if file.language in _GRAMMARS:
        errors = _errors(file.language, file.new_text)
        if errors and len(errors) > len(_errors(file.language, file.old_text)):
            return f"line {errors[0]} cannot be parsed as {file.language}"
    return None


def _breaks_toml(file: File) -> bool:
    return read_toml(file.new_text) is None and read_toml(file.old_text) is not None


def _breaks_json(file: File) -> bool:
    if _is_json(file.new_text):
        return False
    lenient = not _is_json(file.old_text)  # also where there was nothing: some readers allow comments
    return not (
        lenient and (read_json(file.new_text) is not None or (bool(file.old_text) and read_json(file.old_text) is None))
    )


def _is_json(text: str) -> bool:
    try:
        json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return False
    return True


def python_error(text: str) -> str | None:
    """Return where and why a Python text does not compile, or None where it does."""
    clean = text.removeprefix("\ufeff").encode("utf-8", "replace")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(clean, "<text>", "exec", dont_inherit=True)
        except SyntaxError as error:
            return f"line {error.lineno}: {error.msg}"
        except (ValueError, RecursionError, MemoryError) as error:
            return str(error) or "it is nested too deeply"  # running out of memory says nothing
    return None


def _errors(language: str, text: str) -> list[int]:
    """Return the lines of a text that its grammar does not understand."""
    root = parse(text.encode("utf-8", "replace").decode("utf-8"), language)
    return [node.range().start.line + 1 for node in root.find_all(kind="ERROR")]
