"""Options that commands share: ``-p`` and ``-o``, and those of every command that reviews."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from selfreview.cli import completions
from selfreview.cli.completions import key_values, plugin_names
from selfreview.cli.plugin_commands import EARLIER
from selfreview.model.issue import Severity

F = TypeVar("F", bound=Callable[..., Any])


def plugin_options(function: F) -> F:
    """Add ``-p`` and ``-o`` to a command."""

    def with_earlier(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG001
        return (*ctx.meta.get(EARLIER, ()), *value)

    function = click.option(
        "-o",
        "overrides",
        multiple=True,
        metavar="KEY=VALUE",
        shell_complete=key_values,
        help="Set a configuration key for this run, lists with commas or as TOML; repeatable.",
    )(function)
    return click.option(
        "-p",
        "plugins",
        multiple=True,
        metavar="NAME",
        callback=with_earlier,
        shell_complete=plugin_names,
        help="Load a plugin, or turn one off with no:NAME; repeatable.",
    )(function)


SEVERITIES = [severity.value for severity in Severity] + ["never"]
_OPTIONS = (
    click.option("-f", "--format", "formats", multiple=True, metavar="NAME[:FILE]", shell_complete=completions.formats,
                 help=f"{', '.join(completions.built_in_formats())}, or a plugin's; to stdout or FILE; repeatable."),
    click.option("--reviewer", "reviewers", multiple=True, metavar="NAME", shell_complete=completions.reviewers,
                 help="Use only this reviewer; repeatable. auto: those that are on by default."),
    click.option("--severity-threshold", "--fail-on", "threshold", type=click.Choice(SEVERITIES),
                 help="The lowest severity that blocks."),
    click.option("--max-issues", type=click.IntRange(min=0), metavar="N",
                 help="Fail with more than N open issues, whatever their severity."),
    click.option("--strict", is_flag=True,
                 help="Fail on suppressions and baseline entries that are invalid or match nothing."),
    click.option("--effort", type=click.Choice(["quick", "normal", "thorough"]),
                 help="How thoroughly the reviewer claude asks its model; agents are not affected."),
    click.option("--requirements", multiple=True, metavar="FILE", shell_complete=completions.files,
                 help="A document that says what the change is meant to do, for a model; repeatable."),
    click.option("--no-cache", is_flag=True, help="Ignore cached results: review everything again."),
    click.option("--offline", is_flag=True, help="Send nothing to a model: skip reviewers that would."),
    click.option("--color", type=click.Choice(["auto", "always", "never"]), help="Colour in the terminal report."),
    click.option("--durations", type=click.IntRange(min=0), metavar="N",
                 help="Print the N slowest reviewers and checks to standard error; 0 for all."),
    click.option("--trace-config", is_flag=True,
                 help="Print the plugins and configuration in use to standard error."),
    plugin_options,
)  # fmt: skip


def review_options(command: F) -> F:
    """Give a command the options of every command that reviews."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
