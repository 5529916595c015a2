"""The results that every output format is shown with."""

from __future__ import annotations

from msgspec import structs

from selfreview.api import Category, IssueStatus, Place, ReviewerStatus, Severity, Side, Verdict
from selfreview.model.refinement import FixAnswer, FixerReport, FixOutcome, Refinement, Stop
from selfreview.model.result import (
    Coverage,
    DepthLines,
    ErrorInfo,
    Excluded,
    Iteration,
    KeptPatch,
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
FIRST = Iteration(
    refinement=Refinement(
        addressed_issue_ids=["sr-00000001", "sr-00000005"],
        unaddressed_issue_ids=["sr-00000003"],
        new_issues_introduced=["sr-0000000b"],
        fixers=[
            FixerReport(name="rules", issues=["sr-00000001"], files=["src/app.py"], duration_ms=20),
            FixerReport(
                name="claude",
                issues=["sr-00000003", "sr-00000004"],
                answers=[
                    FixAnswer(issue="sr-00000003", outcome=FixOutcome.ADDRESSED, why="Named what was meant."),
                    FixAnswer(
                        issue="sr-00000004",
                        outcome=FixOutcome.NEEDS_PERSON,
                        why="Whether an empty table is an error has to be decided\nby whoever owns the schema.",
                    ),
                ],
                rejected=[
                    "tests/test_app.py: it removes an assertion; leave tests as strict as they are "
                    "(removed-assertion)\n    assert rows == []"
                ],
                usage=Usage(requests=3, input_tokens=9000, output_tokens=3000, cost_usd=0.0172),
            ),
        ],
        files=2,
        added_lines=3,
        removed_lines=2,
        patch="p-1",
        usage=Usage(requests=3, input_tokens=9000, output_tokens=3000, cost_usd=0.0172),
        duration_ms=3440,
    ),
    review=result(ISSUES[0], issue(line=1, id="sr-0000000b")),
    addressed=[ISSUES[1], ISSUES[4]],
)
SECOND = Iteration(
    refinement=Refinement(
        addressed_issue_ids=["sr-00000003"],
        fixers=[FixerReport(name="ruff", issues=["sr-00000003", "sr-0000000b"], files=["src/app.py"])],
        files=1,
        removed_lines=1,
        duration_ms=90,
    ),
    review=result(issue(line=1, id="sr-0000000b")),
    addressed=[ISSUES[0]],
)
THIRD = Iteration(
    refinement=Refinement(
        unaddressed_issue_ids=["sr-0000000b"],
        fixers=[
            FixerReport(
                name="agent-codex", issues=["sr-0000000b"], error="it ended with status 1", hint="codex login", files=[]
            )
        ],
    ),
    review=SECOND.review,
)
PATCH = KeptPatch(id="p-20261127210000-ab12", file="/r/.git/selfreview/patches/p-1/change.patch", iteration=2, files=2)

SAMPLES["refined"] = result(
    ISSUES[0],
    ISSUES[1],
    iterations=[FIRST, SECOND, THIRD],
    stop=Stop.NO_CHANGE,
    stop_reason="no fixer made an edit that was accepted",
    patch=structs.replace(PATCH, reason="you answered no"),
)
SAMPLES["applied"] = result(
    iterations=[
        Iteration(
            refinement=Refinement(
                addressed_issue_ids=["sr-00000003"],
                fixers=[FixerReport(name="rules", issues=["sr-00000003"], notes="No test covers it.\nNone at all.")],
                files=1,
                added_lines=1,
                removed_lines=1,
                duration_ms=310,
            ),
            review=result(),
            addressed=[ISSUES[0]],
        )
    ],
    stop=Stop.PASSED,
    stop_reason="nothing blocks any more",
    patch=structs.replace(PATCH, iteration=1, applied=True, staged=True),
)
SAMPLES["stopped at once"] = result(ISSUES[0], stop=Stop.PLUGIN, stop_reason="not on a Friday")

assert SAMPLES["needs_work"].verdict is Verdict.CRITICAL_ISSUES
assert {i.severity for i in SAMPLES["needs_work"].open_issues} == set(Severity)
