"""TOML files as configuration sources."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Mapping
from typing import Any

from selfreview.config.values import KeyPath
from selfreview.errors import ConfigError
from selfreview.text.toml import parse_toml


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
    def lines(self) -> dict[KeyPath, int]:
        """Line numbers by place in the document; computed on first use, since most runs need no line."""
        from selfreview.config.locate import locate

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
