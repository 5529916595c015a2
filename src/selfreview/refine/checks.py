"""A check that fails, as an issue: closed only by its passing."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import re
import shlex
import signal
import time
from pathlib import Path

from selfreview.api import Category, Change, CheckOutcome, ConfigView, Issue, Place, Severity, Side
from selfreview.errors import ToolError, ToolTimeout
from selfreview.git.workspace import Workspace
from selfreview.git.workspace_make import share
from selfreview.model.change import overlaps
from selfreview.model.issue import CHECK_PREFIX
from selfreview.model.wire import base64_path, display_path
from selfreview.proc import Runner
from selfreview.refine.environment import Environment
from selfreview.refine.leftovers import Ignored, Leftovers
from selfreview.review.fingerprint import VERSION
from selfreview.secrets.masking import mask_secrets
from selfreview.text.escape import visible

LINES, CHARACTERS = 40, 4_000
"""Maximum of what is shown: lines, and characters."""
_GIST_LINES, _GIST = 2, 300
"""Maximum of what a sentence quotes of an output: lines, and characters."""
_SCANNED = 32 * 1024
"""Bytes of each stream that are searched for secrets: more than is shown, so that none is cut in two unrecognised."""
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")


def tail(stdout: bytes, stderr: bytes, root: Path) -> str:
    """Return the last lines of both streams, readable, without secrets and control characters.

    Where both say much, each gets half of the room.

    Args:
        stdout, stderr: What was printed.
        root: The workspace, whose paths are shown as relative ones.
    """
    try:
        first, second = _lines(stdout, root), _lines(stderr, root)
    except ToolError as error:
        return f"(its output is not shown, as it cannot be searched for secrets: {error.message})"
    room = max(LINES // 2, LINES - len(second))
    first = first[-room:]
    lines = [*first, *second[max(0, len(second) - (LINES - len(first))) :]]
    text = "\n".join(lines)
    return text if len(text) <= CHARACTERS else "…" + text[1 - CHARACTERS :]


def gist(text: str) -> str:
    """Return the end of an output, in one line: tools print their outcome last."""
    lines = [line.strip() for line in text.split("\n") if line.strip()][-_GIST_LINES:]
    line = " | ".join(lines)
    return line if len(line) <= _GIST else f"…{line[1 - _GIST :]}"


def spoken(text: str) -> str:
    """Return a fixer's text with every secret masked: it may quote files, and is kept and shown."""
    try:
        return mask_secrets(text) if text else text
    except ToolError as error:
        return f"(not shown, as it cannot be searched for secrets: {error.message})"


def _lines(output: bytes, root: Path) -> list[str]:
    text = output[-_SCANNED:].decode("utf-8", "replace")
    if len(output) > _SCANNED:
        text = text.partition("\n")[2] or text
    text = _COLOUR.sub("", text.replace("\r\n", "\n"))
    for folder in dict.fromkeys((str(root), str(root.resolve()))):
        text = text.replace(folder + "/", "").replace(folder + "\\", "")
    text = mask_secrets(text).rstrip()
    # A progress bar that was drawn over and over: what it said last.
    lines = [visible(line.rstrip("\r").rpartition("\r")[2].replace("\t", "    ")) for line in text.split("\n")]
    return lines if text else []


PREFIX = CHECK_PREFIX
"""Begins the name under which a check is listed among the reviewers."""
TIMEOUT_S = 600.0
"""Seconds that a check may take by default."""
SETUP_S = 900.0
"""Seconds that all setup commands together may take by default."""
_SHELL = re.compile(r"[|&;<>()$`*?\[\]~#!{}\n]|^\s*\w+=")
"""Syntax that only a shell understands."""
_STATUSES = range(-64, 256)
"""Any end of a program that was started; below 0 a signal's number."""
_NOT_FOUND = (126, 127)
"""Exit statuses of a shell that cannot start a program."""
_MOST_NAMED = 3
_TOOL_FOLDERS = frozenset({".gradle", ".mypy_cache", ".next", ".nox", ".tox", ".venv", "node_modules", "target"})
"""Folders of tools that know by themselves what is stale, and take minutes where they begin with nothing."""

Command = str | tuple[str, ...]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Check:
    """One check.

    Attributes:
        name: As configured.
        run: A command line as a person types it, or a program and its arguments.
        timeout: Seconds.
        required: Whether the result is incomplete where it cannot run.
        insisted: Whether it is incomplete also where it may not run: only where the configuration says ``required``, or
            every fresh clone would be.
        files: Patterns in the manner of ``.gitignore``; it runs only where a changed file matches one.
    """

    name: str
    run: Command
    timeout: float = TIMEOUT_S
    required: bool = True
    insisted: bool = False
    files: tuple[str, ...] = ("**",)

    @property
    def words(self) -> str:
        """The command for a person."""
        return _words(self.run)

    def concerns(self, change: Change) -> bool:
        """Return whether the check runs for a change."""
        from pathspec import GitIgnoreSpec

        spec = GitIgnoreSpec.from_lines(self.files)
        return any(spec.match_file(path) for file in change.files for path in (file.path, file.path_at_base))


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
                insisted=bool(table.get("required", False)),
                files=tuple(table.get("files", ("**",))),
            )
        )
    return checks


