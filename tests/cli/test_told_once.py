"""A cause is told once, however many reviewers and messages it has; and no other cause goes with it."""

from __future__ import annotations

import pytest

from tests.conftest import Workspace
from tests.rows import crossed

CONFLICT = """<<<<<<< HEAD
{ours}
=======
{theirs}
>>>>>>> other
"""

PYTHON = (
    f"def one(x):\n{CONFLICT.format(ours='    return x', theirs='    return 2 * x')}\n\ndef two(x):\n    return x\n"
)
SCRIPT = f"function one(x) {{\n{CONFLICT.format(ours='  return x;', theirs='  return 2 * x;')}}}\n"
GO = f"package main\n\nfunc one(x int) int {{\n{CONFLICT.format(ours='	return x', theirs='	return 2 * x')}}}\n"
SHELL = f"#!/bin/bash\nset -eu\n{CONFLICT.format(ours='echo one', theirs='echo two')}echo three\n"
DATA = "{\n" + CONFLICT.format(ours='  "a": 1', theirs='  "a": 2') + "}\n"

UNCLOSED_IF = """#!/bin/bash
set -eu
f() {
  if [ -n "$1" ]; then
    echo "$1"
  for x in a b; do
    echo "$x"
  done
}
f "$1"
"""
UNCLOSED_WHILE = UNCLOSED_IF.replace('if [ -n "$1" ]; then', 'while [ -n "$1" ]; do')


def told(workspace: Workspace, name: str, text: str, before: str | None = None) -> list[tuple[str, int]]:
    """Return the rules and lines of what is open."""
    if before is not None:
        workspace.git("switch", "-q", "main")
        workspace.commit("before", **{name: before})
        workspace.git("switch", "-q", "work")
        workspace.git("reset", "-q", "--hard", "main")
    workspace.write(name, text)
    issues = workspace.review("--no-fix")["issues"]
    return [(issue["rule"], issue["lineStart"]) for issue in issues if issue["status"] == "open"]


CONFLICTS = {
    "a.py": (PYTHON, 2),
    "a.js": (SCRIPT, 2),
    "a.ts": (SCRIPT, 2),
    "a.go": (GO, 4),
    "a.sh": (SHELL, 3),
    "a.json": (DATA, 2),
}


@pytest.mark.parametrize(("name", "exists"), crossed([*CONFLICTS], {"was there": True, "new": False}))
def test_a_conflict_is_told_as_that_alone(workspace: Workspace, name: str, exists: bool) -> None:
    text, line = CONFLICTS[name]
    lines = text.splitlines(keepends=True)
    start = next(number for number, one in enumerate(lines) if one.startswith("<<<<"))
    before = "".join([*lines[:start], lines[start + 1], *lines[start + 5 :]]) if exists else None
    assert told(workspace, name, text, before) == [("conflict-marker", line)]


@pytest.mark.parametrize(("text", "rule"), [(UNCLOSED_IF, "SC1046"), (UNCLOSED_WHILE, "SC1061")], ids=["if", "while"])
@pytest.mark.parametrize("exists", [False, True])
def test_what_is_never_closed_is_told_once(workspace: Workspace, text: str, rule: str, exists: bool) -> None:
    end = "fi" if rule == "SC1046" else "done"
    before = text.replace("  for x", f"  {end}\n  for x") if exists else None
    # Of a line that only went, it is the reviewer that compares both versions who knows.
    assert told(workspace, "a.sh", text, before) == ([("broken-syntax", 5)] if exists else [(rule, 4)])


def test_what_is_opened_within_a_script_is_told_once(workspace: Workspace) -> None:
    before = UNCLOSED_IF.replace("  for x", "  fi\n  for x")
    text = before.replace("  fi\n", "  fi\n  if true; then\n")
    assert told(workspace, "a.sh", text, before) == [("SC1046", 7)]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        # What is broken before a conflict does not come from it.
        ("a.py", f"def zero(x):\n    return (x\n\n\n{PYTHON}", {("conflict-marker", 6), ("invalid-syntax", 5)}),
        # Nor is one conflict the other.
        ("a.py", f"{PYTHON}{PYTHON.replace('one', 'uno')}", {("conflict-marker", 2), ("conflict-marker", 12)}),
        ("a.js", f"{SCRIPT}{SCRIPT}", {("conflict-marker", 2), ("conflict-marker", 9)}),
        # A character that nobody sees on a line is no part of what its code does.
        (
            "a.py",
            "import requests\n\nGOT = requests.get('https://h', verify=False, timeout=9)  # \u202ex\n",
            {("python-tls-verify-off", 3), ("bidi-control", 3)},
        ),
    ],
)
def test_another_cause_is_told_beside_it(
    workspace: Workspace, name: str, text: str, expected: set[tuple[str, int]]
) -> None:
    found = told(workspace, name, text)
    assert expected == set(found)
    assert len(found) == len(expected)
