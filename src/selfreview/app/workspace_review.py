"""Reviews of the person's change, and of a workspace in the same way."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from typing import Any

from selfreview.api import ConfigView
from selfreview.app.change import open_change, prepare, reviewed_commits, with_tree
from selfreview.app.loading import reviewers_of
from selfreview.app.state import Reviewed, SessionRun
from selfreview.config.view import Overlay
from selfreview.git.collect_change import collect
from selfreview.git.scope import Resolved, ScopeRequest
from selfreview.git.workspace import Workspace
from selfreview.llm.context.beginning import BEGINNING, beginning
from selfreview.llm.transport.confinement import OWN_ROOT
from selfreview.model.usage import Usage
from selfreview.proc import Runner
from selfreview.review.context import Workbench
from selfreview.review.engine import Engine
from selfreview.review.select_reviewers import select


class WorkspaceReviewer:
    """A reviewer of workspaces that works as the review of the person's change did.

    Args:
        run: The run; its engine reviewed the person's change.

    Attributes:
        reviews: The reviews so far.
    """

    def __init__(self, run: SessionRun) -> None:
        self._run = run
        self._collected = run.opened.collected
        self.reviews: list[Reviewed] = []
        self._open = contextlib.ExitStack()

    def engine(self, config: ConfigView) -> Engine:
        """Return an engine whose reviewers have no memory of earlier reviews."""
        run = self._run
        reviewers = reviewers_of(run.manager, config)
        selected = select(reviewers, config, run.request.reviewers, uploads=run.uploads)
        return dataclasses.replace(run.engine, config=config, selected=selected)

    def review(self, workspace: Workspace, iteration: int, spent: Usage) -> tuple[Reviewed, Engine]:
        """Review the current state of the workspace.

        Args:
            workspace: The workspace.
            iteration: Refinements before.
            spent: What models cost so far: they get what is left of the budget.

        Raises:
            KeyboardInterrupt: If it was interrupted: what it covers until then is no review of that state.
        """
        asked = self._collected.resolved
        resolved = Resolved(asked.scope, asked.old, None)
        request = ScopeRequest(paths=self._run.paths)
        opened = open_change(workspace.repo, request, collect(workspace.repo, request, resolved))
        config = overlaid(self._run.config, workspace, spent)
        try:
            prepared = prepare(self._run, opened, whole=True)
            commits = reviewed_commits(self._run, self._collected)
            change = with_tree(prepared.change, workspace.tree())
            bench = Workbench(change, opened.content, config, Runner(), commits=commits)
        except BaseException:
            opened.content.close()
            raise
        self._open.callback(bench.close)
        self._run.scope.on_cancel(bench.cancel)
        engine = self.engine(config)
        result, privacy = engine.review(bench, prepared.unreadable)
        if bench.interrupted:
            raise KeyboardInterrupt
        result.iteration = iteration
        reviewed = Reviewed(result, bench, privacy)
        self.reviews.append(reviewed)
        return reviewed, engine

    def close(self) -> None:
        """Close everything that was opened."""
        self._open.close()


def overlaid(config: ConfigView, workspace: Workspace, spent: Usage) -> ConfigView:
    """Return the configuration of tools that work on the current state of a workspace.

    Args:
        config: The configuration.
        workspace: The workspace.
        spent: What models cost so far: they get what is left of the budget.

    Raises:
        GitError: If git cannot read the workspace.
    """
    values = {**left_to_spend(config, spent), BEGINNING: beginning(workspace), OWN_ROOT: config.root}
    return Overlay(config, workspace.root, values)


def left_to_spend(config: ConfigView, spent: Usage) -> dict[str, Any]:
    """Return the remaining budgets of a model, by key; 0 means no limit, so each is at least a trifle."""
    return {key: max(rest, trifle) for key, rest, trifle in _budgets(config, spent)}


def is_spent_out(config: ConfigView, spent: Usage) -> bool:
    """Return whether a budget of a model is used up."""
    return any(rest <= 0 for _, rest, _ in _budgets(config, spent))


def _budgets(config: ConfigView, spent: Usage) -> Iterator[tuple[str, float, float]]:
    tokens = spent.input_tokens + spent.output_tokens + spent.cache_read_tokens + spent.cache_write_tokens
    for key, used, trifle in (("claude.max_cost_usd", spent.cost_usd, 1e-6), ("claude.max_tokens_total", tokens, 1)):
        if limit := config.get(key):
            yield key, limit - used, trifle
