"""The output of a run: its reports, with what plugins add; or what it would review, of which no reviewer is asked."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from selfreview.api import Depth, Estimate, Registry, Reporter
from selfreview.app.outputs import Output, ReportWriter, parse_outputs
from selfreview.app.permitted_commands import is_permitted
from selfreview.app.review import open_cache
from selfreview.app.state import AskedRun, ConfiguredRun, OpenedRun, RefinedRun, ReviewedRun, Reviewing, SessionRun
from selfreview.app.ui import Ui
from selfreview.errors import Interrupted, UsageError
from selfreview.model import wire
from selfreview.model.change import Change, ChangedFile
from selfreview.model.refinement import Stop
from selfreview.model.result import Result
from selfreview.model.wire import base64_path, display_path
from selfreview.review.cache import FindingCache
from selfreview.review.context import RunContext
from selfreview.review.engine import summarise_scope
from selfreview.review.privacy import SafeContext
from selfreview.review.tasks import Task, assign
from selfreview.text.escape import quiet, visible
from selfreview.text.layout import plural


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
    lines = _TerminalLines(run.ui)
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


class _TerminalLines:
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


def list_change(run: OpenedRun) -> OpenedRun:
    """Write what would be reviewed, as text or JSON.

    Raises:
        UsageError: If another format is asked for.
        Exception: What a reviewer raised when it was asked which files it wants.
    """
    tasks = assign(run.selected.reviewers, run.bench)
    for task in tasks:
        if task.fault is not None:
            raise task.fault
    form = run.outputs[0].reporter.name
    if form not in ("json", "terminal"):
        raise UsageError(f"--collect-only has no format {form!r}", hint="it has terminal and json")
    estimate = _estimate(run, tasks)
    commits = run.bench.commits.count() if run.bench.commits is not None else 0
    if form == "json":
        run.ui.write(wire.document(collection(run.bench.change, tasks, estimate, commits)))
    else:
        lines = _collected(run.bench.change, tasks, estimate, commits)
        run.ui.write("".join(f"{quiet(line)}\n" for line in lines).encode("utf-8", "replace"))
    return run


def _estimate(run: OpenedRun, tasks: Sequence[Task]) -> Estimate:
    """Estimate the requests to models that earlier reviews do not answer already; nothing is sent."""
    estimate = Estimate()
    for task in tasks:
        estimate_of = task.capabilities.estimate
        if task.files and estimate_of is not None and task.capabilities.why_unavailable() is None:
            context = RunContext(run.bench, run.config["reviewer_timeout"])
            with open_cache(run) as blobs:
                known = FindingCache(blobs, task.reviewer, context).known(task.files) if blobs is not None else {}
            rest = [file for file in task.files if file.path not in known]
            estimate += estimate_of(rest, context) if rest else Estimate()
    return estimate


def collection(change: Change, tasks: Sequence[Task], estimate: Estimate, commits: int = 0) -> dict[str, object]:
    """Return the collection as builtin values; ``commits`` is how many are reviewed one by one."""
    return {
        "scope": summarise_scope(change),
        "files": [_file(file) for file in change.files],
        "tasks": [_task(task) for task in tasks if task.files],
        "leftOut": change.scope.left_out,
        "estimate": estimate,
        "commits": commits,
    }


def _task(task: Task) -> dict[str, object]:
    missing = task.capabilities.why_unavailable()
    return {
        "reviewer": task.reviewer.name,
        "depth": task.reviewer.depth.value,
        "files": len(task.files),
        "skipped": missing[0] if missing else None,
    }


def _file(file: ChangedFile) -> dict[str, object]:
    entry: dict[str, object] = {
        "path": display_path(file.path),
        "oldPath": display_path(file.old_path) if file.old_path is not None else None,
        "status": file.status.value,
        "binary": file.binary,
        "addedLines": [list(item) for item in file.added],
        "removedLines": file.removed_lines,
        "excluded": file.excluded,
    }
    for key, path in (("pathBytes", file.path), ("oldPathBytes", file.old_path)):
        encoded = base64_path(path) if path is not None else None
        if encoded is not None:
            entry[key] = encoded
    return entry


def _collected(change: Change, tasks: Sequence[Task], estimate: Estimate, commits: int) -> Iterator[str]:
    from selfreview.reporters.words import left_out as listed

    scope = change.scope
    against = f" against {scope.base}" if scope.base else ""
    files = plural(len(change.files), "file")
    yield (f"{scope.mode}{visible(against)}: {files}, +{change.added_lines} -{change.removed_lines}")
    for file in change.files:
        renamed = f" (from {visible(file.old_path)})" if file.old_path else ""
        why = f"  [not reviewed: {visible(file.excluded)}]" if file.excluded else ""
        counts = "binary" if file.binary else f"+{file.added_lines} -{file.removed_lines}"
        yield (f"  {file.status.value:12} {counts:>12}  {visible(file.path)}{renamed}{why}")
    for task in tasks:
        if task.files:
            missing = task.capabilities.why_unavailable()
            what = f"skipped, {missing[0]} ({missing[1]})" if missing else plural(len(task.files), "file")
            if task.reviewer.depth is Depth.MODEL and task.capabilities.estimate is None and missing is None:
                what += " to send, and it reads what it likes of the whole tree; how much that is is not known"
            yield (f"  {task.reviewer.name}: {what}")
    if commits:
        yield (f"  {plural(commits, 'commit')}: what each adds, for secrets")
    if estimate.requests:
        cost = "at a price that is not known" if estimate.cost_usd is None else f"about ${estimate.cost_usd:.2f}"
        sent = f"{estimate.input_tokens:,} tokens to send"
        yield (f"  models: {plural(estimate.requests, 'request')}, {sent}, {cost}, and verification on top")
    elif any(
        task.files and task.capabilities.estimate is not None and task.capabilities.why_unavailable() is None
        for task in tasks
    ):
        yield ("  models: nothing to send, all is known from earlier reviews")
    if scope.left_out:
        yield (f"not reviewed: {listed(scope.left_out)}")
    for note in scope.notes:
        yield (f"note: {visible(note)}")