def is_trusted(check: Check, config: ConfigView) -> bool:
    """Return whether a check may run, and the workspace that it runs in may be set up."""
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
        self._environment = Environment(workspace, person, runner)
        self._prepared = False
        self._cannot: str | None = None
        self._kept_folders: tuple[str, ...] = ()
        self._ignored: Ignored | None = None
        self._tree = ""
        self._ran: set[str] = set()

    def prepare(self) -> str | None:
        """Share folders and run the setup commands, once; return why checks cannot run, or None.

        Raises:
            FixError: If what that writes cannot be kept out of the patch.
            GitError: If git fails.
        """
        if not self._prepared:
            self._prepared = True
            names, commands = self._table.get("share", ()), self._table.get("setup", ())
            if names or commands:
                leftovers = Leftovers(self._workspace)
                self._cannot = self._set_up(names, commands)
                leftovers.hide()
        return self._cannot

    def run(self, check: Check, deadline: float) -> CheckOutcome:
        """Run a check; what it leaves behind in the workspace is taken away again.

        What git ignores of that stays for the other checks of the same tree.

        Args:
            check: The check.
            deadline: On the monotonic clock; the first check has the time that the setup takes on top.

        Raises:
            FixError: If the workspace cannot be taken back.
            GitError: If git fails.
        """
        began = time.monotonic()
        cannot = self.prepare()
        if cannot is not None:
            return CheckOutcome(check.name, None, cannot)
        seconds = min(check.timeout, deadline - began)
        leftovers = Leftovers(self._workspace)
        lost = self._begin(check, leftovers.tree)
        try:
            passed, output = self._execute(check.run, seconds)
        finally:
            changed = leftovers.take_back()
        if lost:
            output = f"{output}\n({lost})".lstrip()
        if changed:
            passed = False if passed else passed  # it judged something else than what is under review
            more = f" and {len(changed) - _MOST_NAMED} more" if len(changed) > _MOST_NAMED else ""
            names = ", ".join(map(display_path, changed[:_MOST_NAMED]))
            output = f"{output}\n(it changed {names}{more}, which was taken back)".lstrip()
        return CheckOutcome(check.name, passed, output)

    def _begin(self, check: Check, tree: str) -> str:
        """Take back what checks did to ignored files, before one runs on another tree than they did, or again.

        Folders stay that the setup made or that are shared, and those of :data:`_TOOL_FOLDERS`.

        Returns:
            What could not be put back, as a sentence, or nothing.
        """
        lost = ""
        if self._ignored is None:
            # What Python compiled counts as fresh where a file was edited within the second and is as long as before.
            folders = self._workspace.ignored_folders()
            self._kept_folders = tuple(name for name in folders if not name.endswith("__pycache__/"))
            self._ignored = Ignored(self._workspace, self._spares)
        elif tree != self._tree or check.name in self._ran:
            lost = self._ignored.settle()
            self._ran.clear()
        self._tree = tree
        self._ran.add(check.name)
        return lost

    def _spares(self, path: str) -> bool:
        kept = path.startswith(self._kept_folders) or path in self._environment.brought
        return kept or not _TOOL_FOLDERS.isdisjoint(path.split("/"))

    def _set_up(self, names: list[str], commands: list[str | list[str]]) -> str | None:
        try:
            missing = share(self._person, self._workspace.root, names)
        except OSError as error:
            return f"a folder of workspace.share cannot be shared: {error}"
        self._workspace.shared = {name: self._person / name for name in names if name not in missing}
        deadline = time.monotonic() + float(self._table.get("setup_timeout", SETUP_S))
        for command in commands:
            run = command if isinstance(command, str) else tuple(command)
            passed, output = self._execute(run, deadline - time.monotonic())
            if not passed:
                absent = f" (not there to be shared: {', '.join(missing)})" if missing else ""
                return f"the setup of the workspace failed: {_words(run)}{absent}: {output}"
        return None

    def _execute(self, run: Command, seconds: float) -> tuple[bool | None, str]:
        """Run a command; return whether it succeeded (None: it could not run) and the end of its output."""
        if seconds <= 0:
            return None, "there was no time left for it"
        argv = _argv(run)
        self._workspace.refresh_view()  # whatever ran before may have made another of it
        env, blind = self._environment.of(argv[0])
        if blind is not None:
            return None, f"it cannot run: {blind}; let workspace.setup make an environment of its own"
        root = self._workspace.root
        try:
            done = self._runner.run(
                [self._environment.find(argv[0]), *argv[1:]], cwd=root, timeout=seconds, ok=_STATUSES, env=env
            )
        except ToolTimeout:
            return False, f"it did not finish within {seconds:.0f} s"
        except ToolError as error:
            return None, error.message + (f" ({error.hint})" if error.hint else "")
        output = tail(done.stdout, done.stderr, root)
        if done.returncode < 0:
            output = f"{output}\n(it was killed by {_signal(-done.returncode)})".lstrip()
        if done.returncode in _NOT_FOUND and argv != _words_of(run):
            return None, output
        return done.returncode == 0, output or f"(it ended with status {done.returncode} and printed nothing)"


