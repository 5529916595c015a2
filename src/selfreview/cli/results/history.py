"""``selfreview history``: earlier reviews, newest first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import click

from selfreview.cli import completions
from selfreview.cli.common import find_repo
from selfreview.cli.stored import open_counts, outcome, stored, summary_of, when, write_json, write_lines
from selfreview.model.result import Result
from selfreview.text.escape import visible
from selfreview.text.layout import cells, fit

_WIDEST = 40
"""Maximum columns of a cell; a longer text, such as a branch's name, is cut."""


@click.command(name="history")
@click.option("-n", "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="Show at most N.")
@click.option("--branch", metavar="NAME", shell_complete=completions.branches, help="Only reviews of this branch.")
@click.option("-f", "--format", "format_name", type=click.Choice(["terminal", "json"]), default="terminal")
def command(limit: int, branch: str | None, format_name: str) -> None:
    """List earlier reviews of this repository and its worktrees, newest first."""
    with stored(find_repo()) as store:
        results = store.results(limit, branch)
        back, again = store.patches_taken("undo"), store.patches_taken("apply")
    if format_name == "json":
        write_json({"runs": [summary_of(result) for result in results]})
    else:
        write_lines(_table(results, branch, {patch: at for patch, at in back.items() if at >= again.get(patch, "")}))


def _table(results: Sequence[Result], branch: str | None, undone: Mapping[str, str]) -> Iterator[str]:
    if not results:
        yield f"no review of {visible(branch)} yet" if branch else "no review yet; start with: selfreview run"
        return
    rows = [["RUN", "WHEN", "BRANCH", "REVIEWED", "VERDICT", "OPEN", "REFINED", "TIME"]]
    for result in results:
        scope = result.scope
        row = [
            result.run_id or "",
            when(result.timestamp),
            scope.branch or "-" if scope else "-",
            (f"{scope.mode} (partly)" if scope.partial else scope.mode) if scope else "-",
            outcome(result),
            open_counts(result),
            _refined(result, undone),
            f"{result.duration_ms / 1000:.1f}s",
        ]
        rows.append([fit(visible(text), _WIDEST) for text in row])
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(text + " " * (width - cells(text)) for text, width in zip(row, widths, strict=True)).rstrip()


def _refined(result: Result, undone: Mapping[str, str]) -> str:
    """Return the number of refinements, and whether the patch is applied and not undone: ``2, applied``."""
    if not result.iterations:
        return "-"
    kept, count = result.patch, str(len(result.iterations))
    if kept is None or not kept.applied:
        return count
    return f"{count}, {'undone' if undone.get(kept.id, '') >= result.timestamp else 'applied'}"
