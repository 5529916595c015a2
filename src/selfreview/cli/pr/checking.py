"""The self-review, before the push, of a fix that hooks edited or that was rebased onto others' work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from selfreview.api import Occasion
from selfreview.cli.checking import Checks
from selfreview.cli.pr.fixing import FeedbackRun
from selfreview.cli.pr.unasked import of_review
from selfreview.cli.session import LiveSession
from selfreview.errors import LimitError, ModelAwayError
from selfreview.loop.line_tracking import Landing
from selfreview.loop.progress import brought
from selfreview.loop.refinement_result import RefinementResult, Scale, blocking
from selfreview.loop.scratch import scratch
from selfreview.model.issue import CHECK_PREFIX
from selfreview.model.result import Result, ResultStatus
from selfreview.proc import Runner
from selfreview.review.context import Workbench
from selfreview.review.engine import Engine
from selfreview.store.reviewing import ReviewStore


class _Review(FeedbackRun):
    """A review of a commit of the branch, and nothing else.

    Attributes:
        result: The review.
    """

    def __init__(self, base: str, options: Mapping[str, Any], *, base_settings: str | None, head: str | None) -> None:
        self._asked = base, options, base_settings
        super().__init__(base, (), Occasion("", "", ""), {**options, "head": head}, base_settings=base_settings)

    def refine(
        self,
        result: Result,
        bench: Workbench,
        engine: Engine,  # noqa: ARG002 - protocol
        kept: ReviewStore,  # noqa: ARG002 - nothing of it is remembered
        lived: LiveSession,
        *,
        uploads: bool,  # noqa: ARG002 - nothing is fixed
    ) -> tuple[Result, Workbench, RefinementResult | None]:
        """Keep the review."""
        lived.decided(result)
        self.result = result
        return result, bench, None


class CheckRun(_Review):
    """A review of the checked-out commit, with the project's checks.

    Args:
        before: The commit before the fix: what is found there already does not count.

    Attributes:
        why: What is wrong, as a sentence, or None.
    """

    def __init__(self, base: str, options: Mapping[str, Any], *, base_settings: str | None, before: str) -> None:
        self.why: str | None = None
        self._before_fix = before
        super().__init__(base, options, base_settings=base_settings, head=None)

    def refine(
        self,
        result: Result,
        bench: Workbench,
        engine: Engine,
        kept: ReviewStore,  # noqa: ARG002 - nothing of it is remembered
        lived: LiveSession,
        *,
        uploads: bool,  # noqa: ARG002 - nothing is fixed
    ) -> tuple[Result, Workbench, RefinementResult | None]:
        """Compare the review with that of the state before the fix, and run the checks.

        Raises:
            LimitError: If whoever reviews it may not be asked for now.
            ModelAwayError: If they could not be asked.
        """
        assert self.repo is not None  # noqa: S101 - a pull request's branch is checked out
        assert self.collected is not None  # noqa: S101 - the same
        runner = Runner()
        checks = Checks(self, runner)
        lived.decided(result)
        found = self._new(result)
        if not found and checks.runnable:
            try:
                with scratch(self.repo, self.collected) as workspace:
                    checks.begin(workspace, self.repo.root)
                    with engine.revise(result) as draft:
                        checks.judge(draft, bench.change)
            finally:
                runner.kill_all()
        found += [
            issue.description.split("\n")[0] for issue in result.open_issues if issue.reviewer.startswith(CHECK_PREFIX)
        ]
        self.why = "; ".join(found) or None
        return result, bench, None

    def _new(self, result: Result) -> list[str]:
        """Return issues that block and gaps of the review that were absent before the fix."""
        if result.status is ResultStatus.COMPLETE and not blocking(self._threshold, result):
            return []
        assert self.repo is not None  # noqa: S101 - a pull request's branch is checked out
        assert self.collected is not None  # noqa: S101 - the same
        unasked = of_review(result)
        if unasked.limit is not None:
            raise LimitError(unasked.limit.why, wait_s=unasked.limit.wait_s)
        if unasked.away is not None:
            raise ModelAwayError(unasked.away)
        base, options, settings = self._asked
        first = _Review(base, options, base_settings=settings, head=self._before_fix)
        first.execute()
        with scratch(self.repo, self.collected) as workspace:
            landing = Landing(workspace, self._before_fix, workspace.start)
            written = workspace.lines_written(self._before_fix, workspace.start)
            new = brought(first.result, result, blocking(self._threshold, result), written, landing)
        scale = Scale(self._threshold, first.result)
        return [*(f"{issue.file}: {issue.description.splitlines()[0]}" for issue in new), *scale.gaps(result)]
