"""The reports of a run: which were asked for, and writing them with what plugins add."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from selfreview.api import Registry, Reporter
from selfreview.app.outputs import Output, ReportWriter, parse_outputs
from selfreview.app.permitted import is_permitted
from selfreview.app.state import AskedRun, ConfiguredRun, RefinedRun, ReviewedRun, Reviewing, SessionRun
from selfreview.app.ui import Ui
from selfreview.errors import Interrupted, UsageError
from selfreview.model.refinement import Stop
from selfreview.model.result import Result
from selfreview.review.privacy import SafeContext
from selfreview.text.escape import quiet, visible


def choose_outputs(run: ConfiguredRun) -> ConfiguredRun:
    """Find out where reports go.

    Raises:
        UsageError: If there is no such format, or a file may not be written.
    """
    reporters: Registry[Reporter] = Registry("format")
    run.manager.call("selfreview_register_reporters", registry=reporters, config=run.config)
    outputs = parse_outputs(run.request.formats, reporters, run.request.folder)
    if run.policy.brief and not run.request.formats:
        from selfreview.reporters.formats import brief

        outputs = [output._replace(reporter=brief(output.reporter)) for output in outputs]
    if run.request.collect_only and any(output.file is not None for output in outputs):
        raise UsageError("--collect-only prints to standard output, and writes no file")
    return dataclasses.replace(run, outputs=outputs)


def stop_if_interrupted(run: Reviewing) -> Reviewing:
    """End an interrupted run, which has nothing to report.

    Raises:
        Interrupted: If it was.
    """
    if run.bench.interrupted or run.result.stop is Stop.INTERRUPTED:
        resumes = isinstance(run, SessionRun) and run.live.tracked and is_permitted("resume", run.live.session)
        raise Interrupted(_kept_until_then(run.result, resumes=resumes))
    return run


def report(run: ReviewedRun) -> ReviewedRun:
    """Write the reports.

    Raises:
        OutputError: If a file cannot be written.
    """
    run.result.notes += run.terms.closing_notes(run.result)
    shown = any(output.file is None and output.reporter.name == "terminal" for output in run.outputs)
    lines = _Lines(run.ui)
    if shown:
        for text in run.manager.call_observers(
            "selfreview_report_header", report=run.observer_failed, config=run.config
        ):
            lines.line(str(text))
    writer = ReportWriter(
        ui=run.ui,
        color=run.config["color"],
        context=SafeContext(run.bench, run.privacy, 60.0),
        repo=run.source.repo,
        blamed=run.manager.blamed,
    )
    unwritten = writer.write(_without_repeats(run), run.result)
    if shown:
        run.manager.call_observers(
            "selfreview_terminal_summary",
            report=run.observer_failed,
            terminal=lines,
            result=run.result,
            config=run.config,
        )
    if run.request.durations is not None:
        reviews = run.refined.reviews if isinstance(run, RefinedRun) else []
        for text in slowest(run.result, run.request.durations, reviews):
            run.ui.note(text)
    run.manager.call_observers(
        "selfreview_review_completed", report=run.observer_failed, result=run.result, config=run.config
    )
    return dataclasses.replace(run, unwritten=unwritten)


def _without_repeats(run: ReviewedRun) -> Sequence[Output]:
    """Return the outputs; the terminal's leaves out the issues that were shown before a question."""
    if not isinstance(run, AskedRun):
        return run.outputs
    from selfreview.reporters.formats import leaving_out

    return [
        output._replace(reporter=leaving_out(output.reporter, run.shown)) if output.file is None else output
        for output in run.outputs
    ]


class _Lines:
    """A :class:`selfreview.api.TerminalWriter` above and below the report."""

    def __init__(self, ui: Ui) -> None:
        self._ui = ui

    def line(self, text: str = "") -> None:
        """Write one line, in which control characters are visible and CI services find no command."""
        self._ui.write(quiet(visible(text)).encode("utf-8", "replace") + b"\n")

    def section(self, title: str) -> None:
        """Write a heading."""
        self.line(f"--- {title} ---")


def _kept_until_then(result: Result, *, resumes: bool) -> str:
    """Return where the results before an interruption are, and how to go on from there."""
    if result.patch is not None and result.patch.applied:
        return "the refinement was applied all the same: selfreview undo takes it back"
    goes_on = "; selfreview resume continues" if resumes else ""
    if result.patch is None:
        return f"the results so far are kept: selfreview status{goes_on}"
    return f"the refinements so far are kept: selfreview status, selfreview apply {result.patch.id}{goes_on}"


def slowest(result: Result, number: int, reviews: Iterable[Result] = ()) -> Iterator[str]:
    """Yield lines with the slowest parts of a run, as ``--durations`` of pytest shows them.

    Args:
        result: The result.
        number: How many to name; 0 stands for all.
        reviews: Further reviews of the same run, before and between refinements.
    """
    each = {id(part): part for review in (result, *reviews) for part in review.reviewers}  # reviews may share them
    taken: Counter[str] = Counter()
    for part in each.values():
        taken[part.name] += part.duration_ms
    fresh = {part.name for part in each.values() if not part.cached}
    shown = sorted(taken, key=lambda name: -taken[name])[: number or None]
    yield f"slowest {len(shown)} of {len(taken)}, {result.duration_ms / 1000:.2f}s in all:"
    for name in shown:
        yield f"{taken[name] / 1000:7.2f}s  {visible(name)}{'' if name in fresh else ' (cached)'}"
