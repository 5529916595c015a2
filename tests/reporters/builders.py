"""Results, changes and a context for the tests of the output formats."""

from __future__ import annotations

import io
from collections import Counter

from selfreview.api import (
    Category,
    Change,
    ChangedFile,
    Issue,
    IssueStatus,
    Reporter,
    Result,
    Scope,
    Severity,
    Side,
    SourceText,
)
from selfreview.model.change import HunkSpan
from selfreview.model.result import (
    Counts,
    Coverage,
    Depth,
    DepthLines,
    ResultStatus,
    ReviewerReport,
    ReviewerStatus,
    ScopeSummary,
    Verdict,
)


def issue(file="src/app.py", line=3, severity=Severity.MEDIUM, description="Something is wrong.", **more):
    """Return an issue; ``more`` sets any other field."""
    values = {
        "id": "sr-00000000",
        "severity": Severity(severity),
        "category": Category.LOGIC,
        "file": file,
        "line_start": line,
        "line_end": line,
        "side": Side.NEW,
        "description": description,
        "reviewer": "ruff",
        "fingerprint": "v1:0",
    }
    return Issue(**{**values, **more})


def ran(name="ruff", status=ReviewerStatus.OK, **more):
    """Return a reviewer's report."""
    files = 2 if status is ReviewerStatus.OK else 0
    return ReviewerReport(
        name=name, status=status, **{"duration_ms": 120, "depth": Depth.STATIC, "files": files, **more}
    )


def result(*issues, **more):
    """Return a result whose counts and verdict follow from its issues."""
    tally = Counter(i.severity for i in issues if i.status is IssueStatus.OPEN)
    if tally[Severity.CRITICAL]:
        verdict = Verdict.CRITICAL_ISSUES
    elif tally[Severity.HIGH] or tally[Severity.MEDIUM]:
        verdict = Verdict.NEEDS_WORK
    else:
        verdict = Verdict.PASS
    values = {
        "verdict": verdict,
        "passed": verdict is Verdict.PASS,
        "timestamp": "2026-11-27T21:00:00Z",
        "duration_ms": 412,
        "issues": list(issues),
        "counts": Counts(**{s.value: tally[s] for s in Severity}),
        "scope": ScopeSummary(
            mode="branch", base="origin/main", merge_base="1" * 40, head="2" * 40, files=3, added_lines=40
        ),
        "coverage": Coverage(files=3, reviewed_files=3, added_lines=40, depth=DepthLines(text=40, static=30)),
        "reviewers": [ran(), ran("secrets", depth=Depth.TEXT, duration_ms=412)],
    }
    return Result(**{**values, **more})


def incomplete(*issues, **more):
    """Return a result in which one reviewer failed and one did not finish."""
    values = {
        "status": ResultStatus.INCOMPLETE,
        "verdict": None,
        "passed": False,
        "reviewers": [
            ran(),
            ran("rules", ReviewerStatus.TIMED_OUT, error="no answer within 60 s", hint="raise agent_timeout"),
            ran("command.eslint", ReviewerStatus.FAILED, error="exited with status 2: Cannot find module 'eslint'"),
        ],
    }
    return result(*issues, **{**values, **more})


class Texts:
    """A context that holds texts.

    Args:
        new, old: Text by path on that side.
        spans: Hunks without context by path.
        renamed: Old path by new path.
    """

    def __init__(self, new=None, old=None, spans=None, renamed=None):
        self._sides = {Side.NEW: new or {}, Side.OLD: old or {}}
        self.config = {"on_incomplete": "fail"}
        origin = renamed or {}
        paths = sorted({*self._sides[Side.NEW], *self._sides[Side.OLD]} - {*origin.values()} | {*origin})
        files = tuple(
            ChangedFile(
                path=path,
                old_path=origin.get(path),
                spans=tuple(HunkSpan(*span) for span in (spans or {}).get(path, ())),
            )
            for path in paths
        )
        self.change = Change(scope=Scope(mode="branch"), files=files)

    def text(self, file, side=Side.NEW):
        """Return the text of a file, split on line feeds."""
        text = self._sides[side].get(file.path if side is Side.NEW else file.path_at_base)
        return None if text is None else SourceText(lines=tuple(text.split("\n")), is_utf8=True)


def render(reporter: Reporter, outcome, context=None, color=False, width=80) -> str:
    """Return what a reporter writes."""
    out = io.BytesIO()
    reporter.write(outcome, out, context=context, color=color, width=width)
    return out.getvalue().decode("utf-8")
