"""``run --collect-only``: what would be reviewed, and by whom; no reviewer is called."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from selfreview.errors import UsageError
from selfreview.model import wire
from selfreview.model.change import Change, ChangedFile
from selfreview.model.wire import base64_path, display_path
from selfreview.review.engine import summarise_scope
from selfreview.review.tasks import Task


def write_collection(change: Change, tasks: Sequence[Task], format_name: str) -> None:
    """Print the change as text or JSON.

    Raises:
        UsageError: If the format is neither.
        Exception: What a reviewer raised when it was asked which files it wants.
    """
    for task in tasks:
        if task.fault is not None:
            raise task.fault
    if format_name == "json":
        sys.stdout.buffer.write(wire.document(document(change, tasks)))
        sys.stdout.buffer.flush()
    elif format_name == "terminal":
        _print(change, tasks)
    else:
        raise UsageError(f"--collect-only has no format {format_name!r}", hint="it has terminal and json")


def document(change: Change, tasks: Sequence[Task]) -> dict[str, object]:
    """Return the collection as builtin values."""
    return {
        "scope": summarise_scope(change),
        "files": [_file(file) for file in change.files],
        "tasks": [_task(task) for task in tasks if task.files],
        "estimate": {"requests": 0, "inputTokens": 0, "costUsd": 0.0},
    }


def _unavailable(task: Task) -> tuple[str, str] | None:
    """Return why a reviewer would be skipped, and what to do about it."""
    asked = getattr(task.reviewer, "unavailable", None)
    answer: tuple[str, str] | None = None if asked is None else asked()
    return answer


def _task(task: Task) -> dict[str, object]:
    missing = _unavailable(task)
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


def _print(change: Change, tasks: Sequence[Task]) -> None:
    from selfreview.text.escape import visible
    from selfreview.text.layout import plural

    scope = change.scope
    against = f" against {scope.base}" if scope.base else ""
    files = plural(len(change.files), "file")
    click.echo(f"{scope.mode}{visible(against)}: {files}, +{change.added_lines} -{change.removed_lines}")
    for file in change.files:
        renamed = f" (from {visible(file.old_path)})" if file.old_path else ""
        why = f"  [not reviewed: {visible(file.excluded)}]" if file.excluded else ""
        counts = "binary" if file.binary else f"+{file.added_lines} -{file.removed_lines}"
        click.echo(f"  {file.status.value:12} {counts:>12}  {visible(file.path)}{renamed}{why}")
    for task in tasks:
        if task.files:
            missing = _unavailable(task)
            what = f"skipped, {missing[0]} ({missing[1]})" if missing else plural(len(task.files), "file")
            click.echo(f"  {task.reviewer.name}: {what}")
    for note in scope.notes:
        click.echo(f"note: {visible(note)}")
