"""TOML files as configuration sources, with the line of each key, which ``tomllib`` does not report."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Mapping
from typing import Any

from selfreview.config.values import KeyPath
from selfreview.errors import ConfigError
from selfreview.text.toml import parse_toml

Lines = dict[KeyPath, int]
"""Place in the document to line, from 1: of tables their header, of everything else its key."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class TomlFile:
    """A parsed file.

    Attributes:
        label: What to call it in messages.
        text: The document.
        document: The same, parsed.
    """

    label: str
    text: str
    document: Mapping[str, Any]

    @functools.cached_property
    def lines(self) -> Lines:
        """Line numbers by place in the document; computed on first use, since most runs need no line."""
        return locate(self.text)

    def place(self, path: KeyPath) -> str:
        """Return ``FILE:LINE`` of a place, or of what it is in."""
        for length in range(len(path), 0, -1):
            line = self.lines.get(path[:length])
            if line is not None:
                return f"{self.label}:{line}"
        return f"{self.label}:1"


def parse(data: bytes, label: str) -> TomlFile:
    """Parse a file's bytes; a byte order mark is allowed.

    Raises:
        ConfigError: If it is not UTF-8 or not TOML; names the file and the line.
    """
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{label}:{line}: not valid UTF-8", hint="save the file as UTF-8") from error
    try:
        document = parse_toml(text)
    except ValueError as error:
        line, message = _place_of(str(error), text)
        raise ConfigError(f"{label}:{line}: not valid TOML: {message}") from error
    return TomlFile(label=label, text=text, document=document)


def _place_of(message: str, text: str) -> tuple[int, str]:
    """Split tomllib's message into its line and its text."""
    match = re.fullmatch(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", message, re.DOTALL)
    if match is None:
        return 1, message
    last = text.rstrip().count("\n") + 1
    return int(match[2]) if match[2] else last, match[1]


def locate(text: str) -> Lines:
    """Return the line of every table, key and array element of a valid document; of each place the first.

    This reads documents that ``tomllib`` has accepted, so it only has to find where things end, not whether they are
    right. A dotted key ``a.b`` also stands for ``a``. Elements of arrays of tables count from 0 like those of other
    arrays.
    """
    return _Scanner(text.replace("\r\n", "\n")).scan()


_BLANK = re.compile(r"[ \t]*")
_BETWEEN = re.compile(r"(?:[ \t\n,]|#[^\n]*)*")
_TO_LINE_END = re.compile(r"[^\n]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
# A scalar that is no string: ends where the array, the inline table, a comment or the line ends.
_PLAIN = re.compile(r"[^\n,\]}#]*")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}(?!")' r"|'''.*?'{3,5}(?!')" r'|"(?:[^"\\\n]|\\.)*"' r"|'[^'\n]*'",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|x([0-9A-Fa-f]{2})|(.))", re.DOTALL)
_SHORT_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b"}


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.found: Lines = {}
        self._counted_to = 0
        self._line = 1

    def scan(self) -> Lines:
        table: KeyPath = ()
        arrays: dict[KeyPath, int] = {}  # of arrays of tables: how many elements have begun
        while True:
            self._skip(_BETWEEN)
            if self.position >= len(self.text):
                return self.found
            if self._at("[["):
                table = self._header(2, arrays)
            elif self._at("["):
                table = self._header(1, arrays)
            else:
                self._pair(table)
            self._skip(_TO_LINE_END)

    def _header(self, brackets: int, arrays: dict[KeyPath, int]) -> KeyPath:
        line = self._line_here()
        self.position += brackets
        keys = self._keys()
        path: KeyPath = ()
        for index, key in enumerate(keys):
            path = (*path, key)
            self.found.setdefault(path, line)
            if path in arrays and index < len(keys) - 1:
                path = (*path, arrays[path] - 1)  # inside the last element begun
        if brackets == 2:
            arrays[path] = arrays.get(path, 0) + 1
            path = (*path, arrays[path] - 1)
            self.found.setdefault(path, line)
        return path

    def _pair(self, table: KeyPath) -> None:
        line = self._line_here()
        path = table
        for key in self._keys():
            path = (*path, key)
            self.found.setdefault(path, line)
        self.position = self.text.index("=", self.position) + 1
        self._value(path)

    def _value(self, path: KeyPath) -> None:
        self._skip(_BLANK)
        if self._at("["):
            self._array(path)
        elif self._at("{"):
            self._inline_table(path)
        elif self._at('"') or self._at("'"):
            self._skip(_STRING)
        else:
            self._skip(_PLAIN)

    def _array(self, path: KeyPath) -> None:
        self.position += 1
        index = 0
        while True:
            self._skip(_BETWEEN)
            if self._at("]"):
                break
            self.found.setdefault((*path, index), self._line_here())
            self._value((*path, index))
            index += 1
        self.position += 1

    def _inline_table(self, path: KeyPath) -> None:
        self.position += 1
        while True:
            self._skip(_BETWEEN)
            if self._at("}"):
                break
            self._pair(path)
        self.position += 1

    def _keys(self) -> list[str]:
        """Read a key and move past it."""
        keys = []
        while True:
            self._skip(_BLANK)
            match = _STRING.match(self.text, self.position) or _BARE_KEY.match(self.text, self.position)
            if match is None:
                raise ValueError(f"no key at offset {self.position}")
            keys.append(_unquote(match.group()))
            self.position = match.end()
            self._skip(_BLANK)
            if not self._at("."):
                return keys
            self.position += 1

    def _at(self, prefix: str) -> bool:
        return self.text.startswith(prefix, self.position)

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.position)
        if match is not None:  # pragma: no branch - each of these patterns matches nothing as well
            self.position = match.end()

    def _line_here(self) -> int:
        self._line += self.text.count("\n", self._counted_to, self.position)
        self._counted_to = self.position
        return self._line


def _unquote(key: str) -> str:
    if key.startswith("'"):
        return key[1:-1]
    if not key.startswith('"'):
        return key
    return _ESCAPE.sub(_unescape, key[1:-1])


def _unescape(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    return chr(int(code, 16)) if code else _SHORT_ESCAPES.get(match[4], match[4])