def _argv(run: Command) -> list[str]:
    """Return what to start: a plain command line is split as a shell splits it, any other is given to one."""
    plain = _words_of(run)
    if plain:
        return plain
    if os.name == "nt":
        return [os.environ.get("COMSPEC", "cmd.exe"), "/d", "/s", "/c", str(run)]
    return ["/bin/sh", "-c", str(run)]


def _words_of(run: Command) -> list[str]:
    """Return program and arguments; nothing where a shell has to read them."""
    if not isinstance(run, str):
        return list(run)
    if _SHELL.search(run):
        return []
    try:
        return shlex.split(run, posix=os.name != "nt")
    except ValueError:  # a quote that is not closed: the shell says so
        return []


def _words(run: Command) -> str:
    return run if isinstance(run, str) else shlex.join(run)


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


FAILED_BEFORE = "it failed before the first refinement, too"
FAILED_WITHOUT = "it failed without the fix, too, when it was run again"
NO_FIXS_FAULT = (FAILED_BEFORE, FAILED_WITHOUT)
"""Reasons for an open issue of a check that no refinement caused, though the first review does not hold it."""
_MOST_PLACES = 5
_PLACE = re.compile(r"""(?:^|[\s"'(\[])([^\s"'():\[\]]+\.\w+)(?::|", line |\()(\d{1,7})\b""", re.MULTILINE)
"""``app.py:3``, ``"app.py", line 3``, ``app.ts(3,1)``."""


def issue_of(
    check: Check, outcome: CheckOutcome, config: ConfigView, change: Change, *, reason: str | None = None
) -> Issue:
    """Return the issue that a check which fails is.

    It is about the file that declares the check, as a whole; where the output names changed lines, these are related.
    Its identity is the check's name and command, whatever it prints. The reason becomes its ``status_reason``.
    """
    digest = hashlib.sha256(f"check\0{check.name}\0{check.words}".encode("utf-8", "surrogatepass")).hexdigest()
    related = _places(outcome.output, change)
    path = _declared_in(check, config) or next((place.file for place in related), change.files[0].path)
    return Issue(
        id=f"sr-{digest[:8]}",
        severity=Severity.HIGH,
        category=Category.TESTING,
        file=path,
        path_bytes=base64_path(path),
        line_start=0,
        line_end=0,
        side=Side.NEW,
        description=f"check {check.name} failed: {check.words}\n{outcome.output}".rstrip(),
        suggested_fix="Make it pass without weakening it.",
        reviewer=PREFIX + check.name,
        rule=check.name,
        fingerprint=f"{VERSION}:{digest[:32]}",
        related=related,
        status_reason=reason,
    )


def _declared_in(check: Check, config: ConfigView) -> str | None:
    """Return the file of the repository that declares a check, or None: it may be the person's own."""
    last = config.origin(f"checks.{check.name}").rpartition(", ")[2]
    file, colon, line = last.rpartition(":")
    if config.root is None or not colon or not line.isdigit():
        return None
    path = config.root / file
    inside = path.is_relative_to(config.root) and ".git" not in path.relative_to(config.root).parts
    return path.relative_to(config.root).as_posix() if inside else None


def _places(output: str, change: Change) -> list[Place]:
    """Return the changed lines that an output names, the last ones first: tools report failures at the end."""
    added = {file.path: file.added for file in change.files}
    found: dict[tuple[str, int], None] = {}
    for match in _PLACE.finditer(output):
        path, line = Path(match[1]).as_posix(), int(match[2])
        if overlaps(added.get(path, ()), line, line):
            found.pop((path, line), None)
            found[path, line] = None
    latest = list(reversed(found))[:_MOST_PLACES]
    return [Place(file=path, line_start=line, line_end=line, note="named by the check") for path, line in latest]
