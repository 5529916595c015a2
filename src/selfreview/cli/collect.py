"""``run --collect-only``: what would be reviewed, and by whom; no reviewer is called."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from selfreview.api import ConfigView, Depth, Estimate
from selfreview.cli import console
from selfreview.errors import UsageError
from selfreview.model import wire
from selfreview.model.change import Change, ChangedFile
from selfreview.model.wire import base64_path, display_path
from selfreview.review.cache import Blobs, FindingCache
from selfreview.review.context import RunContext, Workbench
from selfreview.review.engine import summarise_scope
from selfreview.review.tasks import Task

Kept = Callable[[], AbstractContextManager[Blobs | None]]


def write_collection(tasks: Sequence[Task], bench: Workbench, config: ConfigView, format_name: str, kept: Kept) -> None:
    """Print the change as text or JSON.

    Args:
        tasks: Who would review what.
        bench: The change.
        config: The configuration.
        format_name: ``json`` or ``terminal``.
        kept: Opens what is kept of earlier reviews; called where a model would be asked.

    Raises:
        UsageError: If the format is neither.
        Exception: What a reviewer raised when it was asked which files it wants.
    """
    for task in tasks:
        if task.fault is not None:
            raise task.fault
    change = bench.change
    if format_name not in ("json", "terminal"):
        raise UsageError(f"--collect-only has no format {format_name!r}", hint="it has terminal and json")
    told = _estimate(tasks, bench, config, kept)
    commits = bench.commits.count() if bench.commits is not None else 0
    if format_name == "json":
        sys.stdout.buffer.write(wire.document(document(change, tasks, told, commits)))
        sys.stdout.buffer.flush()
    else:
        _print(change, tasks, told, commits)


def _estimate(tasks: Sequence[Task], bench: Workbench, config: ConfigView, kept: Kept) -> Estimate:
    """Estimate the requests to models that earlier reviews do not answer already; nothing is sent."""
    told = Estimate()
    for task in tasks:
        asked = getattr(task.reviewer, "estimate", None)
        if task.files and asked is not None and why_unavailable(task) is None:
            context = RunContext(bench, config["reviewer_timeout"])
            with kept() as blobs:
                known = FindingCache(blobs, task.reviewer, context).known(task.files) if blobs is not None else {}
            left = [file for file in task.files if file.path not in known]
            told += asked(left, context) if left else Estimate()
    return told


def document(change: Change, tasks: Sequence[Task], told: Estimate, commits: int = 0) -> dict[str, object]:
    """Return the collection as builtin values; ``commits`` is how many are reviewed one by one."""
    return {
        "scope": summarise_scope(change),
        "files": [_file(file) for file in change.files],
        "tasks": [_task(task) for task in tasks if task.files],
        "leftOut": change.scope.left_out,
        "estimate": told,
        "commits": commits,
    }


def why_unavailable(task: Task) -> tuple[str, str] | None:
    """Return why a reviewer would be skipped, with a hint, or None."""
    asked = getattr(task.reviewer, "unavailable", None)
    answer: tuple[str, str] | None = None if asked is None else asked()
    return answer


def _asks(task: Task) -> bool:
    """Return whether a reviewer can estimate its requests to a model."""
    return getattr(task.reviewer, "estimate", None) is not None


def _task(task: Task) -> dict[str, object]:
    missing = why_unavailable(task)
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


def _print(change: Change, tasks: Sequence[Task], told: Estimate, commits: int) -> None:
    from selfreview.reporters.words import left_out as listed
    from selfreview.text.escape import visible
    from selfreview.text.layout import plural

    scope = change.scope
    against = f" against {scope.base}" if scope.base else ""
    files = plural(len(change.files), "file")
    console.say(f"{scope.mode}{visible(against)}: {files}, +{change.added_lines} -{change.removed_lines}")
    for file in change.files:
        renamed = f" (from {visible(file.old_path)})" if file.old_path else ""
        why = f"  [not reviewed: {visible(file.excluded)}]" if file.excluded else ""
        counts = "binary" if file.binary else f"+{file.added_lines} -{file.removed_lines}"
        console.say(f"  {file.status.value:12} {counts:>12}  {visible(file.path)}{renamed}{why}")
    for task in tasks:
        if task.files:
            missing = why_unavailable(task)
            what = f"skipped, {missing[0]} ({missing[1]})" if missing else plural(len(task.files), "file")
            if task.reviewer.depth is Depth.MODEL and not _asks(task) and missing is None:
                what += " to send, and it reads what it likes of the whole tree; how much that is is not known"
            console.say(f"  {task.reviewer.name}: {what}")
    if commits:
        console.say(f"  {plural(commits, 'commit')}: what each adds, for secrets")
    if told.requests:
        cost = "at a price that is not known" if told.cost_usd is None else f"about ${told.cost_usd:.2f}"
        sent = f"{told.input_tokens:,} tokens to send"
        console.say(f"  models: {plural(told.requests, 'request')}, {sent}, {cost}, and verification on top")
    elif any(task.files and _asks(task) and why_unavailable(task) is None for task in tasks):
        console.say("  models: nothing to send, all is known from earlier reviews")
    if scope.left_out:
        console.say(f"not reviewed: {listed(scope.left_out)}")
    for note in scope.notes:
        console.say(f"note: {visible(note)}")
