"""A run of selfreview, as a list of stages. Begin to read here.

A stage is a function from one state of the run to the next, see :mod:`selfreview.app.state`; those that need much
import it only when they have something to do.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from selfreview.api import Result
from selfreview.app.change import read_change, repo_paths
from selfreview.app.consent import Uploads
from selfreview.app.fixers import check_options
from selfreview.app.loading import configure, reviewers_of, tell_error, tell_untrusted, unconfigure
from selfreview.app.notices import send_what_waits
from selfreview.app.policies import PERSON
from selfreview.app.reports import choose_outputs, list_change, report, stop_if_interrupted
from selfreview.app.request import RunRequest
from selfreview.app.review import remember, review
from selfreview.app.state import (
    ConfiguredRun,
    DiffSource,
    LocatedRun,
    OpenedRun,
    RefinedRun,
    RepoSource,
    ReviewedRun,
    Run,
    RunPolicy,
    RunScope,
    SelectedRun,
    live_session,
)
from selfreview.app.ui import SilentUi, Ui
from selfreview.errors import GitError, Interrupted, OutputError
from selfreview.review.verdict import exit_code

Before = TypeVar("Before")
After = TypeVar("After")
Next = TypeVar("Next")
Last = TypeVar("Last", bound=Run)


class Stages(Generic[Before, After]):
    """Stages in their order, each of which takes the state that the one before returns.

    Args:
        first: The first stage; ``|`` appends another.
    """

    def __init__(self, first: Callable[[Before], After]) -> None:
        self._stages: tuple[Callable[[Any], Any], ...] = (first,)

    def __or__(self, stage: Callable[[After], Next]) -> Stages[Before, Next]:
        longer: Stages[Before, Any] = Stages(self._stages[0])
        longer._stages = (*self._stages, stage)
        return longer

    def __iter__(self) -> Iterator[Callable[[Any], Any]]:
        return iter(self._stages)


def open_repository(run: Run) -> LocatedRun:
    """Find the repository; a bare patch needs none."""
    request = run.request
    if request.diff is None:
        repo = run.policy.find_repo(request, run.ui)
        return LocatedRun(**vars(run), source=RepoSource(repo, repo_paths(repo, request.paths, request.folder)))
    try:
        return LocatedRun(**vars(run), source=DiffSource(run.policy.find_repo(request, run.ui), request.diff))
    except GitError:
        return LocatedRun(**vars(run), source=DiffSource(None, request.diff))


def load_settings(run: LocatedRun) -> ConfiguredRun:
    """Load plugins and configuration, from where the policy trusts them."""
    terms = run.policy.load(run)
    return ConfiguredRun(**{**vars(run), "request": terms.request}, terms=terms)


def configure_plugins(run: ConfiguredRun) -> ConfiguredRun:
    """Hand plugins the configuration."""
    configure(run.project)
    return run


def check_request(run: ConfiguredRun) -> ConfiguredRun:
    """Refuse options that exclude one another."""
    if run.policy.waits:
        check_options(run)
    return run


def select_reviewers(run: ConfiguredRun) -> SelectedRun:
    """Select the reviewers, and tell what a person should know before the review."""
    reviewers = reviewers_of(run.manager, run.config)
    uploads = Uploads(run, reviewers).given
    selected = run.terms.select(run, reviewers, uploads)
    loaded = run.project.loaded
    for text in loaded.notes:
        run.ui.note(f"note: {text}")
    tell_untrusted(loaded, run.ui)
    if run.request.trace_config:
        _trace(run)
    return SelectedRun(**vars(run), reviewers=reviewers, uploads=uploads, selected=selected)


def ask_consent(run: OpenedRun) -> OpenedRun:
    """Ask whether a model may be sent the change, where that was not asked before."""
    with run.stopwatch.paused():
        agreed = run.config["enabled"] and Uploads(run, run.reviewers).ask_if_new(run.bench.change)
    if not agreed:
        return run
    return dataclasses.replace(run, uploads=True, selected=run.terms.select(run, run.reviewers, True))


def check_and_refine(run: ReviewedRun) -> ReviewedRun:
    """Run the project's checks, and refine what blocks; a review that passes pays nothing for either."""
    live = live_session(run)
    if live is None:
        return run
    wanted, blocks, hindrance = not live.request.no_fix, live.blocks(), live.live.hindrance
    if blocks and wanted and hindrance is not None:
        live.result.notes.append(f"not refined: {hindrance.why}")
    refines = wanted and hindrance is None
    if not (live.config.table("checks") or (blocks and refines)):
        live.live.decided(live.result)
        return live
    from selfreview.app.refine import refine

    return refine(live, refines=refines)


