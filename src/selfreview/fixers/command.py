"""Any tool that mends what it finds: the ``fix`` command of a ``[command.NAME]`` table."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from selfreview.api import (
    ConfigView,
    Fix,
    FixAnswer,
    FixContext,
    Fixer,
    FixOutcome,
    FixRequest,
    Issue,
    Registry,
    hookimpl,
)
from selfreview.config.command import FILES
from selfreview.git.safeopen import native
from selfreview.programs import find_on_path


@hookimpl
def selfreview_register_fixers(registry: Registry[Fixer], config: ConfigView) -> None:
    """Register one fixer for every table that says how to mend."""
    for name, table in config.table("command").items():
        if "fix" in table:
            registry.add(CommandFixer(name, table))


class CommandFixer:
    """Runs a tool over the files that hold its own issues.

    Args:
        name: The table's name.
        table: ``fix`` is a program and its arguments, one of them ``{files}``; ``fix_exit_codes`` are the statuses
            that mean success, by default 0 and 1, as most linters say 1 while something is left.
    """

    is_mechanical = True

    def __init__(self, name: str, table: Mapping[str, Any]) -> None:
        self.name = name
        self._fix = tuple(table["fix"])
        self._ok = tuple(table.get("fix_exit_codes", (0, 1)))

    def takes(self, issue: Issue, config: ConfigView) -> bool:  # noqa: ARG002 - protocol
        """Take what the tool itself reported."""
        return issue.reviewer == self.name

    def unavailable(self, config: ConfigView) -> str | None:
        """Return why it cannot run, or None."""
        if not config.may_run(f"command.{self.name}"):
            return 'commands of this repository\'s configuration are not trusted yet; run "selfreview trust"'
        return None if find_on_path(self._fix[0], os.environ) is not None else f"{self._fix[0]} is not installed"

    def fix(self, request: FixRequest, context: FixContext) -> Fix:
        """Run the tool.

        Raises:
            ToolError: If it fails, or does not end in time.
        """
        missing = self.unavailable(context.config)
        if missing is not None:
            return Fix(error=missing)
        paths = dict.fromkeys(issue.file for issue in request.issues)
        # A name that begins with a dash would be an option.
        files = [str(native(context.root, path)) for path in paths]
        argv = [part for argument in self._fix for part in (files if argument == FILES else [argument])]
        context.run(argv, ok=self._ok)
        words = f"{self.name} was run over {', '.join(paths)}"
        return Fix(answers=[FixAnswer(issue=i.id, outcome=FixOutcome.ADDRESSED, why=words) for i in request.issues])
