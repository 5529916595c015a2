"""Targets of a fixer's issues: the lines that they point at, and what they ask for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selfreview.guard.model import Bounds
from selfreview.guard.patch import File
from selfreview.model.issue import Issue, Side

_REMOVAL = re.compile(
    r"\b(?:unused|unreachable|dead\b|redundant|duplicat\w+|obsolete|superfluous|leftover|redefin\w+|stray"
    r"|never (?:\w+ ){0,2}(?:used|called|read|reached)"
    r"|not (?:\w+ )?(?:used|needed|called)|(?:delet|remov)(?:e|ing|ed)\b)",
    re.IGNORECASE,
)
_CLOSING = re.compile(r"\s*(?:[)\]}]|(?:end|else|elif|except|finally|rescue|ensure|catch)\b)")


def issues_of(file: File, bounds: Bounds) -> Iterator[Issue]:
    """Yield the issues that a file is the place of."""
    return (issue for issue in bounds.issues if issue.file in (file.path, file.old_path))


def is_pointed_at(file: File, bounds: Bounds, first: int = 0, last: int = 1 << 30) -> bool:
    """Return whether an issue is about a file as a whole, or about some of these lines of its old side."""
    return any(
        issue.line_start == 0 or (issue.side is Side.NEW and issue.line_start <= last and first <= issue.line_end)
        for issue in issues_of(file, bounds)
    )


def asks_for_removal(issue: Issue) -> bool:
    """Return whether an issue asks for something to be removed."""
    return _REMOVAL.search(f"{issue.description}\n{issue.suggested_fix or ''}") is not None


def lines_pointed_at(file: File, bounds: Bounds) -> set[int]:
    """Return the lines of the old side that issues are about, each with the indented block that it begins."""
    lines = file.old_lines
    found: set[int] = set()
    for issue in issues_of(file, bounds):
        if issue.line_start == 0:
            return set(range(1, len(lines) + 1))
        if issue.side is Side.OLD:
            continue
        last = max(issue.line_end, issue.line_start)
        found.update(range(issue.line_start, last + 1))
        found.update(_block(lines, issue.line_start))
    return found


def _block(lines: list[str], start: int) -> range:
    """Return the lines that are indented deeper than a line, and those that close what it opens."""
    if start > len(lines):
        return range(0)
    depth = _depth(lines[start - 1])
    end = start
    for number in range(start + 1, len(lines) + 1):
        line = lines[number - 1]
        if not line.strip():
            continue
        if _depth(line) <= depth and not (_depth(line) == depth and _CLOSING.match(line)):
            break
        end = number
    return range(start, end + 1)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
