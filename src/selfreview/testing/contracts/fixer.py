"""The contract of fixers."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from selfreview.api import Fix, FixAnswer, Fixer, FixOutcome, Issue, capabilities
from selfreview.errors import SelfreviewError
from selfreview.testing.context import default_config
from selfreview.testing.contracts.plugin import PluginContract, state
from selfreview.testing.fakes import Clock
from selfreview.testing.fixing import FixBench


class FixerContract(PluginContract):
    """The contract of fixers; a subclass gives the fixture ``fixer``, ``files``, and :meth:`issue`."""

    files: Mapping[str, str | bytes] = {"app.py": "x = 1\n"}
    """The workspace: content by path. ``bystander.txt`` comes on top, which no issue is about."""

    @pytest.fixture
    def fixer(self) -> Fixer:
        """The fixer under test."""
        raise NotImplementedError("give a fixture that returns your fixer")

    def issue(self, bench: FixBench) -> Issue:
        """Return an issue that the fixer fixes: ``bench.issue("app.py", 1, "what is wrong", rule="…")``."""
        raise NotImplementedError("make an issue that your fixer fixes")

    @pytest.fixture
    def config(self, fixer: Fixer) -> Mapping[str, Any]:
        """Configuration by key; by default what the core, and the fixer's own module, declare."""
        return default_config(sys.modules[self.module or type(fixer).__module__])

    @pytest.fixture
    def bench(self, config: Mapping[str, Any]) -> Iterator[FixBench]:
        """The workspace, with a clock that stands."""
        with self.new_bench(config) as bench:
            yield bench

    @pytest.fixture
    def plugin(self, fixer: Fixer) -> Fixer:
        """The fixer, for the contract of plugins of every kind."""
        return fixer

    # --- what it says of itself --------------------------------------------------------------------------------------

    def test_it_has_what_the_loop_asks_for(self, fixer: Fixer, bench: FixBench) -> None:
        """Attributes have their types, and the fixer takes the issue that it fixes."""
        assert isinstance(fixer.is_mechanical, bool)
        optional = capabilities.of_fixer(fixer)
        why = optional.why_unavailable(bench.config)
        assert why is None or (why.strip() and "\n" not in why)
        assert optional.seconds(bench.config) > 0
        assert fixer.takes(self.issue(bench), bench.config) is True
        assert fixer.takes(bench.issue("gone.xyz", 0, "?", reviewer="nobody"), bench.config) in (True, False)

    # --- what it does ------------------------------------------------------------------------------------------------

    def test_it_mends_its_issue_and_says_so(self, fixer: Fixer, bench: FixBench) -> None:
        """The fixer edits the issue's file, and its answer is ``addressed``."""
        issue = self.issue(bench)
        fix = self.fix(fixer, bench, issue)
        assert isinstance(fix, Fix), fix
        assert fix.error is None
        assert [(answer.issue, answer.outcome) for answer in fix.answers] == [(issue.id, FixOutcome.ADDRESSED)]
        assert issue.file in bench.changed(), "it says that it fixed what it did not change"

    def test_it_does_the_same_again(self, fixer: Fixer, config: Mapping[str, Any]) -> None:
        """The same workspace and the same issue lead to the same bytes."""
        left = []
        for _ in range(2):
            with self.new_bench(config) as bench:
                self.fix(fixer, bench, self.issue(bench))
                left.append({path: bench.data(path) for path in self.files})
        assert left[0] == left[1]

    def test_it_edits_only_the_workspace(self, fixer: Fixer, bench: FixBench, elsewhere: Path) -> None:
        """The fixer edits neither the current folder, nor git's own files, nor a file that has no issue."""
        git = bench.root / ".git"
        before = state(elsewhere), state(git)
        self.fix(fixer, bench, self.issue(bench))
        assert (state(elsewhere), state(git)) == before
        assert bench.text("bystander.txt") == _BYSTANDER

    @pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a privilege")
    def test_it_does_not_follow_a_link_out_of_the_workspace(
        self, fixer: Fixer, bench: FixBench, elsewhere: Path
    ) -> None:
        """A file that a symbolic link leads to is not part of the change."""
        issue = self.issue(bench)
        outside = elsewhere / "outside"
        outside.write_bytes(bench.data(issue.file) or b"")
        (bench.root / issue.file).unlink()
        (bench.root / issue.file).symlink_to(outside)
        before = state(elsewhere)
        self.fix(fixer, bench, issue)
        assert state(elsewhere) == before

    def test_nothing_to_do_is_nothing_done(self, fixer: Fixer, bench: FixBench) -> None:
        """Without an issue the fixer edits nothing."""
        self.fix(fixer, bench)
        assert bench.changed() == []

    def test_a_file_that_is_gone_is_not_mended(self, fixer: Fixer, bench: FixBench) -> None:
        """The fixer reports a missing file, in an answer or as an error for people, and does not create it."""
        issue = self.issue(bench)
        (bench.root / issue.file).unlink()
        before = bench.changed()
        fix = self.fix(fixer, bench, issue)
        if isinstance(fix, Fix) and fix.error is None:
            assert FixOutcome.ADDRESSED not in [answer.outcome for answer in fix.answers]
        assert bench.changed() == before

    def test_bytes_that_are_no_text_stay_as_they_are(self, fixer: Fixer, bench: FixBench) -> None:
        """A line that is not UTF-8 stays as it is, whether the issue in its file is fixed or not."""
        issue = self.issue(bench)
        path = bench.root / issue.file
        odd = b"# caf\xe9 \xff\xfe\r\n"
        path.write_bytes(path.read_bytes() + odd)
        self.fix(fixer, bench, issue)
        assert (bench.data(issue.file) or b"").endswith(odd), "it changed bytes that the issue is not about"

    def test_a_deadline_that_is_over_is_no_success(self, fixer: Fixer, bench: FixBench, clock: Clock) -> None:
        """After its deadline the fixer reports no success, unless it fixed the issue all the same."""
        issue = self.issue(bench)
        clock.advance(1_000_000)
        fix = self.fix(fixer, bench, issue)
        if isinstance(fix, Fix) and fix.error is None and FixOutcome.ADDRESSED in [a.outcome for a in fix.answers]:
            assert bench.changed() == [issue.file], "it says that it fixed what it did not change"

    # --- helpers -----------------------------------------------------------------------------------------------------

    @pytest.fixture
    def clock(self, bench: FixBench) -> Clock:
        """The clock of the workspace, which stands until it is moved."""
        clock = bench.clock
        assert isinstance(clock, Clock)
        return clock

    def new_bench(self, config: Mapping[str, Any]) -> FixBench:
        """Make the workspace."""
        return FixBench({**self.files, "bystander.txt": _BYSTANDER}, config=config, clock=Clock())

    def fix(self, fixer: Fixer, bench: FixBench, *issues: Issue) -> Fix | SelfreviewError:
        """Run the fixer on issues, and check its answers; an error for people is an answer, too."""
        try:
            fix = fixer.fix(bench.request(*issues), bench)
        except SelfreviewError as error:
            return error
        assert isinstance(fix, Fix)
        assert all(isinstance(answer, FixAnswer) for answer in fix.answers)
        answered = [answer.issue for answer in fix.answers]
        assert len(set(answered)) == len(answered), "two answers for one issue"
        assert set(answered) <= {issue.id for issue in issues}, "an answer for an issue that it was not asked about"
        assert fix.error is None or (fix.error.strip() and "\n" not in fix.error)
        return fix


_BYSTANDER = "as it was \n"