def apply_refinement(run: ReviewedRun) -> ReviewedRun:
    """Apply a refinement where that is wanted; the result becomes that of the person's tree."""
    if not isinstance(run, RefinedRun):
        return run
    from selfreview.app.refine import conclude

    return conclude(run)


LOAD = Stages(open_repository) | load_settings | configure_plugins
"""The beginning of every run."""
REVIEW = LOAD | choose_outputs | check_request | select_reviewers | read_change | ask_consent | review
"""The beginning of every run that reviews."""
RUN = REVIEW | check_and_refine | apply_refinement | remember | stop_if_interrupted | report
"""The stages of ``selfreview run``, of the hooks and of the gate."""
COLLECT = LOAD | choose_outputs | check_request | select_reviewers | read_change | list_change
"""The stages of ``--collect-only``."""


def execute(run: Run, stages: Stages[Run, Last]) -> Last:
    """Go through the stages; close what they opened, whatever happens.

    Returns:
        The state after the last of them.
    """
    now: Any = run
    try:
        for stage in stages:
            if not isinstance(now, ReviewedRun):
                run.scope.check()  # afterwards there is something to keep
            now = stage(now)
        last: Last = now
    except Exception as error:
        if isinstance(now, ConfiguredRun):
            tell_error(error, run.policy.where, now.project, run.ui)
        raise
    finally:
        with contextlib.ExitStack() as ends:  # in reverse order, and all of them whatever one of them raises
            if isinstance(now, ConfiguredRun):
                ends.callback(unconfigure, now.project, run.ui)
                if run.policy.notifies:
                    ends.callback(send_what_waits, now.project, run.ui)
            ends.callback(run.scope.close)
    return last


def code_of(run: ReviewedRun) -> int:
    """Return the exit code of a run that has come to its end."""
    if run.unwritten:
        return int(OutputError.exit_code)
    return int(exit_code(run.result, run.threshold, warn_incomplete=run.terms.warns_incomplete))


def review_change(
    request: RunRequest, *, policy: RunPolicy | None = None, ui: Ui | None = None, scope: RunScope | None = None
) -> Result:
    """Review a change, for a program: no terminal, and nobody is asked unless ``ui`` can.

    Args:
        request: What is to be reviewed.
        policy: Whose word counts; by default a person's.
        ui: The front end; by default one that keeps what it is told.
        scope: What cancels the run from another thread.

    Returns:
        What was found, with its verdict.

    Raises:
        SelfreviewError: If it cannot be done.
        Interrupted: If it was cancelled.
    """
    run = Run(request=request, policy=policy or PERSON, ui=ui or SilentUi(), scope=scope or RunScope())
    try:
        return execute(run, RUN).result
    except KeyboardInterrupt as error:
        raise Interrupted("it was cancelled before there was anything to keep") from error


def _trace(run: ConfiguredRun) -> None:
    """Name plugins and configuration that is set."""
    run.ui.note("plugins:")
    for record in run.manager.records():
        hooks = ", ".join(name.removeprefix("selfreview_") for name in record.hooks)
        run.ui.note(f"  {record.name}  {record.state}  {record.source}" + (f"  ({hooks})" if hooks else ""))
    run.ui.note("configuration that is set:")
    for setting in run.project.config.settings():
        if setting.origin != "default":
            run.ui.note(f"  {setting.key.name} = {setting.value!r}  ({setting.origin})")
