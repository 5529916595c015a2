"""The code and commands that a repository wants to run, under one digest."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any


def canonical(value: object) -> bytes:
    """Encode a TOML value so that two values have the same bytes exactly if they are the same value.

    Every part carries its type and its length, so that no text can pass for structure. Tables are sorted by key.
    """
    if isinstance(value, Mapping):
        pairs = sorted((str(key).encode("utf-8", "surrogatepass"), item) for key, item in value.items())
        return _tagged(b"t", (_tagged(b"k", (key,)) + canonical(item) for key, item in pairs))
    if isinstance(value, (list, tuple)):
        return _tagged(b"a", map(canonical, value))
    if isinstance(value, bytes):
        return _tagged(b"b", (value,))
    if isinstance(value, str):
        return _tagged(b"s", (value.encode("utf-8", "surrogatepass"),))
    # bool, int, float and the four kinds of date and time: their type's name, and a text that is exact.
    return _tagged(b"v", (f"{type(value).__name__}:{value!r}".encode(),))


def _tagged(tag: bytes, parts: Iterable[bytes]) -> bytes:
    body = b"".join(parts)
    return b"%s%d:%s" % (tag, len(body), body)


def code_lines(source: bytes) -> list[str]:
    """Return the numbered lines of a Python file, with everything invisible or controlling made visible.

    Its encoding and its line ends are those that Python sees: a declared encoding can make other code out of what an
    editor shows, and a lone carriage return ends a line. What Python cannot decode is shown byte by byte.
    """
    from importlib.util import decode_source

    from selfreview.text.escape import visible  # with json, which trust itself does without

    try:
        text = decode_source(source)
    except (SyntaxError, ValueError, LookupError):  # an unknown encoding, or bytes that are not in it
        text = source.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    lines = text.removeprefix("\ufeff").split("\n")
    if lines[-1] == "":
        del lines[-1]
    digits = len(str(len(lines)))
    return [f"{number:>{digits}} | {visible(line.expandtabs(4))}".rstrip() for number, line in enumerate(lines, 1)]


CONF_NAME = "selfreview_conf.py"
"""The local plugin's file name, at the top level of a repository."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class TrustSubject:
    """The code and commands that a repository wants to run.

    Attributes:
        digest: SHA-256 in hexadecimal over the code and the tables.
        conf: The bytes of ``selfreview_conf.py``, or None where there is none. Whoever loads it must run these bytes
            and not read the file again: it can have changed since.
        tables: The values that can make something run, as parsed.
    """

    digest: str
    conf: bytes | None
    tables: Mapping[str, Any]

    def describe(self) -> list[str]:
        """Return one line for each piece of code and command, for the person who decides."""
        lines = []
        if self.conf is not None:
            count = self.conf.count(b"\n") + (not self.conf.endswith(b"\n"))
            lines.append(f"{CONF_NAME}: {count} {'line' if count == 1 else 'lines'} of Python")
        for name, value in sorted(self.tables.items()):
            lines.extend(_describe(name, value))
        return lines


def executable_content(conf: bytes | None, tables: Mapping[str, Any]) -> TrustSubject | None:
    """Return the code and commands that a repository wants to run, or None where there are none.

    Args:
        conf: The bytes of ``selfreview_conf.py``, or None.
        tables: The parsed values of the repository's file that can make something run. Empty tables count as nothing.
    """
    import hashlib

    asked = {name: value for name, value in tables.items() if value not in ({}, [])}
    if conf is None and not asked:
        return None
    digest = hashlib.sha256(canonical([conf if conf is not None else False, asked])).hexdigest()
    return TrustSubject(digest=digest, conf=conf, tables=asked)


def _describe(name: str, value: object) -> list[str]:
    """Name a value and those below it, one line for each that is not a table; control characters are escaped."""
    if isinstance(value, Mapping) and value:
        return [line for key, item in sorted(value.items()) for line in _describe(f"{name}.{_plain(key)}", item)]
    return [f"{name} = {value!r}"]


def _plain(key: str) -> str:
    return key if key.replace("-", "").replace("_", "").isalnum() and key.isascii() else repr(key)
