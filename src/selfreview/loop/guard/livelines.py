"""Code of a file's lines, without comments and strings, in bounded work."""

from __future__ import annotations

from collections.abc import Sequence

from selfreview.rules.live import live_lines
from selfreview.syntax.parsing import parse
from selfreview.syntax.pytext import code_lines

LONGEST = 2_000
"""Characters of a line above which it is not parsed: nobody writes such lines, and parsing them takes very long."""


def live(language: str, lines: Sequence[str]) -> list[str]:
    """Return the code of lines, each at its place; of a line that is too long, all of it.

    Python is not parsed: that takes very long where there are many comments.

    Args:
        language: Their language, one of :data:`selfreview.rules.live.KINDS`.
        lines: The lines.
    """
    if language == "python":
        code = code_lines("\n".join(lines))
    else:
        short = [line.encode("utf-8", "replace").decode() if len(line) <= LONGEST else "" for line in lines]
        code = live_lines(parse("\n".join(short), language), language, short)
    return [left if len(line) <= LONGEST else line for line, left in zip(lines, code, strict=True)]
