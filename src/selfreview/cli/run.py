"""``selfreview run``: review a change."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

import click

from selfreview.api import Registry, Reporter
from selfreview.cli import console
from selfreview.cli.collect import write_collection
from selfreview.cli.common import plugin_options
from selfreview.cli.consent import Uploads
from selfreview.cli.crash import describe, write_report
from selfreview.cli.invocation import Invocation
from selfreview.cli.outputs import Output, parse_outputs, write_outputs
from selfreview.cli.terminal_hooks import show_header, show_summary
from selfreview.errors import Interrupted, UsageError
from selfreview.model.event import Event
from selfreview.model.issue import Severity
from selfreview.model.result import Result, ResultStatus
from selfreview.reporters.progress import Progress
from selfreview.review.cache import Blobs
from selfreview.review.context import Workbench
from selfreview.review.engine import Engine, default_jobs
from selfreview.review.privacy import Privacy, SafeContext
from selfreview.review.select import select
from selfreview.review.tasks import Settings, assign
from selfreview.review.verdict import Threshold, decide, exit_code
from selfreview.store import ReviewStore

_SEVERITIES = [severity.value for severity in Severity] + ["never"]


@click.command(name="run")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--base", metavar="REF", help="Compare with the merge base of REF and HEAD (or --head).")
@click.option("--head", metavar="REV", help="Review committed content only, up to REV.")
@click.option("--staged", is_flag=True, help="Review what a commit would take.")
@click.option("--commit", metavar="REV", help="Review one commit.")
@click.option("--range", "range_", metavar="A..B", help="Review a range; A...B starts at the merge base.")
@click.option("--diff", metavar="FILE", help="Review a unified diff, or standard input for '-'; needs no repository.")
@click.option("--collect-only", is_flag=True, help="Print what would be reviewed; call no reviewer.")
@click.option("-f", "--format", "formats", multiple=True, metavar="NAME[:FILE]",
              help="terminal, concise, json or jsonl, to standard output or a file; repeatable.")  # fmt: skip
@click.option("--reviewer", "chosen", multiple=True, metavar="NAME",
              help="Only this reviewer; repeatable. auto stands for those that take part by themselves.")  # fmt: skip
@click.option("--severity-threshold", "--fail-on", "threshold", type=click.Choice(_SEVERITIES),
              help="The lowest severity that blocks.")  # fmt: skip
@click.option("--effort", type=click.Choice(["quick", "normal", "thorough"]), help="How much a model is asked.")
@click.option("--requirements", multiple=True, metavar="FILE",
              help="A document that says what the change is meant to do, for a model; repeatable.")  # fmt: skip
@click.option("--no-fix", is_flag=True, help="Only review, as this version always does.")
@click.option("--no-cache", is_flag=True, help="Review everything again.")
@click.option("--offline", is_flag=True, help="Send nothing to a model: leave out such reviewers.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), help="Colour in the terminal report.")
@click.option("--trace-config", is_flag=True, help="Say which plugins and configuration are used, on standard error.")
@plugin_options
def command(paths: tuple[str, ...], **options: Any) -> int:
    """Review a change: by default everything between the merge base with the default branch and the working tree."""
    return Run(paths, options).execute()


class Run(Invocation):
    """One invocation of ``selfreview run``."""

    def execute(self) -> int:
        """Review, report, remember; return the exit code."""
        try:
            self.manager.call("selfreview_configure", config=self.config)
            return self._execute()
        except Exception as error:
            self.manager.call_observers(
                "selfreview_error", report=_report_observer, error=error, stage="run", config=self.config
            )
            raise
        finally:
            self.manager.call_observers("selfreview_unconfigure", report=_report_observer, config=self.config)

    def _execute(self) -> int:
        reporters: Registry[Reporter] = Registry("format")
        self.manager.call("selfreview_register_reporters", registry=reporters, config=self.config)
        outputs = parse_outputs(self.options["formats"], reporters)
        if self.hook and not self.options["formats"]:
            from selfreview.reporters._hook import HookReporter

            outputs = [Output(HookReporter(output.reporter), output.file) for output in outputs]
        if self.options["collect_only"] and any(output.file is not None for output in outputs):
            raise UsageError("--collect-only prints to standard output, and writes no file")
        reviewers = self.reviewers()
        chosen = self.options["chosen"]
        asks_for = None if self.options["diff"] is not None else self.repo  # a bare patch can be from anywhere
        uploads = Uploads(asks_for, reviewers, self.config, os.environ, chosen=chosen, hook=self.hook)
        selected = select(reviewers, self.config, chosen, uploads=uploads.given)
        self._tell()
        with self.bench(whole=not self.options["collect_only"]) as (bench, unreadable):
            if self.options["collect_only"]:
                tasks = assign(selected.reviewers, bench)
                write_collection(tasks, bench, self.config, outputs[0].reporter.name, self._kept)
                return 0
            if self.config["enabled"] and uploads.settle(bench.change):
                selected = select(reviewers, self.config, chosen, uploads=True)
            threshold = Threshold(self.config["severity_threshold"])
            result = self._review(bench, unreadable, selected, threshold)
            self._finish(result, bench, outputs)
            warn = self.config["on_incomplete"] == "warn"
            return int(exit_code(result, threshold, warn_incomplete=warn))

    @contextlib.contextmanager
    def _kept(self) -> Iterator[Blobs | None]:
        """Open what is kept of earlier reviews, where it is to be used."""
        with self.session.open_store() or contextlib.nullcontext() as store:
            yield ReviewStore(store).cache if self.config["cache"] else None

    def _review(self, bench: Workbench, unreadable: dict[str, str], selected: Any, threshold: Threshold) -> Result:
        with self.session.open_store() or contextlib.nullcontext() as store:
            kept = ReviewStore(store)
            with Progress(sys.stderr) as progress:
                settings = Settings(
                    timeout=self.config["reviewer_timeout"],
                    jobs=default_jobs(self.config["jobs"]),
                    blobs=kept.cache if self.config["cache"] else None,
                    watcher=progress,
                    crash_report=write_report,
                )
                engine = Engine(
                    manager=self.manager, config=self.config, selected=selected, settings=settings, threshold=threshold
                )
                result = self._turned_off(engine, bench) or self._engage(engine, bench, unreadable)
            result.duration_ms = round((time.monotonic() - self.started) * 1000)
            if self.config["enabled"] and kept.add_result(result) is not None:
                kept.add_event(_completed(result))
            for warning in kept.warnings:
                console.warn(warning)
        if bench.interrupted:
            raise Interrupted("what was found until then is kept: selfreview status")
        return result

    def _engage(self, engine: Engine, bench: Workbench, unreadable: dict[str, str]) -> Result:
        result, self.privacy = engine.review(bench, unreadable)
        return result

    def _turned_off(self, engine: Engine, bench: Workbench) -> Result | None:
        """Return an empty result where the configuration says that nothing is reviewed here."""
        if self.config["enabled"]:
            return None
        result = engine.empty(bench.change)
        self.privacy = Privacy(bench, [])
        result.status = ResultStatus.NOTHING_TO_REVIEW
        decide(result, engine.threshold)
        where = self.config.origin("enabled")
        result.summary = (
            f"Nothing was reviewed: selfreview is switched off by configuration (enabled = false, {where})."
        )
        return result

    def _finish(self, result: Result, bench: Workbench, outputs: Sequence[Output]) -> None:
        shown = any(output.file is None and output.reporter.name == "terminal" for output in outputs)
        if shown:
            show_header(self.manager, self.config, _report_observer)
        write_outputs(outputs, result, SafeContext(bench, self.privacy, 60.0), self.config["color"])
        if shown:
            show_summary(self.manager, self.config, result, _report_observer)
        self.manager.call_observers(
            "selfreview_review_completed", report=_report_observer, result=result, config=self.config
        )

    def _tell(self) -> None:
        """Say what a person should know before the review."""
        loaded = self.session.loaded
        for text in loaded.notes:
            console.note(f"note: {text}")
        if loaded.trust.note:
            console.note(f"note: {loaded.trust.note}")
            console.note(f"hint: {loaded.trust.hint}")
        if self.options["trace_config"]:
            from selfreview.cli.trace import trace

            trace(loaded)


def _completed(result: Result) -> Event:
    data: dict[str, object] = {"status": result.status.value, "verdict": result.verdict and result.verdict.value}
    return Event(kind="review.completed", at=result.timestamp, run_id=result.run_id, data=data)


def _report_observer(plugin: str, hook: str, error: BaseException) -> None:
    console.warn(f"plugin {plugin} failed in {hook}: {describe(error)}")
