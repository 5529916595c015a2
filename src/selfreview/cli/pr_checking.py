"""The self-review of what is checked out, before it is pushed on top of what somebody else pushed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from selfreview.api import Occasion
from selfreview.cli.checking import Checks
from selfreview.cli.pr_fixing import FeedbackRun
from selfreview.cli.session import LiveSession
from selfreview.loop.looped import Looped
from selfreview.loop.scratch import scratch
from selfreview.model.issue import CHECK_PREFIX
from selfreview.model.result import Result
from selfreview.proc import Runner
from selfreview.review.context import Workbench
from selfreview.review.engine import Engine
from selfreview.store.reviewing import ReviewStore


class CheckRun(FeedbackRun):
    """Runs the project's checks on what is checked out.

    Attributes:
        why: What fails, or None.
    """

    def __init__(self, base: str, options: Mapping[str, Any], *, base_settings: str | None) -> None:
        self.why: str | None = None
        super().__init__(base, (), Occasion("", "", ""), options, base_settings=base_settings)

    def go_on(
        self,
        result: Result,
        bench: Workbench,
        engine: Engine,
        kept: ReviewStore,  # noqa: ARG002 - nothing of it is remembered
        lived: LiveSession,
        *,
        uploads: bool,  # noqa: ARG002 - nothing is fixed
    ) -> tuple[Result, Workbench, Looped | None]:
        """Run the checks."""
        assert self.repo is not None  # noqa: S101 - a pull request's branch is checked out
        assert self.collected is not None  # noqa: S101 - the same
        runner = Runner()
        checks = Checks(self, runner)
        lived.decided(result)
        if checks.runnable:
            try:
                with scratch(self.repo, self.collected) as workspace:
                    checks.begin(workspace, self.repo.root)
                    checks.judge(result, engine, bench.change)
            finally:
                runner.kill_all()
        failing = [
            issue.description.split("\n")[0] for issue in result.open_issues if issue.reviewer.startswith(CHECK_PREFIX)
        ]
        self.why = "; ".join(failing) or None
        return result, bench, None
