"""The contract of reviewers."""

from __future__ import annotations

import contextlib
import posixpath
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from selfreview.api import (
    Category,
    ChangedFile,
    Depth,
    FileStatus,
    Finding,
    IssueStatus,
    Review,
    Reviewer,
    ReviewerStatus,
    Severity,
    Side,
    capabilities,
)
from selfreview.errors import SelfreviewError
from selfreview.testing.context import MemoryContext, default_config, make_change
from selfreview.testing.contracts.plugin import PluginContract, state
from selfreview.testing.contracts.reporter import CONTENTS, NAMES

Sides = tuple[str | bytes | None, str | bytes | None]


class ReviewerContract(PluginContract):
    """The contract of reviewers; a subclass gives the fixture ``reviewer``, and usually ``path`` and ``sample``."""

    path = "sample.py"
    """A path that the reviewer selects."""
    sample: str | None = None
    """Content for that path with something to find; None for a reviewer that needs more than a file."""

    @pytest.fixture
    def reviewer(self) -> Reviewer:
        """The reviewer under test."""
        raise NotImplementedError("give a fixture that returns your reviewer")

    @pytest.fixture
    def config(self, reviewer: Reviewer) -> Mapping[str, Any]:
        """Configuration by key; by default what the core, and the reviewer's own module, declare."""
        return default_config(sys.modules[self.module or type(reviewer).__module__])

    @pytest.fixture
    def plugin(self, reviewer: Reviewer) -> Reviewer:
        """The reviewer, for the contract of plugins of every kind."""
        return reviewer

    @pytest.fixture
    def available(self, reviewer: Reviewer) -> None:
        """Skip where the reviewer is not available, as where its tool is not installed."""
        why = capabilities.of_reviewer(reviewer).why_unavailable()
        if why is not None:
            pytest.skip(why[0])

    # --- what it says of itself --------------------------------------------------------------------------------------

    def test_it_has_what_the_engine_asks_for(self, reviewer: Reviewer, config: Mapping[str, Any]) -> None:
        """The reviewer's attributes have their types."""
        assert isinstance(reviewer.depth, Depth)
        assert isinstance(reviewer.default, bool)
        optional = capabilities.of_reviewer(reviewer)
        assert optional.seconds(1.0) > 0
        if (why := optional.why_unavailable()) is not None:
            assert len(why) == 2
            assert all(text.strip() and "\n" not in text for text in why), "what is missing, and what to do about it"

    def test_it_lists_its_rules_once_each(self, reviewer: Reviewer) -> None:
        """The rules that the reviewer lists, if it does, have each a name of their own and say what they find."""
        listed = capabilities.of_reviewer(reviewer).known_rules()
        assert sorted({rule.id for rule in listed}) == sorted(rule.id for rule in listed)
        assert all(rule.id.strip() and rule.summary.strip() for rule in listed)

    def test_it_selects_by_path_and_status(self, reviewer: Reviewer) -> None:
        """The reviewer selects its own files, and answers for every path there can be."""
        (own,) = make_change({self.path: (None, self.sample or "x\n")}).files
        assert reviewer.selects(own) is True
        for name in ("", *NAMES):
            for status in FileStatus:
                path = name + self.path
                old = "old" if status in (FileStatus.RENAMED, FileStatus.COPIED) else None
                assert reviewer.selects(ChangedFile(path=path, old_path=old, status=status)) in (True, False)

    def test_its_cache_key_is_the_same_for_the_same(self, reviewer: Reviewer, config: Mapping[str, Any]) -> None:
        """The cache key of the same content is the same: the cache could never answer else."""
        keys = []
        for _ in range(2):
            with self.context(config, {self.path: (None, self.sample or "")}) as context:
                keys.append(reviewer.cache_key(context))
        assert keys[0] == keys[1]
        assert keys[0] is None or isinstance(keys[0], bytes)

    # --- what it finds -----------------------------------------------------------------------------------------------

    def test_it_finds_something_on_a_changed_line(self, reviewer: Reviewer, config: Any, available: None) -> None:
        """The reviewer finds something in its sample, in the same order each time."""
        if self.sample is None:
            pytest.skip("no sample")
        first, again = (self.review(reviewer, config, {self.path: (None, self.sample)}) for _ in range(2))
        assert isinstance(first, Review), first
        assert first.status is ReviewerStatus.OK, first.error
        assert first.findings, "it finds nothing in its own sample"
        assert isinstance(again, Review)
        assert first.findings == again.findings, "it says something else the second time"
        if listed := {rule.id for rule in capabilities.of_reviewer(reviewer).known_rules()}:
            assert {finding.rule for finding in first.findings} <= listed, "it names a rule that it does not list"

    def test_an_empty_change_is_no_failure(self, reviewer: Reviewer, config: Mapping[str, Any]) -> None:
        """A review of no files has no findings, and is not incomplete."""
        with self.context(config, {}) as context:
            review = reviewer.review([], context)
        assert not review.findings
        assert not review.status.incomplete, review.error

    @pytest.mark.parametrize("content", CONTENTS)
    def test_odd_content_is_reviewed_or_named(
        self, reviewer: Reviewer, config: Any, available: None, content: str
    ) -> None:
        """Binary content, no UTF-8, a huge line: a review, a reason, or an error for people; never a crash."""
        folder, name = posixpath.split(self.path)
        cleared = posixpath.join(folder, f"cleared-{name}")
        self.review(reviewer, config, {self.path: (None, CONTENTS[content]), cleared: (CONTENTS[content], "\n")})

    def test_a_removed_file_is_no_failure(self, reviewer: Reviewer, config: Any, available: None) -> None:
        """A removed file has no new side to read, and is no error."""
        self.review(reviewer, config, {self.path: (self.sample or "x\n", None)})

    @pytest.mark.skipif(sys.platform == "win32", reason="such names cannot be")
    def test_odd_names_are_neither_options_nor_commands(
        self, reviewer: Reviewer, config: Any, available: None, elsewhere: Path
    ) -> None:
        """A file with an odd name is not overlooked, and its name runs nothing."""
        folder, name = posixpath.split(self.path)
        paths = [posixpath.join(folder, odd + name) for odd in NAMES]
        review = self.review(reviewer, config, dict.fromkeys(paths, (None, self.sample or "\n")))
        assert not (elsewhere / "pwned").exists()
        if isinstance(review, Review) and review.status is ReviewerStatus.OK and self.sample is not None:
            told = {finding.file for finding in review.findings} | {*review.unreviewed, *review.not_applicable}
            overlooked = [path for path in paths if path not in told and reviewer.selects(_added(path))]
            assert not overlooked, "it passes what it did not review"

    # --- how it goes about it ----------------------------------------------------------------------------------------

    def test_it_writes_nothing_of_the_persons(
        self, reviewer: Reviewer, config: Any, available: None, elsewhere: Path
    ) -> None:
        """The reviewer writes neither in the tree under review nor in the current folder."""
        with self.context(config, {self.path: (None, self.sample or "x = 1\n")}) as context:
            tree = context.tree()
            before = state(tree), state(elsewhere)
            self._review(reviewer, context)
            assert (state(tree), state(elsewhere)) == before

    def test_a_deadline_that_is_over_is_no_pass(self, reviewer: Reviewer, config: Any, available: None) -> None:
        """After its deadline the reviewer reports that, or has all findings all the same."""
        files: dict[str, Sides] = {self.path: (None, self.sample or "x = 1\n")}
        hurried = self.review(reviewer, config, files, timeout=0.0)
        if isinstance(hurried, Review) and hurried.status is ReviewerStatus.OK and not hurried.unreviewed:
            unhurried = self.review(reviewer, config, files)
            assert isinstance(unhurried, Review)
            assert hurried.findings == unhurried.findings or hurried.gaps, "half a review passes for a whole one"

    # --- helpers -----------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def context(
        self, config: Mapping[str, Any], files: Mapping[str, Sides], timeout: float = 60.0
    ) -> Iterator[MemoryContext]:
        """Make a context from contents by path."""
        context = MemoryContext(files, config=config, timeout=timeout)
        try:
            yield context
        finally:
            context.close()

    def review(
        self, reviewer: Reviewer, config: Mapping[str, Any], files: Mapping[str, Sides], timeout: float = 60.0
    ) -> Review | SelfreviewError:
        """Review files, and check the review; an error for people is an answer, too."""
        with self.context(config, files, timeout) as context:
            return self._review(reviewer, context)

    def _review(self, reviewer: Reviewer, context: MemoryContext) -> Review | SelfreviewError:
        files = [file for file in context.change.files if reviewer.selects(file)]
        with ThreadPoolExecutor(1) as pool:  # as the engine does: not on the main thread
            try:
                review = pool.submit(reviewer.review, files, context).result()
            except SelfreviewError as error:
                return error
        check_review(review, files, context)
        return review


