"""Encodings that Python honours and a reader does not: text that looks like a comment may be code."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator

from selfreview.api import SourceText
from selfreview.reviewers._text_hit import Hit
from selfreview.rules.scripts import language_of_script
from selfreview.syntax.languages import language_of

_DECLARATION = re.compile(r"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.ASCII)
_LINE_END = re.compile(r"\r\n|\r|\n")
_CYTHON = re.compile(r"(?i).*\.p(?:yx|xd|xi)", re.DOTALL)
_ASCII = bytes(range(128)) + b" \\u0041 \\x41 \\101 \\N{BULLET} +AAo- ~{<:~} =0A &#10; x-y"
"""Bytes that an encoding must not change, with escapes of several kinds among them."""


def encodings(source: SourceText, path: str) -> Iterator[Hit]:
    """Yield the declaration of an encoding in which Python reads other code than a person does.

    Minor is one of several bytes a character, such as GBK, which can swallow the backslash after a character.

    Args:
        source: The file.
        path: Its path; Python files are known by it or by their first line.
    """
    first_lines = _LINE_END.split("\n".join(source.lines[:2]))[:2]
    if not _is_python(path, first_lines[0]):
        return
    for number, line in enumerate(first_lines, 1):
        declared = _DECLARATION.match(line)
        if declared is None:
            continue
        name = declared[1].lower().replace("_", "-")
        what = f"The declared encoding {declared[1]!r}"
        if name.startswith(("utf-8", "utf8")):
            return
        if not _keeps(name, _ASCII):
            yield Hit("disguised-encoding", min(number, len(source.lines)), declared.start(1) + 1, what)
        elif not source.text.isascii() and not all(_keeps_next(name, byte) for byte in range(0x80, 0x100)):
            yield Hit("disguised-encoding", min(number, len(source.lines)), declared.start(1) + 1, what, minor=True)
        return


def _is_python(path: str, first: str) -> bool:
    """Return whether Python, or Cython, reads a file: by its name, or by the interpreter on its first line."""
    if language_of(path) == "python" or _CYTHON.fullmatch(path):
        return True
    return first.startswith("#!") and ("python" in first or language_of_script(first) == "python")


def _keeps(name: str, text: bytes) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes that are none
            return text.decode(_as_python(name)) == text.decode("ascii")
    except (LookupError, ValueError):  # none that Python knows, or not of text
        return False


def _keeps_next(name: str, byte: int) -> bool:
    return bytes((byte, 0x5C)).decode(_as_python(name), "replace")[1:] == "\\"


def _as_python(name: str) -> str:
    """Return a name as Python's tokenizer takes it: what an editor adds about line ends is left out."""
    latin = re.match(r"(?:latin-1|iso-8859-1|iso-latin-1)(?:-|$)", name.lower().replace("_", "-"))
    return "latin-1" if latin else re.sub(r"[-_](?:unix|dos|mac)$", "", name)
