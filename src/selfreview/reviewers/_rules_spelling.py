"""Normalisation of spellings that a language treats alike, which would hide a name from rules."""

from __future__ import annotations

import re
import unicodedata

_ESCAPE = r"\\u+(?:00[0-9a-fA-F]{2}|\{0*[0-9a-fA-F]{1,2}\})"
_CODE = re.compile(r"\\u+\{?([0-9a-fA-F]+)\}?")
_ESCAPED_NAME = re.compile(rf"(?<![\\\w$])[\w$]*(?:{_ESCAPE}[\w$]*)+")
_ESCAPED = re.compile(r"(?<!\\)((?:\\\\)*)\\u+00([0-9a-fA-F]{2})")
_LINE_FEED = re.compile(r"\\u+000[aAdD]")
"""A line that ends for the compiler, and with it a comment, but not for the parser."""
_WORD = re.compile(r"[\w$]+")
_NAME = re.compile(r"[^\W\d]\w*")
_SPLICED_NAME = re.compile(r"\w+(?:\\\r?\n\w+)+")
_SPLICED_COMMENT = re.compile(r"(\*|/)((?:\\\r?\n)+)(/|\*)")
_SPLICE = re.compile(r"\\\r?\n")
_QUOTED_NAME = re.compile(r"(?<![\w`])`(\w+)`(?=\s*\()")
_VERBATIM_NAME = re.compile(r"\.@([A-Za-z_]\w*)")
_KEYWORDS = frozenset(
    {"as", "in", "is", "if", "for", "fun", "func", "init", "object", "self", "super", "when", "while"}
)


def spelled(text: str, language: str) -> str:
    """Return code with its names as they are usually written; lines stay, and columns where they can.

    Args:
        text: The code.
        language: Its language.
    """
    if language == "python" and not text.isascii():
        return _NAME.sub(lambda name: _plain(name[0]), text)
    if language in ("c", "cpp", "bash") and "\\\n" in text.replace("\r", ""):
        text = _SPLICED_NAME.sub(lambda name: _joined(name[0]), text)
        return text if language == "bash" else _SPLICED_COMMENT.sub(r"\1\3\2", text)
    if language in ("kotlin", "swift") and "`" in text:
        return _QUOTED_NAME.sub(lambda name: name[0] if name[1] in _KEYWORDS else f"{name[1]}  ", text)
    if language == "csharp" and ".@" in text:
        text = _VERBATIM_NAME.sub(r".\1 ", text)
    if "\\u" not in text:
        return text
    if language == "java":
        return "\n".join(_decoded(line) for line in text.split("\n"))
    if language in ("javascript", "typescript", "tsx", "csharp"):
        return _ESCAPED_NAME.sub(lambda name: _unescaped(name[0]), text)
    return text


def _plain(name: str) -> str:
    """Return a name as Python knows it, where that is ASCII."""
    plain = name if name.isascii() else unicodedata.normalize("NFKC", name)
    return plain if plain.isascii() else name


def _joined(name: str) -> str:
    return "".join([*_SPLICE.split(name), *_SPLICE.findall(name)])


def _unescaped(name: str) -> str:
    plain = _CODE.sub(lambda code: chr(int(code[1], 16)), name)
    return plain.ljust(len(name)) if plain.isascii() and _WORD.fullmatch(plain) else name


def _decoded(line: str) -> str:
    """Return a line of Java as its compiler reads it, before it looks for comments and texts."""
    if "\\u" not in line:
        return line
    *before, last = _LINE_FEED.split(line)
    before = [f"{code}/*{comment}*/" if mark else code for code, mark, comment in (b.partition("//") for b in before)]
    whole = " ".join([*before, last])
    return _ESCAPED.sub(lambda code: code[1] + _character(int(code[2], 16)), whole).ljust(len(line))


def _character(code: int) -> str:
    return chr(code) if 0x20 <= code < 0x7F else " "
