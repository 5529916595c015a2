"""``selfreview baseline``: the file of issues that are known and do not count."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import click
import msgspec

from selfreview.app.baseline import BASELINE, BaselineScan
from selfreview.app.decisions import check_reason, person
from selfreview.app.run import code_of, execute
from selfreview.app.state import Run
from selfreview.cli import completions, console
from selfreview.cli.common import find_repo, load_project
from selfreview.cli.options import SEVERITIES
from selfreview.cli.running import request_of
from selfreview.cli.terminal import Terminal
from selfreview.errors import ExitCode, OutputError, UsageError
from selfreview.git.objects import later_names
from selfreview.git.repo import Repo
from selfreview.git.worktree_files import native
from selfreview.model import wire
from selfreview.model.issue import OWN, Issue, IssueStatus
from selfreview.model.wire import display_path
from selfreview.reporters import words
from selfreview.review.baseline import BaselineEntry, format_baseline, read_baseline
from selfreview.review.marks import is_markable
from selfreview.review.verdict import Threshold
from selfreview.text.escape import visible
from selfreview.text.layout import plural

_REASON = click.option("--reason", required=True, help="Why these issues do not count; kept with each.")
_FROM = click.option("--fail-on", "--severity-threshold", "threshold", type=click.Choice(SEVERITIES),
                     help="Enter issues from this severity on; by default those that block.")  # fmt: skip


class _Place(NamedTuple):
    """Location of the baseline file."""

    repo: Repo
    name: str

    @property
    def path(self) -> Path:
        """The file."""
        return native(self.repo.root, self.name)


@click.group(name="baseline")
def command() -> None:
    """Manage the baseline: the file of known issues, which do not count.

    Its name is the key `baseline`, by default selfreview-baseline.toml. It is meant to be committed. No model reviews
    for it, unless the configuration names one.
    """


@command.command(name="create")
@_REASON
@_FROM
def create(reason: str, threshold: str | None) -> int:
    """Review the whole working tree, and add every issue that would block."""
    place = _place()
    if read_baseline(place.repo.root, place.name) is not None:
        hint = "selfreview baseline update --all enters what else blocks in the whole tree, prune removes what is gone"
        raise UsageError(f"{display_path(place.name)} is there already", hint=hint)
    scan, code = _scan(threshold=threshold, whole=True)
    code = _add(place, {}, scan, check_reason(reason), code)
    if not place.path.exists():
        _write(place, ())
    return code


@command.command(name="update")
@_REASON
@_FROM
@click.option(
    "--base", metavar="REF", shell_complete=completions.revisions, help="Compare with the merge base of REF and HEAD."
)
@click.option("--all", "whole", is_flag=True, help="Review the whole working tree instead, as for new rules.")
def update(reason: str, threshold: str | None, base: str | None, *, whole: bool) -> int:
    """Review the change, as `selfreview run` does, and add the issues that block."""
    if whole and base is not None:
        raise UsageError("--all reviews the whole tree, so there is nothing to compare with: leave out --base")
    place = _place()
    entries = read_baseline(place.repo.root, place.name) or {}
    scan, code = _scan(threshold=threshold, base=base, whole=whole)
    if scan.result.scope is not None and not whole:
        console.note(f"note: reviewed {words.compared(scan.result.scope)}")
    return _add(place, entries, scan, check_reason(reason), code)


@command.command(name="prune")
def prune() -> int:
    """Review the files of the entries whole, and remove entries that match nothing any more.

    An entry of a model's issue goes only with its file.
    """
    place = _place()
    entries = _entries(place)
    files = {entry.file: native(place.repo.root, entry.file) for entry in entries.values()}
    # Where a file is gone, all the others are looked at: one of them may be it, with another name.
    limits = [str(path) for path in files.values()] if all(path.is_file() for path in files.values()) else []
    scan, code = _scan(limits, whole=True) if entries else (BaselineScan(whole=True), int(ExitCode.PASSED))
    gone = [entry for mark, entry in entries.items() if mark in scan.stale]
    kept = {mark: entry for mark, entry in entries.items() if mark not in scan.stale}
    if gone:
        _write(place, kept.values())
    for entry in gone:
        console.say(f"removed {_told(entry, entry.file)}")
    console.say(f"{_count(len(gone))} removed, {len(kept)} remain")
    return _incomplete(code)


@command.command(name="show")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json"]), default="text", help="Output format.")
def show(form: str) -> None:
    """List the entries; duplicates by another reviewer stand below."""
    place = _place()
    known = _entries(place)
    entries = sorted(known.values(), key=lambda entry: (entry.file, entry.line, entry.fingerprint))
    if form == "json":
        click.echo(wire.document(entries).decode(), nl=False)
        return
    now = {name: _name_now(place.repo, name) for name in {entry.file for entry in entries}}
    merged = [entry for entry in entries if entry.same_as in known]
    for entry in entries:
        if entry in merged:
            continue
        name = now[entry.file] or entry.file
        console.say(_told(entry, name))
        was = "" if name == entry.file else f", entered as {entry.file}"
        gone = ", the file is gone" if now[entry.file] is None else ""
        console.say(visible(f"    {entry.date}, {entry.by}: {entry.reason} ({entry.fingerprint}){was}{gone}"))
        for other in merged:
            if other.same_as == entry.fingerprint:
                console.say(visible(f"    {_author(other)} says the same ({other.fingerprint})"))
    also = f" for {plural(len(entries) - len(merged), 'issue')}" if merged else ""
    console.say(_count(len(entries)) + also)


def _told(entry: BaselineEntry, name: str) -> str:
    where = f"{name}:{entry.line}" if entry.line else name
    return visible(f"{where}: {entry.severity.value}: {entry.description} [{_author(entry)}]")


def _author(entry: BaselineEntry) -> str:
    return f"{entry.reviewer}/{entry.rule}" if entry.rule else entry.reviewer


def _scan(
    paths: Sequence[str] = (), *, base: str | None = None, threshold: str | None = None, whole: bool = False
) -> tuple[BaselineScan, int]:
    """Review for the baseline; return what was found, and the exit code."""
    scan = BaselineScan(whole=whole)
    request = request_of({"paths": paths, "base": base, "threshold": threshold})
    run = execute(Run(request=request, policy=scan.policy, ui=Terminal()), BASELINE)
    scan.keep(run)
    return scan, code_of(run)


def _place() -> _Place:
    repo = find_repo()
    return _Place(repo, load_project(repo).config["baseline"])


def _entries(place: _Place) -> dict[str, BaselineEntry]:
    entries = read_baseline(place.repo.root, place.name)
    if entries is None:
        raise UsageError(f"there is no {display_path(place.name)}", hint="selfreview baseline create --reason TEXT")
    return entries


def _add(place: _Place, entries: dict[str, BaselineEntry], scan: BaselineScan, reason: str, code: int) -> int:
    by, date = person(place.repo), datetime.datetime.now(datetime.UTC).date().isoformat()
    entering = list(_with_merged(scan))
    marks = {issue.id: scan.known_by(issue)[0] for issue in entering}
    new = _as_entries(
        _entry(issue, reason, by, date, scan, same_as=marks.get(issue.duplicate_of or "")) for issue in entering
    )
    moved = {mark: issue for mark, issue in scan.moved.items() if mark in entries}
    renamed = {mark: scan.known_by(issue)[0] for mark, issue in moved.items()}
    for mark, issue in moved.items():
        old = entries.pop(mark)
        entries |= _as_entries([_entry(issue, old.reason, old.by, old.date, scan, same_as=old.same_as)])
    for mark, entry in entries.items():
        if entry.same_as in renamed:
            entries[mark] = msgspec.structs.replace(entry, same_as=renamed[entry.same_as])
    if new or moved:
        _write(place, {**entries, **new}.values())
    renewed = f", {len(moved)} renewed" if moved else ""
    merged = sum(issue.status is IssueStatus.DUPLICATE for issue in entering)
    also = f" (and {plural(merged, 'duplicate')})" if merged else ""
    total = len(entries) + len(new)
    console.say(
        f"{plural(len(new) - merged, 'issue')}{also} added to {display_path(place.name)}{renewed}, "
        f"{_count(total)} in total"
    )
    if new:
        console.note(
            f"commit {display_path(place.name)}: a gate reads the committed file, and for forks that of the base"
        )
    return _incomplete(code)


def _with_merged(scan: BaselineScan) -> Iterable[Issue]:
    """Yield the issues that block and their duplicates, which stand on their own where the former are missing."""
    result = scan.result
    threshold = Threshold(result.severity_threshold)
    blocking = {issue.id for issue in result.issues if threshold.blocks(issue) and is_markable(issue)}
    for issue in result.issues:
        merged = issue.status is IssueStatus.DUPLICATE and issue.duplicate_of in blocking
        if issue.reviewer != OWN and (issue.id in blocking or merged):
            yield issue


def _as_entries(entries: Iterable[BaselineEntry]) -> dict[str, BaselineEntry]:
    return {entry.fingerprint: entry for entry in entries}


def _entry(issue: Issue, reason: str, by: str, date: str, scan: BaselineScan, *, same_as: str | None) -> BaselineEntry:
    name, lines = scan.known_by(issue)
    return BaselineEntry(
        fingerprint=name,
        file=display_path(issue.file),
        line=issue.line_start,
        severity=issue.severity,
        category=issue.category,
        reviewer=issue.reviewer,
        rule=issue.rule,
        description=issue.description,
        reason=reason,
        by=by,
        date=date,
        lines=lines,
        commit=issue.commit,
        same_as=same_as,
    )


def _write(place: _Place, entries: Iterable[BaselineEntry]) -> None:
    """Replace the file.

    Raises:
        OutputError: If it cannot be written, or is no file of its own.
    """
    from selfreview.apply.patches import replace_durably

    name = display_path(place.name)
    if place.path.is_symlink():
        raise OutputError(f"{name} is a symbolic link, which is not written through")
    try:
        replace_durably(place.path, format_baseline(entries))
        place.path.chmod(0o644)
    except OSError as error:
        raise OutputError(f"{name} cannot be written: {error.strerror or error}") from error


def _count(entries: int) -> str:
    return "1 entry" if entries == 1 else f"{entries} entries"


def _incomplete(code: int) -> int:
    """Return the exit code: issues that are entered fail nothing, a review that did not take place does."""
    if code != ExitCode.INCOMPLETE:
        return int(ExitCode.PASSED)
    console.warn("the review was incomplete, so the baseline may be, too")
    return code


def _name_now(repo: Repo, name: str) -> str | None:
    """Return the path that a file of an entry has now, as git sees its renames; None where it is gone."""
    names = itertools.chain([name], later_names(repo.git, "HEAD", name, worktree=True))
    return next((name for name in names if native(repo.root, name).is_file()), None)
