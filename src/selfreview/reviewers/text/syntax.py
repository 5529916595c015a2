"""Invalid JSON and TOML, and unresolved merge conflicts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from selfreview.api import ChangedFile, SourceText
from selfreview.reviewers.text.table import Hit
from selfreview.text.json_text import has_comments, plain_json
from selfreview.text.toml import parse_toml

_LONGEST = 500_000
_WITH_COMMENTS = re.compile(
    r"\.jsonc$|(?:^|/)(?:[jt]sconfig[^/]*\.json$|\.(?:vscode|devcontainer)/|devcontainer\.json$)"
)
"""Files whose readers allow comments, and a comma behind the last value."""
_TEMPLATE = re.compile(r"\{%|\{\{|<%")
"""Signs of a template, from which a program makes the file."""
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*+"?')
_TOML_PLACE = re.compile(r"\(at line (\d+), column \d+\)$")


def broken_syntax(file: ChangedFile, new: SourceText, old: SourceText | None) -> Iterator[Hit]:
    """Yield the places where a file is no longer valid for its name, or where a new one is not.

    Args:
        file: The file.
        new: Its text.
        old: Its text before the change, or None where there was none.
    """
    name = file.path.casefold()
    error = _error(name, new.text) if _is_readable(new) else None
    if error is None:
        return
    lenient = _allows_comments(name, new.text, old)
    if lenient:
        error = _error(name, plain_json(new.text))
    before = None if old is None else _error(name, plain_json(old.text) if lenient else old.text)
    if error is not None and before is None:
        line, why = min(error[0], len(new.lines)), error[1]
        if _TEMPLATE.search(new.line(line)) is None:
            yield Hit("broken-syntax", line, None, why)


def _is_readable(source: SourceText) -> bool:
    """Return whether a text can be judged: not empty, in the encoding that it must have, and no template."""
    text = source.text
    if not source.is_utf8 or len(text) > _LONGEST or not text.strip():
        return False
    return _TEMPLATE.search(text) is None or _TEMPLATE.search(_STRING.sub("", text)) is None


def _allows_comments(name: str, text: str, old: SourceText | None) -> bool:
    """Return whether the readers of a JSON file seem to allow comments: by its name, or by its text before."""
    if name.endswith(".toml"):
        return False
    if _WITH_COMMENTS.search(name):
        return True
    return has_comments(text) if old is None else _error(name, old.text) is not None


def _error(name: str, text: str) -> tuple[int, str] | None:
    """Return the line of the first error in a text and what it is, or None; what is too deep or large is no error."""
    if name.endswith(".toml"):
        import tomllib

        try:
            parse_toml(text.replace("\r\n", "\n").removesuffix("\r"))
        except tomllib.TOMLDecodeError as error:
            place = _TOML_PLACE.search(str(error))
            line = int(place[1]) if place else text.count("\n") + 1
            return line, f"TOML: {_TOML_PLACE.sub('', str(error)).strip()}"
        except ValueError:
            return None
        return None
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return None if _is_lines(text) else (_json_line(error), f"JSON: {error.msg}")
    except (ValueError, RecursionError):
        return None
    return None


def _json_line(error: json.JSONDecodeError) -> int:
    """Return the line of what cannot follow: Python 3.13 and newer place a trailing comma where the comma is."""
    if not error.msg.startswith("Illegal trailing comma"):
        return error.lineno
    behind = error.doc[error.pos + 1 :]
    return error.lineno + behind[: len(behind) - len(behind.lstrip())].count("\n")


def _is_lines(text: str) -> bool:
    """Return whether every line is a JSON document of its own."""
    lines = [line for line in text.split("\n") if line.strip()]
    try:
        for line in lines:
            json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


_MARKER = re.compile(
    r"(?P<S><{7} \S.*)|(?P<s><{7})|(?P<B>\|{7}(?: .*)?)|(?P<M>={7})|(?P<E>>{7} \S.*)|(?P<e>>{7})", re.DOTALL
)
_FENCE = re.compile(r" {0,3}(?:```|~~~)")
_CONFLICT = re.compile(r"[Ss][BM]*[Ee]?|[BM]?[Ee]")
"""A conflict, whole or partial, as the letters of its markers; small letters have no label."""


def conflicts(lines: Sequence[str], *, prose: bool) -> Iterator[Hit]:
    """Yield conflicts, whole and partial ones.

    A separator alone is a heading's underline. One marker alone needs the label that git writes, and in prose it could
    be a quotation. A conflict in a fenced block is an example.

    Args:
        lines: The file's lines.
        prose: Whether a person reads the file.
    """
    if not any(line.startswith(("<<<<<<<", ">>>>>>>")) for line in lines):
        return
    kinds, places = "", []
    fenced = False
    for number, line in enumerate(lines, 1):
        if prose and _FENCE.match(line):
            fenced = not fenced
        marker = _MARKER.fullmatch(line.removesuffix("\r"))
        if marker and marker.lastgroup:
            kinds += marker.lastgroup
            places.append((number, fenced))
    for found in _CONFLICT.finditer(kinds):
        (first, example), (last, _) = places[found.start()], places[found.end() - 1]
        if len(found[0]) > 1 or (found[0].isupper() and not prose):
            what = f"line {first}" if first == last else f"lines {first} to {last}"
            yield Hit("conflict-marker", first, None, what, last, minor=example)
