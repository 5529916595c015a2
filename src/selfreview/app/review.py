"""The review itself: its cache, its session, its engine, and what is remembered of it."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator

from selfreview.app.crash import write_report
from selfreview.app.loading import why_off
from selfreview.app.progress import watched
from selfreview.app.session import LiveSession, hand_over
from selfreview.app.state import (
    Branch,
    ConfiguredRun,
    OpenedRun,
    RefinedRun,
    RepoChange,
    ReviewedRun,
    Reviewing,
    SessionRun,
)
from selfreview.app.weaker_request import asked_less
from selfreview.model.event import Event
from selfreview.model.result import Result, ReviewerReport, ReviewerStatus
from selfreview.model.wire import utc_now
from selfreview.proc import Runner
from selfreview.refine.recorder import completed
from selfreview.review.cache import Blobs, FreshBlobs
from selfreview.review.context import Workbench
from selfreview.review.engine import Engine, default_jobs
from selfreview.review.issue_status import Marking
from selfreview.review.privacy import Privacy
from selfreview.review.tasks import Settings
from selfreview.review.verdict import Limits
from selfreview.store import ReviewStore
from selfreview.trust.subject import CONF_NAME

_LESS = "does not count as this branch's review, as it asks for less than the settings"


def review(run: OpenedRun) -> ReviewedRun:
    """Review the change, in the branch's session where there is one."""
    kept = run.project.open_store()
    store = ReviewStore(run.scope.branch.enter_context(kept) if kept is not None else None)
    less = [*(asked_less(run) if run.policy.remembers else ()), *run.terms.less]
    opened, live = run.opened, None
    if isinstance(opened, RepoChange):
        counts = not less and not run.selected.limited
        live = run.policy.begin_session(run, Branch(opened.repo, store, counts))
        run = _watched(run, opened, live)
    settings = Settings(
        timeout=run.config["reviewer_timeout"],
        jobs=default_jobs(run.config["jobs"]),
        blobs=_cache(run, store),
        watcher=run.scope.branch.enter_context(run.ui.watching()),
        crash_report=write_report,
    )
    engine = Engine(
        manager=run.manager,
        config=run.config,
        selected=run.selected,
        settings=settings,
        threshold=run.threshold,
        marking=Marking(
            accepted=run.terms.accepted(run, store),
            claimed=run.prepared.claimed,
            known=run.terms.known(run),
            own=run.terms.own_marks,
        ),
        limits=Limits(run.config.table("max_issues"), strict=run.config["strict"]),
        asked_less=bool(less),
        not_run=list(_not_run(run, checks=live is None)),
        less=[f"{_LESS}: {', '.join(less)}"] if less and run.policy.waits else (),
    )
    result = switched_off(engine, run.bench)
    if result is None:
        result, privacy = engine.review(run.bench, run.prepared.unreadable)
        run.ui.spent(result.usage)
    else:
        privacy = Privacy(run.bench, [])
    reviewed = ReviewedRun(**vars(run), store=store, engine=engine, result=result, privacy=privacy)
    if live is None or not isinstance(opened, RepoChange):
        return reviewed
    return SessionRun(**{**vars(reviewed), "opened": opened}, live=live)


def _watched(run: OpenedRun, opened: RepoChange, live: LiveSession | None) -> OpenedRun:
    """Let others read the progress of a run for as long as it lasts."""
    if not run.config["enabled"]:
        return run
    session = live.session.id if live is not None and live.tracked else None
    branch = run.bench.change.scope.branch
    ui = run.scope.whole.enter_context(watched(run.ui, opened.repo, branch, session))
    return dataclasses.replace(run, ui=ui)


def remember(run: Reviewing) -> Reviewing:
    """Store the result, tell plugins, bring the session to where the run ended, and close store and session."""
    result = run.result
    result.duration_ms = run.stopwatch.elapsed_ms
    session = run.live.session.id if isinstance(run, SessionRun) and run.live.tracked else None

    def event(run_id: str) -> Event:
        root = run.source.repo.root if run.source.repo is not None and session is None else None
        data = completed(result, None if root is None else str(root))
        return data.event(utc_now(), run_id=run_id, session=session)

    if run.policy.remembers and run.config["enabled"]:
        run.store.add_result(result, event)
    if run.policy.tells_completion:
        run.manager.call_observers(
            "selfreview_review_completed", report=run.observer_failed, result=result, config=run.config
        )
    if isinstance(run, SessionRun):
        run.live.finish(result, run.refined if isinstance(run, RefinedRun) else None)
        patch, held = result.patch, result.held
        if held is not None and (patch is None or patch.applied):
            patch = held
        if not run.live.tracked and patch is not None and not patch.applied:
            hand_over(patch, run.bench.change.scope, run.opened.repo, run.store, run.live.recorder)
    for warning in run.store.warnings:
        run.ui.warn(warning)
    run.scope.branch.close()
    return run


@contextlib.contextmanager
def open_cache(run: ConfiguredRun) -> Iterator[Blobs | None]:
    """Open the cache of results, or yield None where there is none or it is not wanted."""
    store = run.project.open_store() if run.config["cache"] else None
    if store is None:
        yield None
        return
    with store:
        yield _cache(run, ReviewStore(store))


def _cache(run: ConfiguredRun, kept: ReviewStore) -> Blobs | None:
    """Return the cache of results, or None where it is not wanted."""
    cache = kept.cache if run.config["cache"] else None
    return FreshBlobs(cache) if cache is not None and run.request.no_cache else cache


def _not_run(run: OpenedRun, *, checks: bool) -> Iterator[ReviewerReport]:
    """Yield reports of what the settings configure and this run never runs.

    Args:
        run: The run.
        checks: Whether that holds for the checks.
    """
    trust = run.project.loaded.trust
    if trust.note is not None and trust.subject is not None and trust.subject.conf is not None:
        error, hint = f"{CONF_NAME} of this repository is not trusted yet", 'run "selfreview trust"'
        yield ReviewerReport(name=CONF_NAME, status=ReviewerStatus.SKIPPED, error=error, hint=hint)
    if checks and run.config.table("checks"):
        from selfreview.app.checks import Checks

        yield from Checks(run, Runner()).withheld()


def switched_off(engine: Engine, bench: Workbench) -> Result | None:
    """Return an empty result that says so, or None where selfreview is switched on."""
    off = why_off(engine.config)
    if off is None:
        return None
    return engine.nothing(bench.change, f"Nothing was reviewed: {off}.")
