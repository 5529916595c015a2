"""The results that every output format is shown with."""

from __future__ import annotations

from selfreview.api import Category, IssueStatus, Place, ReviewerStatus, Severity, Side, Verdict
from selfreview.model.result import (
    Coverage,
    DepthLines,
    ErrorInfo,
    Excluded,
    Result,
    ResultStatus,
    ScopeSummary,
    Usage,
)
from selfreview.model.wire import base64_path

from .builders import Texts, incomplete, issue, ran, result

APP = """\
import sqlite3


def find(name):
    cursor = sqlite3.connect("users.db").cursor()
    cursor.execute(f"select * from users where name = '{name}'")
    return cursor.fetchall()


def names(rows=[]):
    return 名前 + undefined
"""
OLD_TEST = "def test_find():\n    rows = find('ada')\n    assert rows == []\n"

CONTEXT = Texts(
    new={"src/app.py": APP, "tests/test_app.py": "def test_find():\n    rows = find('ada')\n"},
    old={"tests/test_app.py": OLD_TEST},
    spans={"src/app.py": [(4, 0, 5, 3), (8, 0, 10, 2)], "tests/test_app.py": [(3, 1, 2, 0)]},
)

ISSUES = [
    issue("src/app.py", 11, "medium", "Undefined name `undefined`", column=17, rule="F821", id="sr-00000003"),
    issue(
        "src/app.py",
        6,
        "critical",
        "A query is built from text: whoever gives `name` decides what it does.\nPass values as parameters.",
        category=Category.SECURITY,
        column=20,
        rule="S608",
        suggested_fix='cursor.execute("select * from users where name = ?", (name,))',
        also_reported_by=["rules"],
        id="sr-00000001",
    ),
    issue(
        "src/app.py",
        4,
        "high",
        "The connection is never closed.",
        category=Category.ARCHITECTURE,
        line_end=7,
        reviewer="claude",
        confidence=0.85,
        related=[Place(file="src/pool.py", line_start=12, line_end=12, note="closes its own")],
        id="sr-00000002",
    ),
    issue(
        "tests/test_app.py",
        3,
        "medium",
        "An assertion was removed.",
        category=Category.TESTING,
        side=Side.OLD,
        column=5,
        rule="removed-assertion",
        reviewer="rules",
        id="sr-00000004",
    ),
    issue("src/app.py", 10, "low", "Mutable default argument", column=12, rule="B006", id="sr-00000005"),
    issue("README.md", 0, "low", "No line feed at the end of the file", rule="eof", reviewer="text", id="sr-00000006"),
    issue(
        "src/a/rather/long/path/module.py",
        100,
        "suggestion",
        "A comprehension says the same in one line, and runs faster than the loop with its calls of append.",
        column=5,
        rule="PERF401",
        id="sr-00000007",
    ),
    issue("src/app.py", 5, "high", status=IssueStatus.SUPPRESSED, id="sr-00000008"),
    issue("src/app.py", 900, "high", status=IssueStatus.OUT_OF_SCOPE, id="sr-00000009"),
    issue(
        "src/app.py", 7, "high", "May return None.", status=IssueStatus.UNCONFIRMED, reviewer="claude", id="sr-0000000a"
    ),
]

ODD = "caf\udce9/\u202egpj.py"

SAMPLES: dict[str, Result] = {
    "pass": result(),
    "needs_work": result(
        *ISSUES,
        model_reviewed=True,
        notes=["1 suppression is in force: S105."],
        scope=ScopeSummary(
            mode="branch",
            base="origin/main",
            merge_base="1" * 40,
            head="2" * 40,
            files=11,
            added_lines=40,
            removed_lines=1,
            uncommitted=True,
            partial=True,
        ),
        duration_ms=4210,
        reviewers=[
            ran(),
            ran("claude"),
            ran("semgrep", ReviewerStatus.SKIPPED, error="not installed", hint="pip install semgrep"),
            ran("hadolint", ReviewerStatus.NOT_APPLICABLE),
        ],
        usage=Usage(requests=2, input_tokens=2000, cache_read_tokens=7000, output_tokens=600, cost_usd=0.0213),
        coverage=Coverage(
            files=11,
            reviewed_files=4,
            added_lines=40,
            depth=DepthLines(text=40, static=30, model=40),
            text_only=["README.md", "schema.sql"],
            excluded=[
                *(Excluded(path=f"vendor/v{n}.js", why="vendored") for n in range(4)),
                Excluded(path="package-lock.json", why="lock file"),
                Excluded(path="logo.png", why="binary"),
                Excluded(path="logo2.png", why="binary"),
            ],
        ),
    ),
    "incomplete": incomplete(
        ISSUES[0],
        coverage=Coverage(files=3, reviewed_files=2, added_lines=40, depth=DepthLines(text=40, static=30)),
    ),
    "nothing": result(
        status=ResultStatus.NOTHING_TO_REVIEW,
        coverage=Coverage(),
        reviewers=[],
        scope=ScopeSummary(mode="branch", base="origin/main", merge_base="1" * 40, head="1" * 40),
    ),
    "error": Result(
        status=ResultStatus.ERROR,
        timestamp="2026-11-27T21:00:00Z",
        error=ErrorInfo(
            message="the base 'origin/main' cannot be found", hint="run git fetch origin main, or give --base REF"
        ),
    ),
    "odd path": result(
        issue(ODD, 1, "high", "Looks like an image.", path_bytes=base64_path(ODD)),
        coverage=Coverage(
            files=2,
            reviewed_files=1,
            added_lines=1,
            excluded=[Excluded(path="\udcff", why="binary", path_bytes="/w==")],
        ),
    ),
}
assert SAMPLES["needs_work"].verdict is Verdict.CRITICAL_ISSUES
assert {i.severity for i in SAMPLES["needs_work"].open_issues} == set(Severity)
