"""``selfreview events``: the log of what happened to the branches of a repository, as far as it is kept, and on."""

from __future__ import annotations

import fnmatch
import select
import sys
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import click
import msgspec

from selfreview.app.progress import ProgressReader, progress_folder
from selfreview.cli import completions, console
from selfreview.cli.common import find_repo
from selfreview.cli.stored import stored, when, write_lines
from selfreview.model import event as events
from selfreview.model import request_event
from selfreview.model.event import LoggedEvent
from selfreview.model.wire import to_json
from selfreview.store.events import Batch, EventLog, Follower
from selfreview.text.escape import json_safe, visible
from selfreview.text.layout import plural

_NEWEST = 50
_INTERVAL_S = 0.2


@click.command(name="events")
@click.option("--follow", is_flag=True, help="Go on with what happens, until Ctrl-C.")
@click.option("--after", metavar="CURSOR", help="Only what came after an event, by its cursor (--format json).")
@click.option("--session", metavar="ID", help="Only of this session, by the beginning of its id.")
@click.option("--branch", metavar="NAME", shell_complete=completions.branches, help="Only of this branch.")
@click.option("--kind", metavar="PATTERN", help="Only of kinds such as review.completed; * stands for anything.")
@click.option("-n", "--limit", type=click.IntRange(min=0), metavar="N",
              help=f"At most N: the newest, {_NEWEST} by default; with --after the next, all by default.")  # fmt: skip
@click.option("-f", "--format", "format_name", type=click.Choice(["terminal", "json"]), default="terminal",
              help="json is one object a line, each with the cursor to go on from.")  # fmt: skip
def command(*, follow: bool, after: str | None, limit: int | None, format_name: str, **wanted: str | None) -> None:
    """Show what happened to the branches of this repository, oldest first.

    The log is kept as far back as there is room. Where it is not there any more from a cursor on, that is said as
    "reset", and what is kept follows from its beginning.
    """
    chosen = _Wanted(wanted["session"] or "", wanted["branch"], wanted["kind"] or "*")
    show = _as_json if format_name == "json" else _as_text
    repo = find_repo(hook=True)  # what a killed process left is a writer's to complete
    with stored(repo) as store:
        try:
            cursor = _show_kept(store.log, after, limit, chosen, show)
            if follow:
                _follow(store.log.follow(cursor), ProgressReader(progress_folder(repo)), chosen, show)
        except KeyboardInterrupt:
            if not follow:
                raise


class _Wanted(NamedTuple):
    """The events that are asked for.

    Attributes:
        session: The beginning of a session's id.
        branch: A branch, or None: all.
        kind: A pattern of kinds.
    """

    session: str
    branch: str | None
    kind: str

    def may_include(self, kind: str, session: str | None) -> bool:
        """Return whether an event of a kind and a session may be asked for."""
        return (session or "").startswith(self.session) and fnmatch.fnmatchcase(kind, self.kind)

    def includes(self, event: LoggedEvent) -> bool:
        """Return whether an event is asked for."""
        return self.may_include(event.kind, event.session) and self.branch in (None, event.item.branch)


_Show = Callable[[Batch], None]


def _show_kept(log: EventLog, after: str | None, limit: int | None, wanted: _Wanted, show: _Show) -> str:
    """Show what is kept; return the cursor of its end."""
    if after is None:
        batch = log.newest(_NEWEST if limit is None else limit, wanted.includes, wanted.may_include)
        show(batch)
        return batch.cursor
    left = limit
    while True:
        batch = log.read_after(after)
        found = [event for event in batch.events if wanted.includes(event)][:left]
        show(batch._replace(events=found))
        left = None if left is None else left - len(found)
        if not batch.events or left == 0:
            return found[-1].cursor if found and left == 0 else batch.cursor
        after = batch.cursor


def _follow(log: Follower, progress: ProgressReader, wanted: _Wanted, show: _Show) -> None:
    """Show what comes, and how runs get on, until nobody reads it any more."""
    while True:
        batch = log.read()
        found = [*(batch.events if batch is not None else ()), *progress.read()]
        if found or batch is not None:
            show(Batch(list(filter(wanted.includes, found)), "", batch.reset if batch is not None else None))
        elif not _wait(_INTERVAL_S):
            return


def _wait(seconds: float) -> bool:
    """Wait; return whether standard output still has a reader."""
    if not hasattr(select, "poll"):
        time.sleep(seconds)
        return True
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)  # errors are told of unasked
    return not poll.poll(seconds * 1000)


def _as_json(batch: Batch) -> None:
    """Print events as JSON, one a line, and before them that the log is not continued."""
    lines: list[dict[str, object]] = [msgspec.to_builtins(event) for event in batch.events]
    for line in lines:
        if not line["cursor"]:  # nothing that is kept
            del line["cursor"]
    if batch.reset is not None:
        lines.insert(0, {"kind": "reset", "reason": batch.reset})
    sys.stdout.buffer.write(b"".join(json_safe(to_json(line)) + b"\n" for line in lines))
    sys.stdout.buffer.flush()


def _as_text(batch: Batch) -> None:
    """Print events as lines."""
    if batch.reset is not None:
        console.note(f"reset: {batch.reset}")
    write_lines(map(_line, batch.events))


def _line(event: LoggedEvent) -> str:
    item = event.item
    where = visible(item.branch or "-") + (f" #{item.request}" if item.request is not None else "")
    said = visible(" ".join(_words(event).split()))
    return f"{when(event.at, seconds=True)}  {where}  {visible(event.kind)}" + (f"  {said}" if said else "")


def _words(event: LoggedEvent) -> str:
    """Return what an event says, in words."""
    match request_event.typed(event.kind, event.data):
        case events.StateChanged() as moved:
            count = f" ({moved.iteration}/{moved.max_iterations})" if moved.iteration else ""
            why = moved.error or moved.reason or "; ".join(moved.why)
            return f"{moved.previous} → {moved.new}{count}" + (f": {why}" if why else "")
        case events.ReviewCompleted() as review:
            return review.summary or str(review.verdict or review.status)
        case events.RefinementCompleted() as done:
            counts = f"{len(done.addressed)} fixed, {len(done.unaddressed)} left, {len(done.introduced)} new"
            return f"refinement {done.iteration}: {counts}"
        case events.ReadyForHuman() as ready:
            return f"{ready.summary} {ready.url}"
        case events.Escalated() as escalated:
            return f"{escalated.why} {escalated.url}"
        case events.CommandFailed() as failed:
            return f"{failed.stage}: {failed.message}" + (f" ({failed.hint})" if failed.hint else "")
        case request_event.FeedbackReceived() as feedback:
            return f"{plural(len(feedback.items), 'item')}: {feedback.overall.replace('_', ' ')} {feedback.url}"
        case _:
            return ", ".join(_scalars(event.data))


def _scalars(data: dict[str, object]) -> Iterator[str]:
    for key, value in data.items():
        if key not in ("pid", "action") and isinstance(value, (str, int, float)) and value not in ("", False):
            yield f"{key} {value}" if value is not True else key
