"""The project's own checks: commands that run in a workspace with the tree under review."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import re
import shlex
import time
from pathlib import Path

from selfreview.api import Category, Change, CheckOutcome, ConfigView, Issue, IssueStatus, Place, Severity, Side
from selfreview.errors import ToolError, ToolTimeout
from selfreview.git.workspace import Workspace, share
from selfreview.loop.editable import import_folders
from selfreview.model.wire import base64_path, display_path
from selfreview.proc import Runner
from selfreview.scan.redact import mask
from selfreview.scan.secrets import scan
from selfreview.text.escape import visible

PREFIX = "check-"
"""Begins the name under which a check is listed among the reviewers."""
TIMEOUT_S = 600.0
"""Seconds that a check may take by default."""
SETUP_S = 900.0
"""Seconds that all setup commands together may take by default."""
_SHELL = re.compile(r"[|&;<>()$`\\*?\[#~!{}\n]|^\s*\w+=")
"""What only a shell understands."""
_TAIL_LINES = 40
_TAIL_CHARACTERS = 4_000


@dataclasses.dataclass(frozen=True, kw_only=True)
class Check:
    """One check.

    Attributes:
        name: As configured.
        run: A command line as a person types it, or a program and its arguments.
        timeout: Seconds.
        required: Whether the result is incomplete where it cannot run.
    """

    name: str
    run: str | tuple[str, ...]
    timeout: float = TIMEOUT_S
    required: bool = True

    @property
    def words(self) -> str:
        """The command for a person."""
        return self.run if isinstance(self.run, str) else shlex.join(self.run)


def configured(config: ConfigView) -> list[Check]:
    """Return the checks of ``[checks]``, in the order of the configuration, trusted or not."""
    checks = []
    for name, value in config.table("checks").items():
        table = value if isinstance(value, dict) else {"run": value}
        run = table["run"]
        checks.append(
            Check(
                name=name,
                run=run if isinstance(run, str) else tuple(run),
                timeout=float(table.get("timeout", TIMEOUT_S)),
                required=bool(table.get("required", True)),
            )
        )
    return checks


def is_trusted(check: Check, config: ConfigView) -> bool:
    """Whether a check may run, and what makes it run."""
    return config.may_run(f"checks.{check.name}") and config.may_run("workspace")


class Checker:
    """Runs checks in one workspace.

    Args:
        workspace: The workspace.
        person: Top level of the person's tree, for what is shared, and for the environment that belongs to it.
        config: The configuration.
        runner: Runs them, and kills them.
    """

    def __init__(self, workspace: Workspace, person: Path, config: ConfigView, runner: Runner) -> None:
        self._workspace = workspace
        self._person = person
        self._table = config.table("workspace")
        self._runner = runner
        self._prepared = False
        self._cannot: str | None = None

    def prepare(self) -> str | None:
        """Share folders and run the setup commands, once; return why checks cannot run, or None."""
        if not self._prepared:
            self._prepared = True
            missing = share(self._person, self._workspace.root, self._table.get("share", ()))
            self._cannot = self._set_up()
            if self._cannot is not None and missing:
                self._cannot += f" (not there to be shared: {', '.join(missing)})"
        return self._cannot

    def _set_up(self) -> str | None:
        deadline = time.monotonic() + float(self._table.get("setup_timeout", SETUP_S))
        for command in self._table.get("setup", ()):
            run = command if isinstance(command, str) else tuple(command)
            passed, output = self._execute(run, deadline - time.monotonic())
            if not passed:
                return f"the setup command {run if isinstance(run, str) else shlex.join(run)!r} failed: {output}"
        return None

    def run(self, check: Check, deadline: float) -> CheckOutcome:
        """Run a check; what it leaves behind in the workspace is taken away again.

        Args:
            check: The check.
            deadline: On the monotonic clock.
        """
        before = self._workspace.tree()
        cannot = self.prepare()
        if cannot is not None:
            return CheckOutcome(check.name, None, cannot)
        seconds = min(check.timeout, deadline - time.monotonic())
        passed, output = self._execute(check.run, seconds)
        left = self._take_back(before)
        if left:
            output = f"{output}\n({check.name} changed {', '.join(left[:3])}; that was taken back)".strip()
        return CheckOutcome(check.name, passed, output)

    def _take_back(self, tree: str) -> list[str]:
        """Undo what was written to files that are no part of what is ignored; return which."""
        after = self._workspace.tree()
        changed = self._workspace.changed(tree, after)
        if changed:
            self._workspace.restore({path: self._workspace.at(tree, path) for path in changed}, tree)
        return [display_path(path) for path in changed]

    def _execute(self, run: str | tuple[str, ...], seconds: float) -> tuple[bool | None, str]:
        """Run a command; return whether it succeeded (None: it could not be started) and the end of its output."""
        if seconds <= 0:
            return False, "there was no time left for it"
        argv = _argv(run)
        env = self._environment()
        try:
            done = self._runner.run(argv, cwd=self._workspace.root, timeout=seconds, ok=range(256), env=env)
        except ToolTimeout:
            return False, f"it did not finish within {seconds:.0f} s"
        except ToolError as error:
            return (None, error.message) if "cannot be started" in error.message else (False, error.message)
        output = done.stdout + (b"\n" if done.stdout and done.stderr else b"") + done.stderr
        if done.returncode == 127 and isinstance(run, str):
            return None, _tail(output)
        return done.returncode == 0, _tail(output)

    def _environment(self) -> dict[str, str]:
        """Return variables by which tools of the person's environment see the workspace and not the person's tree."""
        env: dict[str, str] = {"CI": "1", "NO_COLOR": "1"}
        own = next((self._person / name for name in (".venv", "venv", "env") if _is_venv(self._person / name)), None)
        if own is not None:
            scripts = own / ("Scripts" if os.name == "nt" else "bin")
            env["VIRTUAL_ENV"] = str(own)
            env["PATH"] = os.pathsep.join([str(scripts), os.environ.get("PATH", os.defpath)])
        folders = import_folders(self._person, self._workspace.root, own)
        if folders:
            env["PYTHONPATH"] = os.pathsep.join(map(str, folders))
        return env


def issue_of(check: Check, outcome: CheckOutcome, config: ConfigView, change: Change) -> Issue:
    """Return the issue that a check which fails is; only its passing closes it.

    It stands on the file that declares the check; where the output names changed lines, these are related.
    """
    from selfreview.review.fingerprint import VERSION

    digest = hashlib.sha256(f"check\0{check.name}\0{check.words}".encode()).hexdigest()[:32]
    place = config.origin(f"checks.{check.name}").partition(":")[0]
    related = _places(outcome.output, change)
    path = related[0].file if related else Path(place).name if place else "selfreview.toml"
    return Issue(
        id=f"sr-{digest[:8]}",
        severity=Severity.HIGH,
        category=Category.TESTING,
        file=display_path(path),
        path_bytes=base64_path(path),
        line_start=related[0].line_start if related else 0,
        line_end=related[0].line_end if related else 0,
        side=Side.NEW,
        description=f"The check {check.name} fails: {check.words}\n{outcome.output}".rstrip(),
        suggested_fix="Make it pass without weakening it.",
        reviewer=PREFIX + check.name,
        rule=check.name,
        fingerprint=f"{VERSION}:{digest}",
        related=related[1:],
        status=IssueStatus.OPEN,
    )


_MOST_PLACES = 5


def _places(output: str, change: Change) -> list[Place]:
    """Return the changed lines that an output names, the last ones first: tools tell what broke at the end."""
    added = {file.path: file.added for file in change.files}
    found: dict[tuple[str, int], Place] = {}
    for match in re.finditer(r"""(?:^|[\s"'(])((?:\./)?[\w./-]+\.\w+)(?::|", line |\()(\d{1,7})""", output):
        path, line = match[1].removeprefix("./"), int(match[2])
        if any(item.first <= line <= item.last for item in added.get(path, ())):
            found.pop((path, line), None)
            found[path, line] = Place(file=path, line_start=line, line_end=line, note="named by the check")
    return list(reversed(found.values()))[:_MOST_PLACES]


def _argv(run: str | tuple[str, ...]) -> list[str]:
    """Return what to start: a plain command line is split as a shell splits it, any other is given to one."""
    if not isinstance(run, str):
        return list(run)
    if os.name == "nt":
        return [os.environ.get("COMSPEC", "cmd.exe"), "/d", "/s", "/c", run]
    if not _SHELL.search(run):
        return shlex.split(run)
    return ["/bin/sh", "-c", run]


def _tail(output: bytes) -> str:
    """Return the end of an output: readable, without secrets and control characters."""
    lines = output.decode("utf-8", "replace").replace("\r\n", "\n").rstrip().split("\n")
    text = "\n".join(visible(line) for line in lines[-_TAIL_LINES:])[-_TAIL_CHARACTERS:]
    return mask(text, scan(text))


def _is_venv(folder: Path) -> bool:
    return (folder / "pyvenv.cfg").is_file()
