"""``selfreview show``: everything about one issue, or about one refinement."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from selfreview.api.reporter import PatchText
from selfreview.app.decisions import is_withdrawn, valid_acceptances
from selfreview.app.patch_text import kept_patch
from selfreview.app.session import LOOK_BACK, branch_reviews
from selfreview.cli import completions, console
from selfreview.cli.common import find_repo
from selfreview.cli.stored import (
    ADDRESSED,
    Said,
    columns,
    listed,
    named_issue,
    only_addressed,
    said_of,
    shown_as_one,
    stored,
    when,
    write_json,
    write_lines,
)
from selfreview.errors import UsageError
from selfreview.git.repo import Repo
from selfreview.git.revisions import current_branch
from selfreview.model.issue import Edit, Issue
from selfreview.model.result import Iteration, Result, ResultStatus
from selfreview.model.session import Decision
from selfreview.reporters import refined
from selfreview.reporters.terminal.code import Paint, patch_lines
from selfreview.reporters.terminal.report import IssueWriter, of_one
from selfreview.reporters.words import Sources, shown
from selfreview.review.fingerprint import is_name
from selfreview.store import IssueRecord, Store
from selfreview.text.escape import visible
from selfreview.text.layout import fold, plural, wrap

_LABEL = 14
"""Columns of the labels."""


@click.command(name="show")
@click.argument("name", metavar="[ISSUE|RUN]", required=False, shell_complete=completions.shown)
@click.option("-f", "--format", "format_name", type=click.Choice(["terminal", "json"]), default="terminal")
@click.option("--prompt", is_flag=True,
              help="Print what a model is sent about ISSUE, a task such as correctness:1/3, or all; "
                   "for agent-NAME, what that agent is.")  # fmt: skip
@click.option("--iteration", type=click.IntRange(min=1), metavar="N",
              help="Show the N-th refinement of RUN, by default of this branch's latest run that refined.")  # fmt: skip
def command(name: str | None, format_name: str, prompt: bool, iteration: int | None) -> None:
    """Show everything about one issue, with its history, or about one refinement, with its patch.

    ISSUE is an id, a fingerprint or the beginning of one, or a rule of this branch's latest review; where exactly one
    issue is open it can be left out. RUN is an id that
    selfreview history lists.
    """
    repo = find_repo()
    if iteration is not None:
        if prompt:
            raise UsageError("--iteration excludes --prompt")
        _show_iteration(repo, iteration, name, format_name)
    else:
        _show_issue(repo, name or _only_one(repo), format_name, prompt=prompt)


def _only_one(repo: Repo) -> str:
    """Return the fingerprint of the one issue that is open on this branch.

    Raises:
        UsageError: If there is none, or several.
    """
    with stored(repo) as store:
        result = branch_reviews(store, current_branch(repo.git)).result
    issues = result.open_issues if result is not None else []
    if len(issues) != 1:
        there = f"{len(issues)} are open" if issues else "none is open"
        raise UsageError(
            f"name an issue ({there}), or a refinement with --iteration", hint="selfreview status lists issues"
        )
    return issues[0].fingerprint


def _show_issue(repo: Repo, issue: str, format_name: str, *, prompt: bool) -> None:
    if prompt:
        from selfreview.cli.results.prompt import show_prompt

        path = reviewer = None
        if is_name(issue):
            with stored(repo) as store:
                found = _find(store, issue, current_branch(repo.git)).issue
            path, reviewer = found.file, found.reviewer
        show_prompt(issue, path, reviewer)
        return
    with stored(repo) as store:
        record = _find(store, issue, current_branch(repo.git))
        said = said_of(shown_as_one(store, record), store.results(LOOK_BACK))
        session = store.session(str(repo.root), current_branch(repo.git) or "")
        decisions = session.decisions if session else []
        since = _review_without(store, record, current_branch(repo.git))
    if format_name == "json":
        history = record.history
        write_json(
            {
                "issue": record.issue,
                "history": {
                    "firstSeen": history.first_seen,
                    "firstRun": history.first_run,
                    "lastSeen": history.last_seen,
                    "lastRun": history.last_run,
                    "runs": history.runs,
                },
                "refinements": said,
            }
        )
    else:
        write_lines(_lines(record, said, decisions, since))


def _find(store: Store, name: str, branch: str | None) -> IssueRecord:
    """Find an issue by its name; also one that a refinement addressed before any result had it.

    Raises:
        UsageError: If there is none, or several; the hint lists them.
    """
    try:
        return named_issue(store, name, branch)
    except UsageError:
        found = only_addressed(name, store.results(LOOK_BACK)) if is_name(name) else None
        if found is None:
            raise
        return found


def _review_without(store: Store, record: IssueRecord, branch: str | None) -> Result | None:
    """Return the last review of the branch if it is a later, complete one that does not find the issue any more."""
    result = branch_reviews(store, branch).whole
    known = (seen := store.result(record.history.last_run).scope) is not None and seen.branch == branch
    if not known or result is None or result.status is not ResultStatus.COMPLETE:
        return None
    later = result.timestamp >= record.history.last_seen and result.run_id != record.history.last_run
    found = any(issue.fingerprint == record.issue.fingerprint for issue in result.issues)
    return result if later and not found else None


def _lines(record: IssueRecord, said: list[Said], decisions: list[Decision], without: Result | None) -> Iterator[str]:
    issue, history = record
    applied = history.status == ADDRESSED
    paint = Paint(console.use_color("auto", sys.stdout.isatty()))
    # Without the reviewed text: the file may have changed since; the evidence is what was seen then.
    yield from IssueWriter(columns(), paint, Sources(None)).full(issue)
    for edit in issue.edits:
        yield from _edit(edit)
    yield ""
    facts = {
        "status": _status(issue, applied=applied, decisions=decisions)
        if without is None or applied
        else f"not found since: the review {visible(without.run_id or '')} of this branch is without it",
        "fingerprint": visible(issue.fingerprint),
        "first seen": f"{when(visible(history.first_seen))} in {visible(history.first_run)}",
        "last seen": f"{when(visible(history.last_seen))} in {visible(history.last_run)}",
        "seen in": plural(history.runs, "review"),
    }
    for label, text in facts.items():
        yield f"{paint(f'{label}:', 'dim')}{' ' * (_LABEL - 1 - len(label))}{text}"
    label = "refined:"
    for one in said:
        if one.run_id != said[0].run_id:
            yield " " * _LABEL + "and in earlier runs: --format json has all of it"
            break
        for line in wrap(one.sentence(), columns() - _LABEL):
            yield paint(label, "dim") + " " * (_LABEL - len(label)) + line
            label = ""


def _status(issue: Issue, *, applied: bool, decisions: list[Decision]) -> str:
    """Return the status of an issue, and its reason, unless that already begins with the status."""
    text = "addressed by a refinement that was applied" if applied else issue.status.value.replace("_", " ")
    reason = fold(issue.status_reason or "")
    text = reason if reason.startswith(f"{text} ") else f"{text}: {reason}" if reason else text
    if is_withdrawn(issue, decisions):
        text += "; withdrawn since: it counts again from the next run"
    since = valid_acceptances(decisions).get(issue.fingerprint)
    if since is not None and issue.is_open and not applied:
        text += f"; accepted since by {visible(since.who)}: that counts from the next run"
    return text


def _edit(edit: Edit) -> Iterator[str]:
    place = f"{edit.line_start}:{edit.column_start + 1} to {edit.line_end}:{edit.column_end + 1}"
    if not edit.replacement:
        yield f"  the fix removes {place}"
        return
    yield f"  the fix replaces {place} with"
    yield from (f"    {shown(line)}" for line in edit.replacement.removesuffix("\n").split("\n"))


def _show_iteration(repo: Repo, number: int, run: str | None, format_name: str) -> None:
    """Print one refinement.

    Args:
        repo: The repository.
        number: The refinement, from 1.
        run: The id of a run or the beginning of one; None: the newest of this branch that refined.
        format_name: ``terminal`` or ``json``.

    Raises:
        UsageError: If there is no such run or refinement.
    """
    with stored(repo) as store:
        result = _newest(store, current_branch(repo.git)) if run is None else store.result(run)
    count = len(result.iterations)
    if number > count:
        there = f"it has {'only 1' if count == 1 else count or 'none'}"
        raise UsageError(f"run {result.run_id} has no refinement {number}", hint=f"{there}; selfreview history")
    iteration = result.iterations[number - 1]
    diff = kept_patch(repo, iteration)
    if format_name == "json":
        patch = iteration.refinement.patch
        write_json(
            {"runId": result.run_id, "number": number, "iteration": iteration, "patch": patch, "diff": diff.text}
        )
    else:
        write_lines(_iteration_lines(result, number, iteration, diff))


def _newest(store: Store, branch: str | None) -> Result:
    for result in store.results(LOOK_BACK, branch or ""):
        if result.iterations:
            return result
    raise UsageError("no run on this branch refined anything", hint="selfreview history lists all runs")


def _iteration_lines(result: Result, number: int, iteration: Iteration, diff: PatchText) -> Iterator[str]:
    paint, width = Paint(console.use_color("auto", sys.stdout.isatty())), columns()
    yield f"run {visible(result.run_id or '')}"
    yield from of_one(number, iteration, paint, width, whole=True)
    yield from _compared(result, iteration, paint, width)
    yield ""
    if diff.text is None:
        yield from wrap(diff.why, width)
        return
    before = ", those of the refinements before it included" if number > 1 else ""
    yield from wrap(f"Patch {iteration.refinement.patch}: everything from the reviewed tree to the state after "
                    f"refinement {number}{before}", width)  # fmt: skip
    kept = result.patch
    if kept is not None and kept.applied and kept.id == iteration.refinement.patch:
        yield from wrap("It was applied to your tree; selfreview undo takes back what was applied last", width)
    else:
        yield from wrap(f"To put it into your tree: selfreview apply {iteration.refinement.patch}", width)
    yield ""
    yield from patch_lines(diff.text, paint)


def _compared(result: Result, iteration: Iteration, paint: Paint, width: int) -> Iterator[str]:
    refinement = iteration.refinement
    known = refined.known(result)
    told = {*refinement.unaddressed_issue_ids, *refinement.new_issues_introduced}
    others = [issue.id for issue in iteration.review.open_issues if issue.id not in told]
    asked = bool(refinement.unaddressed_issue_ids)
    groups = (
        ("addressed", refinement.addressed_issue_ids),
        ("still open of those that blocked" if others else "still open", refinement.unaddressed_issue_ids),
        (f"{'more ' if asked else ''}still open, not blocking before", others),
        ("new", refinement.new_issues_introduced),
    )
    for title, names in groups:
        if names:
            yield ""
            yield paint(f"{len(names)} {title}", "bold")
            yield from listed([known[name] for name in names if name in known], paint, width)
            yield from (f"  {visible(name)}" for name in names if name not in known)
