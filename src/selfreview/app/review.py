"""The review itself: its cache, its session, its engine, and what is remembered of it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from selfreview.app.crash import write_report
from selfreview.app.loading import why_off
from selfreview.app.session import hand_over
from selfreview.app.state import RunState
from selfreview.model.result import Result, ReviewerReport, ReviewerStatus
from selfreview.model.session import Event
from selfreview.proc import Runner
from selfreview.review.cache import Blobs, FreshBlobs
from selfreview.review.context import Workbench
from selfreview.review.engine import Engine, default_jobs
from selfreview.review.issue_status import Marking
from selfreview.review.privacy import Privacy
from selfreview.review.summary import LESS
from selfreview.review.tasks import Settings
from selfreview.review.verdict import Limits
from selfreview.store import ReviewStore
from selfreview.trust import CONF_NAME


def review(run: RunState) -> None:
    """Review the change, in the branch's session where there is one."""
    store = run.project.open_store()
    run.store = ReviewStore(run.scope.branch.enter_context(store) if store is not None else None)
    settings = Settings(
        timeout=run.config["reviewer_timeout"],
        jobs=default_jobs(run.config["jobs"]),
        blobs=_cache(run, run.store),
        watcher=run.scope.branch.enter_context(run.ui.watching()),
        crash_report=write_report,
    )
    run.less = run.policy.asks_less(run)
    run.live = run.policy.begin_session(run)
    run.engine = Engine(
        manager=run.manager,
        config=run.config,
        selected=run.selected,
        settings=settings,
        threshold=run.threshold,
        marking=Marking(
            accepted=run.policy.accepted(run),
            claimed=run.policy.claimed,
            known=run.policy.known(run),
            own=run.policy.own_marks,
        ),
        limits=Limits(run.config.table("max_issues"), strict=run.config["strict"]),
        asked_less=bool(run.less),
        not_run=list(_not_run(run, checks=run.live is None)),
        remarks=[f"{LESS}: {', '.join(run.less)}"] if run.less and run.policy.waits else (),
    )
    off = switched_off(run.engine, run.bench)
    if off is None:
        run.result, run.privacy = run.engine.review(run.bench, run.unreadable)
    else:
        run.result, run.privacy = off, Privacy(run.bench, [])


def remember(run: RunState) -> None:
    """Store the result, bring the session to where the run ended, and close both."""
    run.result.duration_ms = run.stopwatch.elapsed_ms
    if run.policy.remembers and run.config["enabled"] and run.store.add_result(run.result) is not None:
        run.store.add_event(_completed(run.result))
    if run.live is not None:
        run.live.finish(run.result, run.refined)
        patch, held = run.result.patch, run.result.held
        if held is not None and (patch is None or patch.applied):
            patch = held
        if run.repo is not None and not run.live.tracked and patch is not None and not patch.applied:
            hand_over(patch, run.bench.change.scope, run.repo, run.store, run.live.recorder)
    for warning in run.store.warnings:
        run.ui.warn(warning)
    run.scope.branch.close()


@contextlib.contextmanager
def open_cache(run: RunState) -> Iterator[Blobs | None]:
    """Open the cache of results, or yield None where there is none or it is not wanted."""
    store = run.project.open_store() if run.config["cache"] else None
    if store is None:
        yield None
        return
    with store:
        yield _cache(run, ReviewStore(store))


def _cache(run: RunState, kept: ReviewStore) -> Blobs | None:
    """Return the cache of results, or None where it is not wanted."""
    cache = kept.cache if run.config["cache"] else None
    return FreshBlobs(cache) if cache is not None and run.request.no_cache else cache


def _not_run(run: RunState, *, checks: bool) -> Iterator[ReviewerReport]:
    """Yield reports of what the settings configure and this run never runs.

    Args:
        run: The run.
        checks: Whether that holds for the checks.
    """
    trust = run.project.loaded.trust
    if trust.note is not None and trust.subject is not None and trust.subject.conf is not None:
        error, hint = "this plugin of the repository is not trusted", "selfreview trust"
        yield ReviewerReport(name=CONF_NAME, status=ReviewerStatus.SKIPPED, error=error, hint=hint)
    if checks and run.config.table("checks"):
        from selfreview.app.checks import Checks

        yield from Checks(run, Runner()).withheld()


def _completed(result: Result) -> Event:
    data: dict[str, object] = {"status": result.status.value, "verdict": result.verdict and result.verdict.value}
    return Event(kind="review.completed", at=result.timestamp, run_id=result.run_id, data=data)


def switched_off(engine: Engine, bench: Workbench) -> Result | None:
    """Return an empty result that says so, or None where selfreview is switched on."""
    off = why_off(engine.config)
    if off is None:
        return None
    return engine.nothing(bench.change, f"Nothing was reviewed: {off}.")
