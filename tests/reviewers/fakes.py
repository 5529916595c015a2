"""Reviewers tried on contents in memory, and programs that stand in for tools."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selfreview.api import Edit, Finding, Review, Reviewer, SourceText, capabilities
from selfreview.testing.context import MemoryContext

Sides = tuple[str | bytes | None, str | bytes | None]


@contextmanager
def opened(files: Mapping[str, Sides | str | bytes], **options: Any) -> Iterator[MemoryContext]:
    """Make a context; content alone stands for a new file."""
    pairs = {path: sides if isinstance(sides, tuple) else (None, sides) for path, sides in files.items()}
    context = MemoryContext(pairs, **options)
    try:
        yield context
    finally:
        context.close()


def run(reviewer: Reviewer, files: Mapping[str, Sides | str | bytes], **options: Any) -> Review:
    """Review everything that the reviewer selects."""
    with opened(files, **options) as context:
        review = reviewer.review([f for f in context.change.files if reviewer.selects(f)], context)
    listed = names_listed(reviewer)
    assert not listed or {finding.rule for finding in review.findings} <= listed
    return review


def names_listed(reviewer: Reviewer) -> set[str | None]:
    """Return the names of the rules that a reviewer lists; those of ruff once, for that starts it."""
    if reviewer.name not in _LISTED:
        _LISTED[reviewer.name] = {rule.id for rule in capabilities.of_reviewer(reviewer).known_rules()}
    return _LISTED[reviewer.name]


_LISTED: dict[str, set[str | None]] = {}


def key(reviewer: Reviewer, files: Mapping[str, Sides | str | bytes], **options: Any) -> bytes | None:
    """Return the reviewer's cache key."""
    with opened(files, **options) as context:
        return reviewer.cache_key(context)


def rules(review: Review, path: str | None = None) -> list[str | None]:
    """Return the rules that were found, in order of file and place."""
    found = [f for f in review.findings if path is None or f.file == path]
    return [f.rule for f in sorted(found, key=lambda f: (f.file, f.line_start, f.column or 0, f.rule or ""))]


def only(review: Review, rule: str) -> Finding:
    """Return the one finding of a rule."""
    (finding,) = [f for f in review.findings if f.rule == rule]
    return finding


def apply(text: str, edits: tuple[Edit, ...]) -> str:
    """Apply edits as their type documents them."""
    lines = text.split("\n")
    starts = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines) + 1)]

    def offset(line: int, column: int) -> int:
        return starts[line - 1] + column

    for edit in sorted(edits, key=lambda e: (e.line_start, e.column_start), reverse=True):
        first, last = offset(edit.line_start, edit.column_start), offset(edit.line_end, edit.column_end)
        text = text[:first] + edit.replacement + text[last:]
    return text


def under(finding: Finding, content: str | bytes) -> str:
    """Return the text of a finding's first line from its column on."""
    data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape")
    return SourceText.from_bytes(data).line(finding.line_start)[(finding.column or 1) - 1 :]


def program(folder: Path, body: str, name: str = "tool") -> Path:
    """Write an executable Python script."""
    path = folder / name
    path.write_text(f"#!{sys.executable}\nimport json, os, signal, sys, time\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


AGENT = """#!/bin/sh
\'\'\':'
[ "$*" = --version ] && {{ echo {version}; exit; }}
exec {python} "$0" "$@"
\'\'\'
import json, os, signal, sys, time
{body}
"""
"""A script in two languages: its version is told without the time that Python takes to start."""


def agent_program(folder: Path, body: str, name: str, *, version: str = "999.0.0") -> Path:
    """Write a program that stands in for an agent: it tells its version."""
    path = folder / name
    python = shlex.quote(sys.executable)
    path.write_text(AGENT.format(version=shlex.quote(version), python=python, body=body), encoding="utf-8")
    path.chmod(0o755)
    return path


def printer(folder: Path, output: Any, status: int = 0, end: str = "") -> Path:
    """Write a program that prints something, as JSON unless it is text or bytes, and ends with a status.

    Args:
        folder: Where it is written.
        output: What it prints.
        status: How it ends.
        end: A shell's words for what it does before.
    """
    data = output if isinstance(output, bytes) else output.encode() if isinstance(output, str) else None
    (folder / "printed").write_bytes(json.dumps(output).encode() if data is None else data)
    path = folder / "tool"
    printed = shlex.quote(str(folder / "printed"))
    path.write_text(f"#!/bin/sh\ncat {printed}\n{end}\nexit {status}\n", encoding="utf-8")
    path.chmod(0o755)
    return path
