"""Strings, comments and imported names of a Python text, found without a parser: also where the text is broken."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

ENCODING = re.compile(r"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.ASCII)
"""Declaration of a text's encoding, on the first or second line."""

_START = re.compile("\"\"\"|'''|[\"'#]")
_FORMATTED = re.compile(r"(?<!\w)(?:[ft]r?|r[ft])\Z", re.IGNORECASE)
_REST = {
    "#": re.compile(r"[^\n]*"),
    '"': re.compile(r'(?:[^"\\\n]++|\\(?:\r\n|[\s\S])?+)*+"?'),
    "'": re.compile(r"(?:[^'\\\n]++|\\(?:\r\n|[\s\S])?+)*+'?"),
    '"""': re.compile(r'(?:[^"\\]++|\\[\s\S]?+|"(?!""))*+(?:""")?'),
    "'''": re.compile(r"(?:[^'\\]++|\\[\s\S]?+|'(?!''))*+(?:''')?"),
}
_LITERAL = {quote: re.compile(rf"\\(?:\r\n|[^{{}}])?|\{{\{{?|\}}|\n|{quote}") for quote in ('"', "'", '"""', "'''")}
"""Tokens with a meaning in a formatted string, outside its fields; a backslash escapes no brace."""
_CODE = re.compile(_START.pattern + r"|[()\[\]{}:]")
"""Tokens with a meaning in a field."""
_FIELD, _BRACKET, _FORM = "{", "(", ":"
"""Marks of what is open within a formatted string, besides quotes; a form's is followed by the string's quote."""


class Part(NamedTuple):
    """A string from its first quote to its last, with the fields of a formatted one, or a comment.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        is_comment: Whether it is a comment.
    """

    start: int
    end: int
    is_comment: bool


def parts(text: str) -> Iterator[Part]:
    """Yield the strings and comments of a Python text; what is not closed ends with its line, or the text.

    Args:
        text: The text.
    """
    end = 0
    while (start := _START.search(text, end)) is not None:
        end = _end(text, start)
        yield Part(start.start(), end, start[0] == "#")


def code_lines(text: str) -> list[str]:
    """Return the lines of a Python text without strings and comments.

    Args:
        text: The text.
    """
    code, at = [], 0
    for part in parts(text):
        code += [text[at : part.start], "\n" * text.count("\n", part.start, part.end)]
        at = part.end
    return "".join([*code, text[at:]]).split("\n")


def _end(text: str, start: re.Match[str]) -> int:
    """Return where a string or comment ends."""
    if _is_formatted(text, start):
        return _formatted_end(text, start)
    rest = _REST[start[0]].match(text, start.end())
    assert rest is not None  # noqa: S101 - nothing at all is a rest, too
    return rest.end()


def _is_formatted(text: str, start: re.Match[str]) -> bool:
    return start[0] != "#" and _FORMATTED.search(text[max(0, start.start() - 3) : start.start()]) is not None


def _formatted_end(text: str, start: re.Match[str]) -> int:
    """Return where a formatted string ends, whose fields hold any code, also strings in the same quotes."""
    opened, at = [start[0]], start.end()
    while opened:
        in_code = opened[-1] in (_FIELD, _BRACKET)
        token = (_CODE if in_code else _LITERAL[opened[-1].removeprefix(_FORM)]).search(text, at)
        if token is None:
            return len(text)
        at = token.end()
        if not in_code:
            _in_literal(token[0], opened)
        elif token[0] not in _REST:
            _in_code(token[0], opened)
        elif _is_formatted(text, token):
            opened.append(token[0])
        else:
            at = _end(text, token)
    return at


def _in_literal(mark: str, opened: list[str]) -> None:
    """Take what stands in a formatted string, or in the form of a field, which ends with the field."""
    quote = opened[-1].removeprefix(_FORM)
    is_form = quote != opened[-1]
    ends_line = mark == "\n" and len(quote) == 1
    if mark == quote or (ends_line and not is_form):
        while opened.pop() != quote:
            pass
    elif ends_line:
        opened.pop()  # its field goes on, in some releases of Python 3.12
    elif mark == "}" and is_form:
        del opened[-2:]
    elif mark == "{" or (mark == "{{" and is_form):
        opened += [_FIELD] if mark == "{" else [_FIELD, _BRACKET]


def _in_code(mark: str, opened: list[str]) -> None:
    """Take a bracket or a colon in a field."""
    if mark in "([{":
        opened.append(_BRACKET)
    elif mark != ":":
        if opened[-1] == _BRACKET or mark == "}":
            opened.pop()
    elif opened[-1] == _FIELD:
        opened.append(_FORM + opened[-2].removeprefix(_FORM))


_FROM = re.compile(r"^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+(?:\(([^()]*)\)|([^\n]*))", re.MULTILINE)
_MODULE = re.compile(r"^[ \t]*import[ \t]+([^\n]*)", re.MULTILINE)
_AS = re.compile(r"([\w.]+)(?:\s+as\s+(\w+))?")


def with_modules(lines: list[str], known: Collection[str]) -> list[str]:
    """Return code in which calls of some functions are written with their module, however they were imported.

    A name that the file binds to anything else as well stays as it is.

    Args:
        lines: Code without comments and texts.
        known: The functions: ``html.escape``.
    """
    code = "\n".join(lines)
    names = {name: full for name, full in _imported(code) if full in known and not _is_bound(code, name)}
    if not names:
        return lines
    calls = re.compile(rf"(?<![\w.])({'|'.join(map(re.escape, names))})(?=\s*\()")
    return [calls.sub(lambda call: names[call[1]], line) for line in lines]


def _imported(code: str) -> Iterator[tuple[str, str]]:
    """Yield what a name refers to; for a module, each of its functions that is called."""
    for found in _FROM.finditer(code):
        for item in _AS.finditer(found[2] or found[3] or ""):
            yield item[2] or item[1], f"{found[1]}.{item[1]}"
    for found in _MODULE.finditer(code):
        for item in _AS.finditer(found[1]):
            if item[2]:
                for call in set(re.findall(rf"(?<![\w.]){item[2]}\.(\w+)(?=\s*\()", code)):
                    yield f"{item[2]}.{call}", f"{item[1]}.{call}"


def _is_bound(code: str, name: str) -> bool:
    name = re.escape(name.partition(".")[0])
    ways = (
        rf"^[ \t]*(?:(?:async[ \t]+)?def|class)[ \t]+{name}\b",
        rf"^[ \t]*(?:[\w.]+[ \t]*[,=][ \t]*){{0,20}}{name}[ \t]*(?:[:,][^=\n]*)?=(?!=)",
        rf"\bdef[ \t]+\w+[ \t]*\([^()]{{0,1000}}\b{name}\b(?![.(])",
        rf"\b(?:lambda|for)[ \t][^:\n]{{0,200}}\b{name}\b(?![.(])",
        rf"\b{name}[ \t]*:=",
    )
    return re.search("|".join(ways), code, re.MULTILINE) is not None