def _added(path: str) -> ChangedFile:
    return make_change({path: (None, "x\n")}).files[0]


def check_review(review: Review, files: Sequence[ChangedFile], context: MemoryContext) -> None:
    """Assert that a review is consistent."""
    assert isinstance(review, Review)
    assert isinstance(review.status, ReviewerStatus)
    if review.status is not ReviewerStatus.OK:
        assert review.error, f"{review.status} without a reason"
        assert "\n" not in review.error, "an error is one line"
    given = {file.path for file in files}
    assert not review.crashes, f"it crashes: {review.crashes}"
    assert set(review.unreviewed) <= given
    assert all(review.unreviewed.values()), "unreviewed without a reason"
    assert set(review.not_applicable) <= given
    assert set(review.text_only) <= given
    assert all(review.text_only.values()), "text_only without a reason"
    by_path = {file.path: file for file in context.change.files}
    for finding in review.findings:
        assert finding.file in by_path, f"{finding.file!r} is not in the change"
        _check_finding(finding, by_path[finding.file], context)


def _check_finding(finding: Finding, file: ChangedFile, context: MemoryContext) -> None:
    assert isinstance(finding.severity, Severity)
    assert isinstance(finding.category, Category)
    assert finding.description.strip(), "a finding without a description"
    assert finding.confidence is None or 0 <= finding.confidence <= 1
    assert finding.status in (IssueStatus.OPEN, IssueStatus.DISMISSED, IssueStatus.UNCONFIRMED)
    text = context.text(file, finding.side)
    last = max(len(text.lines), 1) if text is not None else 0
    assert 0 <= finding.line_start <= last, f"line {finding.line_start} of {last}: {finding}"
    assert finding.line_end == 0 or finding.line_start <= finding.line_end <= last, f"of {last} lines: {finding}"
    assert finding.column is None or finding.column >= 1
    assert not finding.edits or finding.side is Side.NEW, "an edit of what is no longer there"
    for edit in finding.edits:
        assert (1, 0) <= (edit.line_start, edit.column_start) <= (edit.line_end, edit.column_end)
        assert edit.line_end <= last + 1, f"an edit beyond the end: {edit}"
