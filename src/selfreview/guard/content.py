"""Damaged content: syntax errors, conflict markers, placeholders, secrets, invisible characters."""

from __future__ import annotations

import collections
import json
import re
import warnings
from collections.abc import Iterator

from selfreview.guard.model import Rejection
from selfreview.guard.patch import File, Patch
from selfreview.guard.tables import read_json, read_toml
from selfreview.secrets.match import Confidence
from selfreview.secrets.redactor import PLACEHOLDER
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


_CONFLICT = re.compile(r"^(?:<{7}|>{7}|\|{7})(?: .*)?\r?$", re.MULTILINE)


def conflict_marker(patch: Patch) -> Iterator[Rejection]:
    """Reject new markers of a merge conflict."""
    for file in patch.files:
        if len(_CONFLICT.findall(file.new_text)) > len(_CONFLICT.findall(file.old_text)):
            yield Rejection(file.path, "conflict-marker", "Resolve the conflict, and leave no conflict markers behind.")


def placeholder(patch: Patch) -> Iterator[Rejection]:
    """Reject placeholders of hidden secrets: written to a file, they would replace the secret."""
    for file in patch.files:
        if set(PLACEHOLDER.findall(file.new_text)) - set(PLACEHOLDER.findall(file.old_text)):
            reason = "Leave lines with a REDACTED placeholder as they are; it stands for a value that was hidden."
            yield Rejection(file.path, "redaction-placeholder", reason)


_LONGEST_SHOWN = 1_000_000


def secret(patch: Patch) -> Iterator[Rejection]:
    """Reject new values that look like secrets and were in none of the edited files; in tests, only certain ones."""
    known: set[str] | None = None
    for file in patch.files:
        if not any(hunk.new for hunk in file.hunks) or len(file.new_text) > _LONGEST_SHOWN:
            continue
        values = _values(file, file.new_text)
        if not values:
            continue
        if known is None:
            known = {value for other in patch.files for value in _values(other, other.old_text)}
        for line, value in values.items():
            if line not in known and not any(line in other.old_text for other in patch.files):
                reason = f"Read the {value.lower()} from the environment; write no secret into a file."
                yield Rejection(file.path, "secret", reason)
                break


def _values(file: File, text: str) -> dict[str, str]:
    """Return the secrets of a text, each with what it is."""
    from selfreview.secrets.scanner import scan

    least = Confidence.MEDIUM.rank if file.is_test else Confidence.LOW.rank
    found = scan(text, source=file.language is not None) if text else []
    return {match.value: match.title for match in found if match.confidence.rank >= least}


_HIDDEN = re.compile(
    "[\x01-\x08\x0b\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069\u200b\u2028\u2029\u2060-\u2064\U000e0000-\U000e007f]"
    "|(?<=[\x20-\x7e])[\u200c-\u200f\u061c\u115f\u1160\u3164\uffa0\xad]|[\u200c-\u200f\u061c\u3164](?=[\x20-\x7e])|(?<!^)\ufeff"
)
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,16}\U000e007f")


def hidden_character(patch: Patch) -> Iterator[Rejection]:
    """Reject new characters that are invisible or turn the direction of text, where no script or emoji needs them."""
    for file in patch.files:
        more = _count(file.new_text) - _count(file.old_text)
        if more:
            code = f"U+{ord(min(more)):04X}"
            reason = f"Write {code} as an escape or leave it out: nobody would see it."
            yield Rejection(file.path, "hidden-character", reason)


def _count(text: str) -> collections.Counter[str]:
    return (
        collections.Counter()
        if text.isascii() and text.isprintable()
        else collections.Counter(_HIDDEN.findall(_FLAG.sub("", text)))
    )
