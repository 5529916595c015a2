"""One review of a change, from the settings to the exit code: what ``selfreview run`` does."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from selfreview.api import Change, Registry, Reporter, Reviewer
from selfreview.cli import console
from selfreview.cli.baselines import read_baseline
from selfreview.cli.collect import write_collection
from selfreview.cli.consent import Uploads
from selfreview.cli.crash import write_report
from selfreview.cli.durations import slowest
from selfreview.cli.fixers import check_options
from selfreview.cli.interrupted import kept_until_then
from selfreview.cli.invocation import Invocation
from selfreview.cli.notices import send_what_waits
from selfreview.cli.outputs import Output, parse_outputs, write_outputs
from selfreview.cli.permitted import is_permitted
from selfreview.cli.session import (
    Hindrance,
    LiveSession,
    accepted_issues,
    hand_over,
    held,
    leftovers,
    open_session,
    report_observer,
)
from selfreview.cli.switched_off import switched_off
from selfreview.cli.terminal_hooks import show_header, show_summary
from selfreview.cli.weaker_invocation import asked_less
from selfreview.errors import Interrupted, UsageError
from selfreview.git.privatefolder import sweep_folders
from selfreview.model.refinement import Stop
from selfreview.model.result import Result, ReviewerReport, ReviewerStatus
from selfreview.model.session import Event
from selfreview.proc import Runner
from selfreview.reporters.terminal.progress import Progress
from selfreview.review.baseline import Known
from selfreview.review.cache import Blobs, FreshBlobs
from selfreview.review.context import Workbench
from selfreview.review.engine import Engine, default_jobs
from selfreview.review.issue_status import Marking
from selfreview.review.marks import OwnMarks
from selfreview.review.privacy import Privacy, SafeContext
from selfreview.review.select import Selected, select
from selfreview.review.summary import LESS
from selfreview.review.tasks import Settings, Task, assign
from selfreview.review.verdict import Limits, Threshold, exit_code
from selfreview.store import ReviewStore
from selfreview.trust import CONF_NAME

if TYPE_CHECKING:
    from selfreview.loop.refinement_result import RefinementResult


class Run(Invocation):
    """One invocation of ``selfreview run``."""

    def __init__(self, paths: Sequence[str], options: dict[str, Any], *, hook: bool = False) -> None:
        super().__init__(paths, options, hook=hook)
        self.close = contextlib.ExitStack()
        self._hindrance: Hindrance | None = None
        self._reviews: list[Result] = []
        self._resumes = False
        self.claimed: Mapping[str, str] = {}
        self.own_marks = OwnMarks.COUNT
        self.remembers = True
        self.unwritten: int | None = None
        self.speaks = True

    def execute(self) -> int:
        """Review, report, remember; return the exit code."""
        try:
            self.manager.call("selfreview_configure", config=self.config)
            return self._execute()
        except Exception as error:
            self.manager.call_observers(
                "selfreview_error", report=report_observer, error=error, stage=self.stage, config=self.config
            )
            raise
        finally:
            self.close.close()
            self.manager.call_observers("selfreview_unconfigure", report=report_observer, config=self.config)
            if not self.hook:
                send_what_waits(self.session)

    def _execute(self) -> int:
        reporters: Registry[Reporter] = Registry("format")
        self.manager.call("selfreview_register_reporters", registry=reporters, config=self.config)
        outputs = parse_outputs(self.options["formats"], reporters)
        if self.hook and not self.options["formats"]:
            from selfreview.reporters.terminal.hook import HookReporter

            outputs = [Output(HookReporter(output.reporter), output.file) for output in outputs]
        if self.options["collect_only"] and any(output.file is not None for output in outputs):
            raise UsageError("--collect-only prints to standard output, and writes no file")
        if not self.hook:
            check_options(self)
        reviewers = self.reviewers()
        chosen = self.options["chosen"]
        asks_for = None if self.options["diff"] is not None else self.repo  # a bare patch can be from anywhere
        uploads = Uploads(asks_for, reviewers, self.config, os.environ, chosen=chosen, hook=self.hook)
        selected = self.select(reviewers, chosen, uploads=uploads.given)
        self.tell()
        with self.bench(whole=not self.options["collect_only"]) as (bench, unreadable):
            if self.options["collect_only"]:
                tasks = assign(selected.reviewers, bench)
                write_collection(tasks, bench, self.config, outputs[0].reporter.name, self._kept)
                return 0
            with self.stopwatch.paused():
                chosen_now = bool(self.config["enabled"]) and uploads.settle(bench.change)
            if chosen_now:
                selected = self.select(reviewers, chosen, uploads=True)
            result, shown = self._review(bench, unreadable, selected, uploads=uploads.given)
            if bench.interrupted or result.stop is Stop.INTERRUPTED:
                raise Interrupted(kept_until_then(result, resumes=self._resumes))
            self.finish(result, shown, outputs)
            if self.unwritten is not None:
                return int(self.unwritten)
            return int(exit_code(result, self._threshold, warn_incomplete=self.warns_incomplete))

    def rehearse(self) -> tuple[Change, list[Task], frozenset[str]]:
        """Do all that can be refused before a reviewer is called.

        Returns:
            The change, who would review which files, and the names of those who have to take part.

        Raises:
            SelfreviewError: What :meth:`execute` would raise.
        """
        try:
            self.manager.call("selfreview_configure", config=self.config)
            check_options(self)
            selected = self.select(self.reviewers(), (), uploads=False)
            with self.bench(whole=False) as (bench, _):
                self.known(bench)
                return bench.change, assign(selected.reviewers, bench), selected.required
        finally:
            self.close.close()
            self.manager.call_observers("selfreview_unconfigure", report=report_observer, config=self.config)

    @property
    def warns_incomplete(self) -> bool:
        """Return whether an incomplete review only warns."""
        return bool(self.config["on_incomplete"] == "warn")

    def select(self, reviewers: Registry[Reviewer], chosen: Sequence[str], *, uploads: bool) -> Selected:
        """Return the selected reviewers; see :func:`selfreview.review.select.select`."""
        return select(reviewers, self.config, chosen, uploads=uploads)

    @contextlib.contextmanager
    def _kept(self) -> Iterator[Blobs | None]:
        """Open the cache of results, or yield None where there is none or it is not wanted."""
        store = self.session.open_store() if self.config["cache"] else None
        if store is None:
            yield None
            return
        with store:
            yield self._cache(ReviewStore(store))

    def _cache(self, kept: ReviewStore) -> Blobs | None:
        """Return the cache of results, or None where it is not wanted."""
        cache = kept.cache if self.config["cache"] else None
        return FreshBlobs(cache) if cache is not None and self.options["no_cache"] else cache

    def accepted(self, kept: ReviewStore, bench: Workbench) -> Mapping[str, str]:
        """Return why issues were accepted, by fingerprint."""
        if self.repo is None or self.options["diff"] is not None:
            return {}
        return accepted_issues(kept, self.repo, bench.change.scope.branch)

    def known(self, bench: Workbench) -> Known:  # noqa: ARG002 - a gate needs it
        """Return the baselines: on a person's machine, that of the working tree.

        Raises:
            ConfigError: If it cannot be read.
        """
        if self.repo is None or self.options["diff"] is not None:
            return Known()
        entries = read_baseline(self.repo.root, self.config["baseline"]) or {}
        return Known(entries, still=entries)

    def _marking(self, kept: ReviewStore, bench: Workbench) -> Marking:
        return Marking(
            accepted=self.accepted(kept, bench), claimed=self.claimed, known=self.known(bench), own=self.own_marks
        )

    @property
    def _threshold(self) -> Threshold:
        return Threshold(self.config["severity_threshold"])

    def _review(
        self, bench: Workbench, unreadable: dict[str, str], selected: Selected, *, uploads: bool
    ) -> tuple[Result, Workbench]:
        """Review, refine and store; return the result and the workbench for its excerpts."""
        with contextlib.ExitStack() as stack:
            store = self.session.open_store()
            kept = ReviewStore(stack.enter_context(store) if store is not None else None)
            progress = stack.enter_context(Progress(sys.stderr))
            settings = Settings(
                timeout=self.config["reviewer_timeout"],
                jobs=default_jobs(self.config["jobs"]),
                blobs=self._cache(kept),
                watcher=progress,
                crash_report=write_report,
            )
            less = self.asks_less(bench, selected, uploads=uploads)
            self.speaks = not less and not selected.limited
            lived = self.begin(bench, kept, stack)
            engine = Engine(
                manager=self.manager,
                config=self.config,
                selected=selected,
                settings=settings,
                threshold=self._threshold,
                marking=self._marking(kept, bench),
                limits=Limits(self.config.table("max_issues"), strict=self.config["strict"]),
                asked_less=bool(less),
                not_run=list(self._not_run(bench.change, checks=lived is None)),
                remarks=[f"{LESS}: {', '.join(less)}"] if less and not self.hook else (),
            )
            result, looped = switched_off(engine, bench), None
            self.privacy = Privacy(bench, [])
            if result is None:
                result, self.privacy = engine.review(bench, unreadable)
                if lived is not None and not bench.interrupted:
                    result, bench, looped = self.refine(result, bench, engine, kept, lived, uploads=uploads)
            result.duration_ms = self.stopwatch.elapsed_ms
            if self.remembers and self.config["enabled"] and kept.add_result(result) is not None:
                kept.add_event(_completed(result))
            if lived is not None:
                lived.finish(result, looped)
                left = result.patch
                if self.repo is not None and not lived.tracked and left is not None and not left.applied:
                    hand_over(left, bench.change.scope, self.repo, kept, lived.recorder)
                self._resumes = lived.tracked and is_permitted("resume", lived.session)
            for warning in kept.warnings:
                console.warn(warning)
        return result, bench

    def _not_run(self, change: Change, *, checks: bool) -> Iterator[ReviewerReport]:
        """Yield reports of what the settings configure and this call never runs.

        Args:
            change: What is under review.
            checks: Whether that holds for the checks.
        """
        trust = self.session.loaded.trust
        if trust.note is not None and trust.subject is not None and trust.subject.conf is not None:
            error, hint = "this plugin of the repository is not trusted", "selfreview trust"
            yield ReviewerReport(name=CONF_NAME, status=ReviewerStatus.SKIPPED, error=error, hint=hint)
        if checks and self.config.table("checks"):
            from selfreview.cli.checking import Checks

            yield from Checks(self, Runner(), change).withheld()

    def refine(
        self, result: Result, bench: Workbench, engine: Engine, kept: ReviewStore, lived: LiveSession, *, uploads: bool
    ) -> tuple[Result, Workbench, RefinementResult | None]:
        """Run checks and refinement where either has anything to do; a review that passes pays nothing for them."""
        blocks = any(self._threshold.blocks(issue) for issue in result.issues)
        refines = self._hindrance is None and not self.options["no_fix"]
        if blocks and self._hindrance is not None and not self.options["no_fix"]:
            result.notes.append(f"not refined: {self._hindrance.why}")
        if not (self.config.table("checks") or (blocks and refines)):
            lived.decided(result)
            return result, bench, None
        from selfreview.cli.refining import Refining
        from selfreview.cli.reviewing import Reviewed

        refining = Refining(self, kept, engine, lived, uploads=uploads, refines=refines)
        self.close.callback(refining.close)
        result, bench, looped = refining.refine(Reviewed(result, bench, self.privacy), engine)
        self._reviews = looped.reviews if looped is not None else []
        self.privacy = refining.privacy
        return result, bench, looped

    def asks_less(self, bench: Workbench, selected: Selected, *, uploads: bool) -> list[str]:
        """Return the ways in which the call asks for less than the settings, where it would count for the branch."""
        if not self.remembers:
            return []
        return asked_less(self, bench.change.scope, selected, uploads=uploads)

    def begin(self, bench: Workbench, kept: ReviewStore, stack: contextlib.ExitStack) -> LiveSession | None:
        """Begin the run in the branch's session, where there is a repository and no hook is running."""
        if self.repo is None or self.options["diff"] is not None or self.hook or not self.config["enabled"]:
            return None
        if leftovers(self.repo):
            from selfreview.loop.scratch import sweep

            sweep(self.repo)
        sweep_folders()
        self._hindrance = stack.enter_context(held(self.repo))
        free = self._hindrance is None
        lived = open_session(self.repo, bench.change.scope, kept, self.manager, self.config, kept=free and self.speaks)
        lived.begin()
        return lived

    def finish(self, result: Result, bench: Workbench, outputs: Sequence[Output]) -> None:
        """Report the result."""
        shown = any(output.file is None and output.reporter.name == "terminal" for output in outputs)
        if shown:
            show_header(self.manager, self.config, report_observer)
        if self.told is not None:
            from selfreview.reporters.formats import TerminalFormat, terminal

            rest = TerminalFormat(self.told)
            outputs = [Output(rest, None) if o.file is None and o.reporter is terminal else o for o in outputs]
        self.unwritten = write_outputs(
            outputs,
            result,
            SafeContext(bench, self.privacy, 60.0),
            self.config["color"],
            self.repo,
            blamed=self.manager.blamed,
        )
        if shown:
            show_summary(self.manager, self.config, result, report_observer)
        if self.options["durations"] is not None:
            for line in slowest(result, self.options["durations"], self._reviews):
                console.note(line)
        self.manager.call_observers(
            "selfreview_review_completed", report=report_observer, result=result, config=self.config
        )


def _completed(result: Result) -> Event:
    data: dict[str, object] = {"status": result.status.value, "verdict": result.verdict and result.verdict.value}
    return Event(kind="review.completed", at=result.timestamp, run_id=result.run_id, data=data)
