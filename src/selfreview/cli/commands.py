"""The commands: where each is, and what the rest of the command line has to know of it without importing it."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import click


class Command(NamedTuple):
    """A command of selfreview's own.

    Attributes:
        place: Its module below ``selfreview.cli``, with ``:NAME`` where it is not called ``command`` there.
        help: Its line of help.
        reviews: Whether its exit code is a verdict; of a group, the names of those below it of which that is so.
        writes_reports: Whether it, or one below it, writes reports to files.
    """

    place: str
    help: str
    reviews: bool | Collection[str] = False
    writes_reports: bool = False


COMMANDS = {
    "run": Command(
        "review.run", "Review the change that would become your pull request.", reviews=True, writes_reports=True
    ),
    "status": Command("results.status", "Show what the last review of this branch found, and what to do next."),
    "gate": Command(
        "review.gate",
        "Review a change in CI, by the configuration of its base; edit and ask nothing.",
        reviews=True,
        writes_reports=True,
    ),
    "history": Command("results.report:history", "List earlier reviews."),
    "events": Command("results.events", "Show what happened to the branches of this repository, and follow it."),
    "stats": Command("results.stats", "Show numbers about the reviews of this repository."),
    "show": Command("results.show", "Show everything about one issue."),
    "report": Command("results.report", "Write the last review of this branch in any format.", writes_reports=True),
    "apply": Command("branch.apply:apply", "Apply the patch that a run kept to your working tree."),
    "undo": Command("branch.apply:undo", "Undo the patch that was applied last."),
    "refine": Command("branch.decide:refine", "Let fixers try again on the issues of the last review.", reviews=True),
    "retry": Command("branch.decide:retry", "Repeat the last review or refinement.", reviews=True),
    "resume": Command("branch.decide:resume", "Continue an interrupted run.", reviews=True),
    "accept": Command("branch.accept", "Accept an issue, so that it does not block this branch."),
    "skip": Command("branch.decide:skip", "Allow a pull request although the review does not pass."),
    "ready": Command("branch.decide:ready", "Mark this branch as ready for people to review."),
    "reset": Command("branch.decide:reset", "Start over on this branch; what was accepted stays accepted."),
    "pr": Command("pr.group", "Open a pull request, read reviewers' feedback, and answer it.", reviews=("fix",)),
    "baseline": Command("review.baseline", "Manage the baseline: the file of known issues, which do not count."),
    "config": Command("setup.config", "Print every configuration key, its value and where it comes from."),
    "rule": Command("setup.rule", "List the rules, explain one, or try them on their examples."),
    "plugins": Command("setup.config:plugins", "List the plugins, where they come from and their hooks."),
    "notify": Command("setup.notify", "Show the notification channels, and test one."),
    "trust": Command("setup.trust:trust", "Allow this repository to run its own plugin and commands."),
    "untrust": Command("setup.trust:untrust", "Withdraw every permission given to this repository."),
    "hook": Command("setup.hook", "Install or remove the git hooks.", reviews=("run", "turn"), writes_reports=True),
    "init": Command("setup.init", "Set up this repository: configuration, CI jobs, hooks, texts for coding agents."),
    "doctor": Command("setup.doctor", "Check the installation and this repository."),
    "schema": Command("results.report:schema", "Print the JSON Schema of an output."),
    "demo": Command("review.demo", "Try selfreview on a sample repository."),
    "completion": Command("shell_completion:completion", "Print the completion script for a shell."),
}
"""Every command by its name, in the order of the help. Those of :data:`selfreview.cli.plugin_commands.BUILT_IN` are
added by a built-in plugin."""


def load(name: str) -> click.Command:
    """Import a command of the table."""
    module, _, attribute = COMMANDS[name].place.partition(":")
    command: click.Command = getattr(importlib.import_module(f"selfreview.cli.{module}"), attribute or "command")
    return command


def reviews(arguments: Sequence[str]) -> bool:
    """Return whether the exit code of a command line is a verdict."""
    name, below = (*arguments, "", "")[:2]
    verdict = COMMANDS[name].reviews if name in COMMANDS else False
    return (verdict if isinstance(verdict, bool) else below in verdict) and "--collect-only" not in arguments


def writes_reports(arguments: Sequence[str]) -> bool:
    """Return whether a command line is of a command that writes reports to files."""
    return bool(arguments) and arguments[0] in COMMANDS and COMMANDS[arguments[0]].writes_reports
