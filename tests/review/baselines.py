"""Baselines, what they are asked about, and trees that tell what they were asked."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import msgspec

from selfreview.model.change import Change, FileStatus
from selfreview.model.issue import Issue, Severity, Side
from selfreview.review.accepted_issues import flagged_key
from selfreview.review.baseline import Baseline, BaselineEntry, Known
from selfreview.review.fingerprint import Identity
from selfreview.review.marks import Mark, OwnMarks
from selfreview.testing.context import MemoryContext
from tests.review.builders import make_issue

TEXT = "".join(f"line {number}\n" for number in range(1, 10))
LINES = TEXT.split("\n")
NEW_NAME: dict[str, tuple[str | None, str | None]] = {"new.py": (TEXT, f"{TEXT}more\n")}
"""A file that was renamed before, and in which the known line stood."""


def mark_of(path: str = "a.py", line: int = 3, *, side: str = "new", occurrence: int = 0, lines: Any = LINES) -> str:
    return Identity(
        reviewer="one", rule="R1", category=make_issue().category, evidence=None, path=path, lines=lines,
        line_start=line, line_end=line, side=side, occurrence=occurrence,
    ).fingerprint()  # fmt: skip


def entry(mark: str, **fields: Any) -> BaselineEntry:
    issue = make_issue()
    values: dict[str, Any] = {
        "file": "a.py", "line": 3, "severity": issue.severity, "category": issue.category, "reviewer": "one",
        "rule": "R1", "description": issue.description, "reason": "later", "by": "Ann", "date": "2026-01-02",
    }  # fmt: skip
    values |= fields
    values.setdefault("lines", flagged_key(make_issue(**_place(values)), "", LINES) if values["line"] else None)
    return BaselineEntry(fingerprint=mark, **values)


def _place(values: dict[str, Any]) -> dict[str, Any]:
    return {"file": values["file"], "line_start": values["line"], "line_end": values["line"], "rule": values["rule"]}


def issue(path: str = "a.py", line: int = 3, **fields: Any) -> Issue:
    values = {"file": path, "line_start": line, "line_end": line, "rule": "R1", "fingerprint": mark_of(path, line)}
    return make_issue(**{**values, **fields})


class Everybody:
    """Who has looked at everything, but for some."""

    def __init__(self, *unfinished: tuple[str, str]) -> None:
        self.unfinished = unfinished

    def has_finished(self, reviewer: str, path: str) -> bool:
        return (reviewer, path) not in self.unfinished


class Tree:
    """The files of a tree; remembers what it was asked."""

    def __init__(self, *paths: str) -> None:
        self.paths = paths
        self.asked: list[list[str]] = []

    def __call__(self, paths: Iterable[str]) -> Collection[str]:
        self.asked.append(sorted(paths))
        return [path for path in self.asked[-1] if path in self.paths]


def by_mark(*entries: BaselineEntry) -> dict[str, BaselineEntry]:
    return {entry.fingerprint: entry for entry in entries}


def baseline(
    *entries: BaselineEntry,
    own: tuple[BaselineEntry, ...] = (),
    still: tuple[BaselineEntry, ...] | None = None,
    files: dict[str, tuple[str | None, str | None]] | None = None,
    renamed: dict[str, str] | None = None,
    tree: Tree | None = None,
    reach: OwnMarks = OwnMarks.LIST,
    whole: bool = False,
    on_stale: Any = None,
    on_moved: Any = None,
    later: Any = lambda _path: (),
) -> Baseline:
    context = MemoryContext(files if files is not None else {"a.py": (None, TEXT)})
    changed = [
        msgspec.structs.replace(file, old_path=renamed[file.path], status=FileStatus.RENAMED)
        if renamed and file.path in renamed
        else file
        for file in context.change.files
    ]
    change = Change(scope=context.change.scope, files=tuple(changed))
    held = still if still is not None else (*entries, *own)
    known = Known(by_mark(*entries), by_mark(*own), frozenset(by_mark(*held)), whole, on_stale, on_moved, later)
    there = tree or Tree("a.py", "b.py")
    return Baseline(known, change, context.text, there, reach)


def marked(known: Baseline, first: Issue, *others: Issue) -> Mark | None:
    """Return the mark of the first of some issues."""
    known.look([first, *others])
    return known.mark(first)


def stale(known: Baseline, *issues: Issue, looked: Any = None) -> list[tuple[str, Side]]:
    known.look(issues)
    findings = list(known.leftovers(looked or Everybody()))
    for finding in findings:
        assert (finding.rule, finding.line_start, finding.severity) == ("stale-baseline", 0, Severity.LOW)
        assert finding.category.value == "style"
        assert finding.suggested_fix == "selfreview baseline prune removes it."
        assert finding.description.endswith("is not found any more: something is wrong here")
    return [(finding.file, finding.side) for finding in findings]
