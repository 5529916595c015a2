"""The contract of reporters."""

from __future__ import annotations

import io
import re
from pathlib import Path

import msgspec
import pytest

from selfreview.api import Reporter, Result
from selfreview.testing.contracts.plugin import PluginContract, state
from selfreview.testing.contracts.results import CLEAN, RESULTS, hostile, many


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
