"""``selfreview report``: an earlier review in any format."""

from __future__ import annotations

import click

from selfreview.api import Registry, Reporter
from selfreview.app.outputs import ReportWriter, parse_outputs
from selfreview.cli import completions, console
from selfreview.cli.common import current_folder, find_repo, load_project
from selfreview.cli.options import plugin_options
from selfreview.cli.stored import outcome, stored, when
from selfreview.cli.terminal import Terminal, report_observer
from selfreview.errors import OutputError, UsageError
from selfreview.git.repo import Repo
from selfreview.git.revisions import current_branch
from selfreview.model.result import Result
from selfreview.text.escape import visible


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
    loaded = load_project(repo, plugins=plugins, overrides=overrides).loaded
    manager, config = loaded.manager, loaded.config
    try:
        manager.call("selfreview_configure", config=config)
        reporters: Registry[Reporter] = Registry("format")
        manager.call("selfreview_register_reporters", registry=reporters, config=config)
        outputs = parse_outputs(formats, reporters, current_folder())
        result = _result(repo, run_id)
        console.note(f"note: run {visible(result.run_id or '')} of {when(result.timestamp)}, {outcome(result)}")
        writer = ReportWriter(ui=Terminal(), color=config["color"], repo=repo, blamed=manager.blamed)
        return int(OutputError.exit_code) if writer.write(outputs, result) else None
    finally:
        manager.call_observers("selfreview_unconfigure", report=report_observer, config=config)


def _result(repo: Repo, run_id: str | None) -> Result:
    with stored(repo) as store:
        if run_id is not None:
            return store.result(run_id)
        branch = current_branch(repo.git)
        for result in store.results(1, branch or ""):
            return result
    name = f"branch {visible(branch)}" if branch else "a detached HEAD"
    raise UsageError(f"there is no review of {name} yet", hint="selfreview run; selfreview history lists all runs")
