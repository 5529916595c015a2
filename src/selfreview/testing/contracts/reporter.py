"""The contract of reporters, and results to try them with."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import pytest

from selfreview.api import (
    Category,
    Depth,
    Edit,
    Issue,
    IssueStatus,
    Place,
    Reporter,
    Result,
    ReviewerStatus,
    Severity,
    Side,
    Verdict,
)
from selfreview.model.refinement import FixAnswer, FixerReport, FixOutcome, Refinement, Stop
from selfreview.model.result import (
    Counts,
    Coverage,
    DepthLines,
    ErrorInfo,
    Excluded,
    Iteration,
    KeptPatch,
    ResultStatus,
    ReviewerReport,
    ScopeSummary,
)
from selfreview.model.wire import base64_path
from selfreview.review.fingerprint import MARK, id_of
from selfreview.testing.contracts.plugin import PluginContract, state

HOSTILE = (
    "\x1b[2J\x1b]0;title\x07\x9b31m \u202eright to left\u202c \u200bhidden\ufeff \x00\x08 \r over it"
    "\n::error::a command of a log\n%0A::set-output name=x::y ]]> --> </script><script>alert(1)</script>"
    " <img src=x onerror=alert(1)> | `code` | [link](javascript:alert(1)) & \"quoted\" 'too' \\ C:\\new\\table"
    " {{ 7*7 }} ${{ secrets.TOKEN }} $(touch pwned) \udcff"
)
"""Text that affects a reader who prints it as it is: terminals, logs of CI, XML, HTML, Markdown, shells, templates."""

CONTENTS: Mapping[str, bytes] = MappingProxyType(
    {
        "empty": b"",
        "one_line_feed": b"\n",
        "no_line_feed_at_the_end": b"name = 1",
        "carriage_returns": b"a = 1\r\nb = 2\r\n\rc = 3\r",
        "binary": bytes(range(256)) * 4,
        "not_utf8": b"# caf\xe9\nname = '\xff\xfe'\n",
        "byte_order_mark": b"\xef\xbb\xbfname = 1\n",
        "utf_16": "name = 1\n".encode("utf-16"),
        "a_huge_line": b"name = '" + b"a" * 50_000 + b"'\n",
        "deeply_nested": b"(" * 300 + b")" * 300 + b"\n",
        "odd_line_ends": "a = 1\u2028b = 2\x0bc = 3\x0cd = 4\x85e = 5\n".encode(),
        "hostile": HOSTILE.encode("utf-8", "surrogateescape") + b"\n",
    }
)
"""Contents of a file, by their oddity."""

NAMES = ("--help", "-rf", "@file", "a b;touch pwned", "$(touch pwned)", "caf\udce9", "two\nlines", " ", "'\"", "%s{}")
"""Beginnings of file names that are mistaken for options or commands, or are no text."""


def make_issue(number: int = 0, file: str = "src/app.py", **more: Any) -> Issue:
    """Make an issue."""
    fingerprint = f"{MARK}{number:08x}{'0' * 24}"
    values: dict[str, Any] = {
        "id": id_of(fingerprint),
        "severity": Severity.MEDIUM,
        "category": Category.LOGIC,
        "file": file,
        "line_start": number + 1,
        "line_end": number + 1,
        "side": Side.NEW,
        "description": f"This is wrong-{number}-indeed.",
        "reviewer": "ruff",
        "rule": "F821",
        "fingerprint": fingerprint,
        "path_bytes": base64_path(file),
    }
    return Issue(**{**values, **more})


def make_result(*issues: Issue, **more: Any) -> Result:
    """Make a result whose counts and verdict follow from its issues."""
    tally = Counter(issue.severity for issue in issues if issue.is_open)
    blocking = tally[Severity.HIGH] + tally[Severity.MEDIUM]
    verdict = Verdict.NEEDS_WORK if blocking else Verdict.PASS
    verdict = Verdict.CRITICAL_ISSUES if tally[Severity.CRITICAL] else verdict
    values: dict[str, Any] = {
        "verdict": verdict,
        "passed": verdict is Verdict.PASS,
        "timestamp": "2026-01-02T03:04:05Z",
        "summary": "As it says.",
        "duration_ms": 412,
        "issues": list(issues),
        "counts": Counts(**{severity.value: tally[severity] for severity in Severity}),
        "scope": ScopeSummary(mode="branch", base="main", merge_base="1" * 40, head="2" * 40, files=3, added_lines=40),
        "coverage": Coverage(files=3, reviewed_files=3, added_lines=40, depth=DepthLines(text=40, static=30)),
        "reviewers": [
            ReviewerReport(name="ruff", status=ReviewerStatus.OK, duration_ms=12, depth=Depth.STATIC, files=3)
        ],
    }
    return Result(**{**values, **more})


def many(count: int) -> Result:
    """Return a result with many issues, each of which says ``wrong-NUMBER-``."""
    return make_result(*(make_issue(number, file=f"src/{number % 7}.py") for number in range(count)))


def hostile(text: str = HOSTILE) -> Result:
    """Return a result with a text in every field that can hold one."""
    found = make_issue(
        file=text,
        severity=Severity.CRITICAL,
        description=text,
        suggested_fix=text,
        rule=text,
        evidence=text,
        reviewer=text,
        also_reported_by=[text],
        related=[Place(file=text, line_start=1, line_end=1, note=text)],
        edits=[Edit(line_start=1, column_start=0, line_end=2, column_end=0, replacement=text)],
    )
    marked = make_issue(1, file=text, description=text, status=IssueStatus.ACCEPTED, status_reason=text)
    answers = [FixAnswer(issue=found.id, outcome=outcome, why=text) for outcome in FixOutcome]
    fixer = FixerReport(name=text, issues=[found.id], answers=answers, rejected=[text], error=text, hint=text)
    return make_result(
        found,
        marked,
        status=ResultStatus.INCOMPLETE,
        summary=text,
        notes=[text],
        incomplete_reasons=[text],
        error=ErrorInfo(message=text, hint=text),
        scope=ScopeSummary(
            mode="branch", base=text, merge_base=text, head=text, branch=text, notes=[text], limits=[text]
        ),
        reviewers=[
            ReviewerReport(name=text, status=status, error=text, hint=text, gap=text, files=1)
            for status in ReviewerStatus
        ],
        coverage=Coverage(files=2, text_only=[text], excluded=[Excluded(path=text, why=text)]),
        iterations=[Iteration(refinement=Refinement(fixers=[fixer], notes=text), review=make_result(found))],
        stop=Stop.PLUGIN,
        stop_reason=text,
        patch=KeptPatch(id=text, file=text, iteration=1, files=1, reason=text),
    )


CLEAN = make_result()

RESULTS: Mapping[str, Result] = MappingProxyType(
    {
        "passed": CLEAN,
        "suggestions": make_result(make_issue(severity=Severity.SUGGESTION), make_issue(1, severity=Severity.LOW)),
        "needs_work": make_result(
            make_issue(suggested_fix="Define it.", column=3, confidence=0.5),
            make_issue(1, line_end=9, severity=Severity.HIGH, rule=None),
            make_issue(2, line_start=0, line_end=0, severity=Severity.LOW),
            make_issue(3, side=Side.OLD),
            make_issue(4, file="caf\udce9.py"),
            *(make_issue(5 + at, status=status, status_reason="so") for at, status in enumerate(IssueStatus)),
        ),
        "critical": make_result(make_issue(severity=Severity.CRITICAL, category=Category.SECURITY)),
        "incomplete": make_result(
            status=ResultStatus.INCOMPLETE,
            verdict=None,
            passed=False,
            incomplete_reasons=["ruff failed: it broke"],
            reviewers=[
                ReviewerReport(
                    name="ruff",
                    status=ReviewerStatus.FAILED,
                    error="it broke",
                    hint="fix it",
                    gap="ruff failed: it broke",
                )
            ],
        ),
        "nothing_to_review": make_result(
            status=ResultStatus.NOTHING_TO_REVIEW, reviewers=[], coverage=Coverage(), scope=ScopeSummary(mode="staged")
        ),
        "error": Result(status=ResultStatus.ERROR, error=ErrorInfo(message="there is no base", hint="name one")),
        "reviewed_by_a_model": make_result(model_reviewed=True),
    }
)
"""Results of every way in which a run can end, by name."""


class ReporterContract(PluginContract):
    """The contract of reporters; a subclass gives the fixture ``reporter``, and usually :meth:`check`.

    A reporter of log commands, such as that of GitHub Actions, sets ``log_commands``.
    """

    log_commands = False
    """True for a reporter whose output is log commands: lines that begin with ``::``."""
    has_all_issues = True
    """False for a reporter that shows no issues, such as a badge or a count."""

    @pytest.fixture
    def reporter(self) -> Reporter:
        """The reporter under test."""
        raise NotImplementedError("give a fixture that returns your reporter")

    def check(self, data: bytes) -> None:
        """Assert that a report is well formed: parse it as its readers do. By default anything is."""

    @pytest.fixture
    def plugin(self, reporter: Reporter) -> Reporter:
        """The reporter, for the contract of plugins of every kind."""
        return reporter

    # --- every result ------------------------------------------------------------------------------------------------

    @pytest.mark.parametrize("name", RESULTS)
    def test_every_result_can_be_reported(self, reporter: Reporter, name: str) -> None:
        """A result that passed, failed, is incomplete or an error gives well-formed UTF-8, at every width."""
        for width in (1, 200):
            self.written(reporter, RESULTS[name], width=width)

    def test_results_that_differ_read_differently(self, reporter: Reporter) -> None:
        """A change that could not be reviewed never looks like a pass."""
        passed = self.written(reporter, RESULTS["passed"])
        for name in ("needs_work", "critical", "incomplete", "error"):
            assert self.written(reporter, RESULTS[name]) != passed, f"{name} reads like a pass"

    def test_the_same_result_reads_the_same(self, reporter: Reporter) -> None:
        """A report holds no time of day, and nothing in an order by chance."""
        assert self.written(reporter, RESULTS["needs_work"]) == self.written(reporter, RESULTS["needs_work"])

    def test_every_open_issue_is_there(self, reporter: Reporter) -> None:
        """Every open issue is shown, however many there are."""
        if not self.has_all_issues:
            pytest.skip("it shows no issues")
        text = self.written(reporter, many(300), width=400)
        missing = [number for number in range(300) if f"wrong-{number}-" not in text]
        assert not missing or re.search(r"\bmore\b|\bnot shown\b|\bomitted\b", text), "issues are left out unsaid"

    # --- safely ------------------------------------------------------------------------------------------------------

    def test_text_of_others_acts_on_nobody(self, reporter: Reporter) -> None:
        """Text of a change, a tool or a model brings no control characters, no reordering and no log commands."""
        for width in (20, 200):
            text = self.written(reporter, hostile(), width=width)
            if text.count("\r\n") == text.count("\n"):  # the format's own ends of lines, such as those of CSV
                text = text.replace("\r\n", "\n")
            acting = sorted(set(re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]", text)))
            assert not acting, f"these reach the reader as they are: {[hex(ord(char)) for char in acting]}"

    @pytest.mark.parametrize("begins", ["::", "##[", "##vso[", "##teamcity["])
    def test_text_of_others_is_no_command_of_a_ci_log(self, reporter: Reporter, begins: str) -> None:
        """No line begins as a log command does, wherever lines are broken: CI services run what such lines say."""
        if self.log_commands:
            pytest.skip("log commands are what it writes")
        for text in (f"{begins}error]::it is one", f"It is one. {begins}error]::as well", f"It is.\n{begins}error]::a"):
            written = self.written(reporter, hostile(text), width=20)
            commands = [line for line in written.splitlines() if line.lstrip().startswith(begins)]
            assert not commands, f"a line that is a command: {commands[0]!r}"

    def test_colour_is_for_those_who_ask(self, reporter: Reporter) -> None:
        """Without ``color`` there is no escape sequence, and with it nothing but colours."""
        assert "\x1b" not in self.written(reporter, RESULTS["needs_work"])
        coloured = self.written(reporter, RESULTS["needs_work"], color=True)
        assert "\x1b" not in re.sub(r"\x1b\[[0-9;]*m", "", coloured)

    # --- properly ----------------------------------------------------------------------------------------------------

    def test_the_result_and_the_stream_stay_as_they_are(self, reporter: Reporter, elsewhere: Path) -> None:
        """The result, which others report too, is not changed; and nothing is written but to the stream."""
        result = RESULTS["needs_work"]
        before = msgspec.to_builtins(result), state(elsewhere)
        out = io.BytesIO()
        reporter.write(result, out, context=None, color=False, width=80)
        assert not out.closed
        assert (msgspec.to_builtins(result), state(elsewhere)) == before

    def test_it_reports_the_result_that_it_is_given(self, reporter: Reporter) -> None:
        """The reporter keeps nothing of an earlier result."""
        first = self.written(reporter, CLEAN)
        self.written(reporter, RESULTS["critical"])
        assert self.written(reporter, CLEAN) == first

    # --- helpers -----------------------------------------------------------------------------------------------------

    def written(self, reporter: Reporter, result: Result, *, color: bool = False, width: int = 80) -> str:
        """Return the report, checked."""
        out = io.BytesIO()
        reporter.write(result, out, context=None, color=color, width=width)
        if not color:
            self.check(out.getvalue())
        return out.getvalue().decode("utf-8")
