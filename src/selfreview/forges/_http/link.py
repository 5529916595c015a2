"""The ``Link`` header (RFC 8288), as far as pages need it."""

from __future__ import annotations

import re

_TARGET = re.compile(r"\s*,?\s*<([^>]*)>")
_PARAMETER = re.compile(r"""\s*;\s*([^\s=;,<>"]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?""")


def next_page(header: str | None) -> str | None:
    """Return the URL of the next page, or None on the last.

    A header that is malformed is read up to where it is. A URL may hold commas and semicolons.
    """
    position = 0
    text = header or ""
    while target := _TARGET.match(text, position):
        position = target.end()
        relation = None
        while parameter := _PARAMETER.match(text, position):
            position = parameter.end()
            if relation is None and parameter[1].lower() == "rel":
                relation = parameter[2] if parameter[2] is not None else parameter[3] or ""
        if relation is not None and "next" in relation.lower().split():
            return target[1]
    return None
