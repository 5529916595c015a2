"""Result of one check of the text reviewer."""

from __future__ import annotations

from typing import NamedTuple


class Hit(NamedTuple):
    """One place.

    Attributes:
        check: Id in the table of checks.
        line: From 1; 0 for the file as a whole.
        column: From 1 in code points, or None.
        what: What stands there, for the message.
        last: Last line, where there are several.
        minor: Whether it counts as in prose even in code.
    """

    check: str
    line: int
    column: int | None
    what: str
    last: int = 0
    minor: bool = False
