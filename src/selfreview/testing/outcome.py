"""The outcome of a command line, and assertions that show its output."""

from __future__ import annotations

import json
import subprocess
from typing import Any, Self

import msgspec

from selfreview.errors import ExitCode
from selfreview.model.issue import Issue, IssueStatus, Severity
from selfreview.model.result import Result, ResultStatus, Verdict
from selfreview.model.wire import from_json


class RunResult:
    """The outcome of a command line.

    Args:
        code: The process's exit status; negative for a signal.
        stdout: What it wrote to standard output.
        stderr: The same of standard error.

    Attributes:
        code: As given.
        raw: Standard output as bytes.
        stdout: Standard output.
        stderr: Standard error.
    """

    def __init__(self, code: int, stdout: bytes, stderr: bytes) -> None:
        self.code = code
        self.raw = stdout
        self.stdout = stdout.decode("utf-8")
        self.stderr = stderr.decode("utf-8")

    @classmethod
    def of(cls, done: subprocess.CompletedProcess[bytes]) -> Self:
        """Make one of a finished process."""
        return cls(done.returncode, done.stdout, done.stderr)

    @property
    def exit_code(self) -> ExitCode:
        """The exit code.

        Raises:
            AssertionError: If it is none of selfreview's.
        """
        if self.code not in set(ExitCode):
            raise AssertionError(f"{self.code} is no exit code of selfreview\n{self!r}")
        return ExitCode(self.code)

    @property
    def json(self) -> Any:
        """Standard output as the one JSON document that it must be, as ``--format json`` writes it."""
        return json.loads(self.stdout)

    @property
    def verdict(self) -> Result:
        """The result that ``--format json`` wrote.

        Raises:
            AssertionError: If standard output is something else.
        """
        try:
            return from_json(self.raw, Result)
        except msgspec.MsgspecError as error:
            raise AssertionError(f"standard output is no result ({error}); run with --format json\n{self!r}") from error

    def assert_verdict(self, expected: Verdict | str | None) -> None:
        """Assert the verdict: ``"pass"``, ``"needs_work"``, ``"critical_issues"``, or None where there is none."""
        __tracebackhide__ = True
        wanted = None if expected is None else Verdict(expected)
        result = self.verdict
        if result.verdict is not wanted:
            raise AssertionError(f"the verdict is {_word(result.verdict)}, not {_word(wanted)}\n{_told(result, self)}")

    def assert_issues(
        self,
        count: int | None = None,
        *,
        rule: str | None = None,
        severity: Severity | str | None = None,
        file: str | None = None,
        line: int | None = None,
        reviewer: str | None = None,
        status: IssueStatus | str | None = IssueStatus.OPEN,
    ) -> list[Issue]:
        """Assert that there are issues of a kind; what was not reviewed has none and proves nothing.

        Args:
            count: How many; None for at least one.
            rule: Their rule; this and the following count where they are given.
            severity: Their severity.
            file: Their file.
            line: A line that they cover.
            reviewer: Who reported them.
            status: Where they stand; None for anywhere.

        Returns:
            The issues of that kind.
        """
        __tracebackhide__ = True
        wanted = {"rule": rule, "severity": severity and Severity(severity), "file": file, "reviewer": reviewer}
        wanted |= {"status": status and IssueStatus(status)}
        asked = {name: value for name, value in wanted.items() if value is not None}
        result = self.verdict
        if result.status is ResultStatus.ERROR or (result.status is ResultStatus.INCOMPLETE and count == 0):
            raise AssertionError(f"the review did not take place in full\n{_told(result, self)}")
        found = [
            issue
            for issue in result.issues
            if all(getattr(issue, name) == value for name, value in asked.items())
            and (line is None or issue.line_start <= line <= issue.line_end)
        ]
        if len(found) != count if count is not None else not found:
            number = "at least one" if count is None else str(count)
            kind = ", ".join(f"{name}={value}" for name, value in (*asked.items(), ("line", line)) if value is not None)
            raise AssertionError(
                f"expected {number} of the issues with {kind}, and there are {len(found)}\n{_told(result, self)}"
            )
        return found

    def __repr__(self) -> str:
        return f"<exit {self.code}>\n--- stdout\n{self.stdout}\n--- stderr\n{self.stderr}"


def _word(verdict: Verdict | None) -> str:
    return "none" if verdict is None else verdict.value


def _told(result: Result, ran: RunResult) -> str:
    """Describe a result, for a failing assertion."""
    lines = [f"exit {ran.code}, verdict {_word(result.verdict)}, status {result.status}"]
    lines += [f"  incomplete: {reason}" for reason in result.incomplete_reasons]
    if result.error is not None:
        lines.append(f"  error: {result.error.message}")
    for issue in result.issues:
        of = f"{issue.reviewer}/{issue.rule}" if issue.rule else issue.reviewer
        place = f"{issue.file}:{issue.line_start}-{issue.line_end}"
        lines.append(f"  {place}: {issue.severity} {of} [{issue.status}] {issue.description}")
    lines += [] if result.issues else ["  no issues"]
    if ran.stderr.strip():
        lines += ["--- stderr", ran.stderr.rstrip()]
    return "\n".join(lines)
