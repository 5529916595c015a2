"""``run --collect-only``: what would be reviewed, and by whom; no reviewer is called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from selfreview.api import Depth, Estimate
from selfreview.app.review import open_cache
from selfreview.app.state import OpenedRun
from selfreview.errors import UsageError
from selfreview.model import wire
from selfreview.model.change import Change, ChangedFile
from selfreview.model.wire import base64_path, display_path
from selfreview.review.cache import FindingCache
from selfreview.review.context import RunContext
from selfreview.review.engine import summarise_scope
from selfreview.review.tasks import Task, assign
from selfreview.text.escape import quiet, visible


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
        run.ui.write(wire.document(document(run.bench.change, tasks, estimate, commits)))
    else:
        lines = _lines(run.bench.change, tasks, estimate, commits)
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


def document(change: Change, tasks: Sequence[Task], estimate: Estimate, commits: int = 0) -> dict[str, object]:
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


def _lines(change: Change, tasks: Sequence[Task], estimate: Estimate, commits: int) -> Iterator[str]:
    from selfreview.reporters.words import left_out as listed
    from selfreview.text.layout import plural

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
