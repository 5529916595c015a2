"""Checks of Go that a change folds into a loop over the same values."""

from __future__ import annotations

import re
from collections.abc import Sequence

_CHECK = re.compile(r"\bif\s+([^{}\n\"`]+?)\s*\{\s*(?=[tb]\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\()")
_ANY_CHECK = re.compile(r"\bif\s+([^{}\n]+?)\s*\{\s*(?=[tb]\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\()")
_LOOP = re.compile(r"^\tfor\s+_,\s*(\w+)\s*:=\s*range\s+\[\]\w+\{([^{}]*)\}\s*\{\s*(?=if\b)", re.MULTILINE)
_VALUE = re.compile(r"-?\w[\w.]*|\"[^\"\\,]*\"")
_COMMENT = re.compile(r"/[/*]")
_LEAVES = re.compile(r"\b(?:break|continue|goto|return|panic)\b")
_LEFT = re.compile(r"^\t(?:return|panic)\b", re.MULTILINE)
_CLOSED = re.compile(r"^\t\}|\A[^\n]*\}[ \t]*\}[ \t]*$", re.MULTILINE)


def folded(
    old: Sequence[str], new: Sequence[str], live: Sequence[str], lines: Sequence[int], span: tuple[int, int]
) -> tuple[set[int], int]:
    """Return which old checks loops of a new function still make, and how many checks of loops do.

    Only loops that stand in the function itself over values that are written out count, and what comes first in them.

    Args:
        old, new: The files' lines.
        live: Those of the new file without comments and texts, at the same columns.
        lines: Where the old checks report what they found.
        span: First and last line of the new function.
    """
    first, last = span
    before, after = "\n".join(old), "\n".join(new[first - 1 : last])
    code = "\n".join(live[first - 1 : last])
    wanted = {before.count("\n", 0, check.end()) + 1: _normal(check[1]) for check in _ANY_CHECK.finditer(before)}
    kept: set[int] = set()
    made = 0
    if len(code) != len(after):
        return kept, made
    for loop in _LOOP.finditer(after):
        check = _CHECK.match(after, loop.end())
        if check is None or not code.startswith("\tfor", loop.start()) or _LEFT.search(code, 0, loop.start()):
            continue
        if _COMMENT.search(after, loop.start(), check.end()):
            continue
        closed = _CLOSED.search(code[loop.end() :])
        if closed is None or _LEAVES.search(code, loop.end(), loop.end() + closed.end()):
            continue
        values = [value.strip() for value in loop[2].split(",") if value.strip()]
        name = re.compile(rf"(?<![\w.]){loop[1]}(?!\w)")
        rounds = {_normal(value.join(name.split(check[1]))) for value in values if _VALUE.fullmatch(value)}
        here = {line for line in lines if wanted.get(line) in rounds}
        kept |= here
        made += bool(here)
    return kept, made


def _normal(condition: str) -> str:
    return "".join(condition.split())
