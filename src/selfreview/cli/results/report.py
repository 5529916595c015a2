"""``selfreview report``, ``history`` and ``schema``: earlier reviews in any format, their list, and the schema."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Mapping, Sequence

import click

from selfreview.api import Registry, Reporter
from selfreview.app.loading import configured
from selfreview.app.outputs import ReportWriter, parse_outputs
from selfreview.cli import completions, console
from selfreview.cli.common import current_folder, find_repo, load_project
from selfreview.cli.options import plugin_options
from selfreview.cli.stored import (
    open_counts,
    outcome,
    stored,
    summary_of,
    summary_of_pruned,
    when,
    write_json,
    write_lines,
)
from selfreview.cli.terminal import Terminal
from selfreview.errors import OutputError, UsageError
from selfreview.git.repo import Repo
from selfreview.git.revisions import current_branch
from selfreview.model.result import Result
from selfreview.store.numbers import PrunedRun
from selfreview.text.escape import visible
from selfreview.text.layout import cells, fit


@click.command(name="report")
@click.option("--run", "run_id", metavar="ID", shell_complete=completions.runs,
              help="A run of selfreview history, by the beginning of its id; else this branch's latest.")  # fmt: skip
@click.option("-f", "--format", "formats", multiple=True, metavar="NAME[:FILE]", shell_complete=completions.formats,
              help="Any format of selfreview run, to standard output or FILE; repeatable.")  # fmt: skip
@plugin_options
def command(
    run_id: str | None, formats: tuple[str, ...], plugins: tuple[str, ...], overrides: tuple[str, ...]
) -> int | None:
    """Write the last review of this branch once more, in any format.

    Nothing is reviewed: what is written is what that review found then, and code is shown as far as it was kept. The
    exit code is 0 whatever the verdict was; selfreview run and gate are what decides.
    """
    repo = find_repo()
    project = load_project(repo, plugins=plugins, overrides=overrides)
    manager, config = project.manager, project.config
    with configured(project, Terminal()):
        reporters: Registry[Reporter] = Registry("format")
        manager.call("selfreview_register_reporters", registry=reporters, config=config)
        outputs = parse_outputs(formats, reporters, current_folder())
        result = _result(repo, run_id)
        console.note(f"note: run {visible(result.run_id or '')} of {when(result.timestamp)}, {outcome(result)}")
        writer = ReportWriter(ui=Terminal(), color=config["color"], repo=repo, blamed=manager.blamed)
        return int(OutputError.exit_code) if writer.write(outputs, result) else None


def _result(repo: Repo, run_id: str | None) -> Result:
    with stored(repo) as store:
        if run_id is not None:
            return store.result(run_id)
        branch = current_branch(repo.git)
        for result in store.results(1, branch or ""):
            return result
    name = f"branch {visible(branch)}" if branch else "a detached HEAD"
    raise UsageError(f"there is no review of {name} yet", hint="selfreview run; selfreview history lists all runs")


_WIDEST = 40
"""Maximum columns of a cell; a longer text, such as a branch's name, is cut."""


@click.command(name="history")
@click.option("-n", "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="Show at most N.")
@click.option("--branch", metavar="NAME", shell_complete=completions.branches, help="Only reviews of this branch.")
@click.option("-f", "--format", "format_name", type=click.Choice(["terminal", "json"]), default="terminal")
def history(limit: int, branch: str | None, format_name: str) -> None:
    """List earlier reviews of this repository and its worktrees, newest first.

    Of those that were pruned only the numbers are kept: they come last.
    """
    with stored(find_repo()) as store:
        results = store.results(limit, branch)
        pruned = store.pruned(limit - len(results), branch) if len(results) < limit else []
        back, again = store.patches_taken("undo"), store.patches_taken("apply")
    if format_name == "json":
        write_json({"runs": [*map(summary_of, results), *map(summary_of_pruned, pruned)]})
    else:
        undone = {patch: at for patch, at in back.items() if at >= again.get(patch, "")}
        rows = [*(_row(result, undone) for result in results), *map(_pruned_row, pruned)]
        write_lines(_table(rows, branch))


def _table(runs: Sequence[Sequence[str]], branch: str | None) -> Iterator[str]:
    if not runs:
        yield f"no review of {visible(branch)} yet" if branch else "no review yet; start with: selfreview run"
        return
    titles = ["RUN", "WHEN", "BRANCH", "REVIEWED", "VERDICT", "OPEN", "REFINED", "TIME"]
    rows = [titles, *([fit(visible(text), _WIDEST) for text in run] for run in runs)]
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(text + " " * (width - cells(text)) for text, width in zip(row, widths, strict=True)).rstrip()


def _row(result: Result, undone: Mapping[str, str]) -> Sequence[str]:
    scope = result.scope
    return (
        result.run_id or "",
        when(result.timestamp),
        scope.branch or "-" if scope else "-",
        (f"{scope.mode} (partly)" if scope.partial else scope.mode) if scope else "-",
        outcome(result),
        open_counts(result.counts),
        _refined(result, undone),
        f"{result.duration_ms / 1000:.1f}s",
    )


def _pruned_row(run: PrunedRun) -> Sequence[str]:
    numbers = run.numbers
    return (
        run.id,
        when(run.at),
        run.branch or "-",
        "(pruned)",
        outcome(numbers),
        open_counts(numbers.severities),
        str(numbers.iterations or "-"),
        f"{numbers.duration_ms / 1000:.1f}s",
    )


def _refined(result: Result, undone: Mapping[str, str]) -> str:
    """Return the number of refinements, and whether the patch is applied and not undone: ``2, applied``."""
    if not result.iterations:
        return "-"
    kept, count = result.patch, str(len(result.iterations))
    if kept is None or not kept.applied:
        return count
    return f"{count}, {'undone' if undone.get(kept.id, '') >= result.timestamp else 'applied'}"


NAMES = ("verdict",)


@click.command(name="schema")
@click.argument("name", type=click.Choice(NAMES), default="verdict")
def schema(name: str) -> None:  # noqa: ARG001 - there is one schema today
    """Print the JSON Schema of what --format json prints."""
    click.echo(json.dumps(verdict_schema(), indent=2))


def verdict_schema() -> dict[str, object]:
    """Return the JSON Schema of :class:`selfreview.model.result.Result`."""
    import msgspec

    from selfreview.model.result import SCHEMA_VERSION, Result

    document: dict[str, object] = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    document |= {"title": "selfreview verdict", "description": f"Version {SCHEMA_VERSION}; it only ever gains keys."}
    document |= msgspec.json.schema(Result)
    for definition in document["$defs"].values():  # type: ignore[attr-defined]  # a mapping of mappings
        if "description" in definition:  # msgspec takes the indents out since 0.23
            definition["description"] = inspect.cleandoc(definition["description"])
    return document
