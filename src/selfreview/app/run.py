"""A run of selfreview, as a list of stages. Begin to read here.

A stage is a function that adds to the :class:`~selfreview.app.state.RunState`; those that need much import it only when
they have something to do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from selfreview.api import Result
from selfreview.app.change import read_change, repo_paths
from selfreview.app.collection import list_change
from selfreview.app.consent import Uploads
from selfreview.app.fixers import check_options
from selfreview.app.loading import tell_untrusted
from selfreview.app.notices import send_what_waits
from selfreview.app.policies import PersonPolicy
from selfreview.app.registries import reviewers_of
from selfreview.app.reports import choose_outputs, report, stop_if_interrupted
from selfreview.app.request import RunRequest
from selfreview.app.review import remember, review
from selfreview.app.state import RunPolicy, RunScope, RunState
from selfreview.app.ui import SilentUi, Ui
from selfreview.errors import Interrupted
from selfreview.review.verdict import exit_code

Stage = Callable[[RunState], None]


def open_repository(run: RunState) -> None:
    """Find the repository."""
    run.repo = run.policy.find_repo(run.request, run.ui)
    if run.repo is not None and not run.request.is_patch:
        run.paths = repo_paths(run.repo, run.request.paths, run.request.folder)


def load_settings(run: RunState) -> None:
    """Load plugins and configuration, from where the policy trusts them."""
    run.project = run.policy.load(run)
    run.manager.call("selfreview_configure", config=run.config)


def check_request(run: RunState) -> None:
    """Refuse options that exclude one another."""
    if run.policy.waits:
        check_options(run)


def select_reviewers(run: RunState) -> None:
    """Select the reviewers, and tell what a person should know before the review."""
    run.reviewers = reviewers_of(run.manager, run.config)
    run.uploads = Uploads(run).given
    run.selected = run.policy.select(run, run.reviewers, uploads=run.uploads)
    loaded = run.project.loaded
    for text in loaded.notes:
        run.ui.note(f"note: {text}")
    tell_untrusted(loaded, run.ui)
    if run.request.trace_config:
        _trace(run)


def ask_consent(run: RunState) -> None:
    """Ask whether a model may be sent the change, where that was not asked before."""
    with run.stopwatch.paused():
        agreed = run.config["enabled"] and Uploads(run).settle(run.bench.change)
    if agreed:
        run.uploads = True
        run.selected = run.policy.select(run, run.reviewers, uploads=True)


def check_and_refine(run: RunState) -> None:
    """Run the project's checks, and refine what blocks; a review that passes pays nothing for either."""
    if run.live is None or run.bench.interrupted or not run.config["enabled"]:
        return
    wanted, blocks = not run.request.no_fix, run.blocks()
    if blocks and wanted and run.hindrance is not None:
        run.result.notes.append(f"not refined: {run.hindrance.why}")
    refines = wanted and run.hindrance is None
    if not (run.config.table("checks") or (blocks and refines)):
        run.live.decided(run.result)
        return
    from selfreview.app.refine import refine

    refine(run, run.live, refines=refines)


def apply_refinement(run: RunState) -> None:
    """Apply a refinement where that is wanted; the result becomes that of the person's tree."""
    if run.refined is None or run.live is None:
        return
    from selfreview.app.refine import conclude

    conclude(run, run.live, run.refined)


REVIEW = (
    open_repository,
    load_settings,
    choose_outputs,
    check_request,
    select_reviewers,
    read_change,
    ask_consent,
    review,
)
"""The beginning of every run that reviews."""
RUN = (
    *REVIEW,
    check_and_refine,
    apply_refinement,
    remember,
    stop_if_interrupted,
    report,
)
"""What ``selfreview run`` does, and so do the hooks and the gate."""
COLLECT = (open_repository, load_settings, choose_outputs, check_request, select_reviewers, read_change, list_change)
"""What ``--collect-only`` does."""


def execute(run: RunState, stages: Sequence[Stage]) -> None:
    """Go through the stages; close what they opened, whatever happens."""
    try:
        for stage in stages:
            if not run.has_result:
                run.scope.check()  # afterwards there is something to keep
            stage(run)
    except Exception as error:
        if run.is_loaded:
            run.manager.call_observers(
                "selfreview_error", report=run.observer_failed, error=error, stage=run.policy.stage, config=run.config
            )
        raise
    finally:
        run.scope.close()
        if run.is_loaded:
            run.manager.call_observers("selfreview_unconfigure", report=run.observer_failed, config=run.config)
            if run.policy.waits:
                send_what_waits(run.project, run.ui)


def code_of(run: RunState) -> int:
    """Return the exit code of a run that has come to its end."""
    if run.request.collect_only:
        return 0
    if run.report_failed is not None:
        return int(run.report_failed)
    return int(exit_code(run.result, run.threshold, warn_incomplete=run.policy.warns_incomplete(run.config)))


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
    run = RunState(request=request, policy=policy or PersonPolicy(), ui=ui or SilentUi(), scope=scope or RunScope())
    try:
        execute(run, RUN)
    except KeyboardInterrupt as error:
        raise Interrupted("it was cancelled before there was anything to keep") from error
    return run.result


def _trace(run: RunState) -> None:
    """Name plugins and configuration that is set."""
    run.ui.note("plugins:")
    for record in run.manager.records():
        hooks = ", ".join(name.removeprefix("selfreview_") for name in record.hooks)
        run.ui.note(f"  {record.name}  {record.state}  {record.source}" + (f"  ({hooks})" if hooks else ""))
    run.ui.note("configuration that is set:")
    for setting in run.project.config.settings():
        if setting.origin != "default":
            run.ui.note(f"  {setting.key.name} = {setting.value!r}  ({setting.origin})")
