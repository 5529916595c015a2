"""Unchanged code that helps to judge a change: what the changed lines call, and who calls what changed."""

from __future__ import annotations

from typing import NamedTuple


class Reference(NamedTuple):
    """A piece of unchanged code.

    Attributes:
        path: Its file.
        line_start, line_end: Its lines, counted from 1.
        text: Those lines.
        why: What it has to do with the change, in a few words for the model.
    """

    path: str
    line_start: int
    line_end: int
    text: str
    why: str
