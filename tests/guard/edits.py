"""Edits as data: what a file was, what a fixer made of it, and what it was told."""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Mapping

from selfreview.api import ConfigView
from selfreview.git.worktree_files import Entry
from selfreview.guard import Bounds, Edited, Rejection, examine, split
from selfreview.model.change import Change, ChangedFile, FileStatus, HunkSpan, Scope
from selfreview.model.issue import Category, Issue, Place, Severity, Side
from selfreview.testing.context import MemoryConfig

CONFIG = {
    "baseline": "selfreview-baseline.json",
    "exclude": ["examples/"],
    "max_file_bytes": 2_000_000,
    "tests": "hold",
    "rules_path": ["lint/own/", "one.yml"],
}
Content = str | bytes | Entry | None


@dataclasses.dataclass(frozen=True)
class Edit:
    """Edits of one fixer.

    Attributes:
        files: By path, what was there and what is there now; text is dedented.
        changed: Paths that the change under review holds; by default those of the edits that are there on both sides.
        spans: By path, lines that the change adds.
        issues: Path, line (or the first and the last one) and description of the issues.
        reasons: As the fixer gives them.
    """

    files: Mapping[str, tuple[Content, Content]]
    changed: tuple[str, ...] | None = None
    spans: Mapping[str, tuple[int, int]] = dataclasses.field(default_factory=dict)
    issues: tuple[tuple[str, int | tuple[int, int], str], ...] = ()
    reasons: Mapping[str, str] = dataclasses.field(default_factory=dict)
    related: tuple[str, ...] = ()
    marked: Mapping[str, str] = dataclasses.field(default_factory=dict)
    checks: Mapping[str, object] = dataclasses.field(default_factory=dict)
    hooks: tuple[str, ...] = ()


def entry(content: Content) -> Entry | None:
    if content is None or isinstance(content, Entry):
        return content
    if isinstance(content, bytes):
        return Entry("100644", content)
    return Entry("100644", textwrap.dedent(content).removeprefix("\n").encode())


def judge(edit: Edit) -> list[Rejection]:
    """Return why edits are rejected; where they are not, which files wait for a person, as the rule ``held``."""
    edits = [Edited(path, entry(old), entry(new)) for path, (old, new) in edit.files.items()]
    names = edit.changed if edit.changed is not None else tuple(edit.files)
    files = tuple(_changed(path, edit) for path in sorted(names))
    issues = [_issue(*one, edit.related) for one in edit.issues]
    change = Change(scope=Scope(mode="branch"), files=files)
    bounds = Bounds(change, issues, _config(edit.checks), edit.reasons, edit.marked, edit.hooks)
    rejected = examine(edits, bounds)
    if rejected:
        return rejected
    held = split(edits, bounds).held
    return list(dict.fromkeys(Rejection(one.path, "held", "It waits for the person.") for one in held))


def _changed(path: str, edit: Edit) -> ChangedFile:
    first, last = edit.spans.get(path, (0, 0))
    spans = (HunkSpan(first, 0, first, last - first + 1),) if first else ()
    return ChangedFile(path=path, status=FileStatus.MODIFIED, spans=spans)


def _issue(path: str, lines: int | tuple[int, int], description: str, related: tuple[str, ...]) -> Issue:
    first, last = lines if isinstance(lines, tuple) else (lines, lines)
    return Issue(
        id=f"sr-{first:08x}",
        severity=Severity.HIGH,
        category=Category.LOGIC,
        file=path,
        line_start=first,
        line_end=last,
        side=Side.NEW,
        description=description,
        reviewer="rules",
        fingerprint="v1:0",
        related=[Place(file=other, line_start=1, line_end=1) for other in related],
    )


def _config(checks: Mapping[str, object]) -> ConfigView:
    return MemoryConfig({**CONFIG, "checks": checks})
