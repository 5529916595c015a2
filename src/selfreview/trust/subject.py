"""The code and commands that a repository wants to run, under one digest."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from selfreview.trust.canonical import canonical

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
