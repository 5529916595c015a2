"""Code that was commented out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from selfreview.guard.model import Rejection
from selfreview.guard.patch import File, Patch
from selfreview.syntax.grammar import GRAMMARS
from selfreview.syntax.parsing import live_lines, parse
from selfreview.syntax.pytext import code_lines

LONGEST = 2_000
"""Characters of a line above which it is not parsed: nobody writes such lines, and parsing them takes very long."""


def live(language: str, lines: Sequence[str]) -> list[str]:
    """Return the code of lines, each at its place; of a line that is too long, all of it.

    Python is not parsed: that takes very long where there are many comments.

    Args:
        language: Their language.
        lines: The lines.
    """
    if language == "python":
        code = code_lines("\n".join(lines))
    else:
        short = [line.encode("utf-8", "replace").decode() if len(line) <= LONGEST else "" for line in lines]
        code = live_lines(parse("\n".join(short), language), language, short)
    return [left if len(line) <= LONGEST else line for line, left in zip(lines, code, strict=True)]


_OPENING = re.compile(r"//+|#+|--|/\*|\*|;+|<!--")
_CODE = re.compile(r"[=(){}\[\];:.]|^\s*(?:return|raise|break|continue|end)\b")
_SHORTEST = 6


def commented_out(patch: Patch) -> Iterator[Rejection]:
    """Reject code that was turned into comments, or is now inside a comment or a string."""
    for file in patch.files:
        if file.language is not None and (_has_commented(file) or _has_taken_out(file)):
            reason = "Correct the code or delete it; do not leave it as a comment."
            yield Rejection(file.path, "commented-out", reason)


def _has_commented(file: File) -> bool:
    for hunk in file.hunks:
        gone = {line.strip() for line in hunk.old if _is_code(line) and _commented(line) is None}
        if any(_commented(line) in gone for line in hunk.new):
            return True
    return False


def _is_code(line: str) -> bool:
    return len(line.strip()) >= _SHORTEST and _CODE.search(line) is not None


def _has_taken_out(file: File) -> bool:
    """Return whether former lines of code are still there, but inside a comment or a string."""
    if file.language not in GRAMMARS:
        return False
    code, text = _sorted(file.language, file.old_lines)
    code_now, text_now = _sorted(file.language, file.new_lines)
    return any(text_now[line] > text[line] and code_now[line] < code[line] for line in text_now)


def _sorted(language: str, lines: Sequence[str]) -> tuple[Counter[str], Counter[str]]:
    """Return the lines that are code, and those that are none."""
    code, text = Counter[str](), Counter[str]()
    for line, left in zip(lines, live(language, lines), strict=True):
        if len(line.strip()) >= _SHORTEST:
            (code if left.strip() else text)[line.strip()] += 1
    return code, text


def _commented(line: str) -> str | None:
    """Return the text of a line that is a comment, or None where it is none."""
    bare = line.strip()
    opening = _OPENING.match(bare)
    return None if opening is None else bare[opening.end() :].removesuffix("*/").removesuffix("-->").strip()
