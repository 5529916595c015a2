"""Edits of tests in twelve languages: each is rejected, waits for a person, or is free.

``edits_of_tests.json`` holds fair edits and cheats, collected while a guard told them apart by reading tests; the sixth
column says what that guard did. By now every edit of a test that is there waits for a person, and both are held alike.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from selfreview.git.worktree_files import Entry
from selfreview.guard import Bounds, Edited, examine, split
from selfreview.model.change import Change, ChangedFile, FileStatus, HunkSpan, Scope
from selfreview.model.issue import Category, Issue, Severity, Side
from selfreview.testing.context import MemoryConfig

from .edits import CONFIG

_DATA = json.loads(Path(__file__).with_name("edits_of_tests.json").read_text("utf-8"))


class Case(NamedTuple):
    """One edit; see :class:`tests.guard.edits.Edit`."""

    name: str
    edits: list[list[Any]]
    issues: list[list[Any]]
    checks: dict[str, Any]
    reasons: list[str]
    change: list[list[Any]]
    before: str
    now: str


CASES = [Case(*case) for case in _DATA["cases"]]


def entry(number: int | None) -> Entry | None:
    if number is None:
        return None
    mode, text = _DATA["texts"][number]
    return Entry(mode, text.encode("utf-8", "surrogateescape"))


def judge(case: Case) -> str:
    edits = [Edited(path, entry(old), entry(new)) for path, old, new in case.edits]
    files = tuple(
        ChangedFile(path=path, status=FileStatus.MODIFIED, spans=tuple(HunkSpan(*span) for span in spans))
        for path, spans in case.change
    )
    issues = [
        Issue(
            id=f"sr-{number:08x}",
            severity=Severity.HIGH,
            category=Category.LOGIC,
            file=path,
            line_start=first,
            line_end=last,
            side=Side.NEW,
            description=description,
            reviewer="rules",
            fingerprint="v1:0",
        )
        for number, (path, first, last, description) in enumerate(case.issues)
    ]
    bounds = Bounds(
        change=Change(scope=Scope(mode="branch"), files=files),
        issues=issues,
        config=MemoryConfig({**CONFIG, "checks": case.checks}),
        reasons=dict.fromkeys(case.reasons, "it is needed"),
    )
    if examine(edits, bounds):
        return "rejected"
    return "held" if split(edits, bounds).held else "allowed"


@pytest.mark.parametrize("part", range(8))
def test_each_edit_is_rejected_held_or_allowed(part: int) -> None:
    wrong = {case.name: (judge(case), case.now) for case in CASES[part::8] if judge(case) != case.now}
    assert not wrong


def test_hardly_any_cheat_is_allowed_now() -> None:
    """The four that are: an issue points at just these lines."""
    counts = Counter((case.before, case.now) for case in CASES)
    assert counts["rejected", "allowed"] <= 4
    assert all(case.issues for case in CASES if (case.before, case.now) == ("rejected", "allowed"))
