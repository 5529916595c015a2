"""Any tool's own fixes, from the key ``fix`` of the configuration's ``[command.NAME]`` tables."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
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
    Side,
    hookimpl,
)
from selfreview.config.tables import FILES
from selfreview.git.worktree_files import LINK, read_file
from selfreview.programs import as_argument, batches, find_on_path

_STATUSES = range(256)
_TAIL = 300


@hookimpl
def selfreview_register_fixers(registry: Registry[Fixer], config: ConfigView) -> None:
    """Register one fixer for every table that says how its tool fixes."""
    for name, table in config.table("command").items():
        if "fix" in table:
            registry.add(CommandFixer(name, table))


class CommandFixer:
    """Runs one configured command over exactly the files that its reviewer found something in.

    Args:
        name: The table's name, and that of the reviewer.
        table: ``fix`` is required; ``fix_ok`` (exit statuses that mean success, by default 0) and ``timeout`` (seconds)
            are not. Another status is no failure where files changed: many tools say that something is left.
    """

    is_mechanical = True

    def __init__(self, name: str, table: Mapping[str, Any]) -> None:
        self.name = name
        self._argv: Sequence[str] = table["fix"]
        self._ok: Sequence[int] = table.get("fix_ok") or [0]
        self._timeout: float | None = table.get("timeout")

    def takes(self, issue: Issue, config: ConfigView) -> bool:
        """Take what its reviewer found, where it may run."""
        found = issue.reviewer == self.name and issue.side is Side.NEW
        return found and config.may_run(f"command.{self.name}")

    def unavailable(self, config: ConfigView) -> str | None:
        """Return why the command cannot run, or None."""
        if not config.may_run(f"command.{self.name}"):
            return 'commands of this repository are not trusted yet; run "selfreview trust"'
        if Path(self._argv[0]).name == self._argv[0] and find_on_path(self._argv[0], os.environ) is None:
            return f"{self._argv[0]} is not installed"
        return None

    def fix(self, request: FixRequest, context: FixContext) -> Fix:
        """Run the command in the workspace.

        Raises:
            ToolError: If it cannot be started, is killed, or says too much.
            ToolTimeout: If it does not end in time.
        """
        missing = self.unavailable(context.config)
        if missing is not None:
            return Fix(error=missing)
        before = {path: read_file(context.root, path) for path in dict.fromkeys(i.file for i in request.issues)}
        files = [path for path, entry in before.items() if entry is not None and entry.mode != LINK]
        failure = None
        for argv in self._command_lines(files, context.root):
            done = context.run(argv, ok=_STATUSES, timeout=self._timeout)
            if done.returncode not in self._ok:
                output = " ".join((done.stderr or done.stdout).decode("utf-8", "replace").split())[-_TAIL:]
                failure = f"{self.name} ended with status {done.returncode}" + (output and f": {output}")
        changed = {path for path in files if read_file(context.root, path) != before[path]}
        if failure is not None and not changed:
            return Fix(error=failure, hint=f"command.{self.name}.fix_ok says which statuses are no failure")
        return Fix(answers=[self._answer(issue, changed) for issue in request.issues])

    def _command_lines(self, files: Sequence[str], root: Path) -> Iterator[list[str]]:
        given = self._argv[0]
        program = given if Path(given).name == given else str(root / given)  # an absolute path stays what it is
        at = self._argv.index(FILES)
        before, after = [program, *self._argv[1:at]], self._argv[at + 1 :]
        for batch in batches(map(as_argument, files), used=(*before, *after)):
            yield [*before, *batch, *after]

    def _answer(self, issue: Issue, changed: set[str]) -> FixAnswer:
        if issue.file in changed:
            return FixAnswer(issue=issue.id, outcome=FixOutcome.ADDRESSED, why=f"{self.name} edited the file")
        return FixAnswer(issue=issue.id, outcome=FixOutcome.NOT_ADDRESSED, why=f"{self.name} left the file as it was")
