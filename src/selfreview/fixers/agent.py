"""Agents as fixers: ``agent-claude`` and the like, and ``[agents.NAME]`` tables with ``fix``."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from selfreview.api import Agent, ConfigView, Fix, FixContext, FixRequest, Issue
from selfreview.errors import ToolError
from selfreview.git.private_folder import PrivateFolder
from selfreview.git.run import as_tool
from selfreview.git.worktree_files import make_room, native
from selfreview.llm.transport.confinement import instructs, keeps_secrets, withheld
from selfreview.model.change import path_from_bytes
from selfreview.programs import find_program


class AgentFixer:
    """Has an agent edit the workspace with tools of its own, from a cleaned environment, until its deadline.

    Its prompt is redacted; files that it reads by itself are not. While it works, the settings of agents are not there,
    nor instructions that the change touches, nor links that lead out. Its exit status counts first. A report
    that is missing or cannot be understood leaves the issues as not addressed, and its edits stand to be judged.

    Args:
        agent: The agent.
        argv: Its command line for fixing.
        config: The resolved configuration.
    """

    is_mechanical = False

    def __init__(self, agent: Agent, argv: Sequence[str], config: ConfigView) -> None:
        self.name = f"agent-{agent.name}"
        self._agent = agent
        self._argv = tuple(argv)
        self._config = config

    def takes(self, issue: Issue, config: ConfigView) -> bool:  # noqa: ARG002 - protocol
        """Take every issue."""
        return True

    def unavailable(self, config: ConfigView) -> str | None:
        """Return why the agent cannot run, or None."""
        if config["offline"]:
            return "it sends code to a model, which offline forbids"
        if self._agent.allowed_by is not None and not config.may_run(self._agent.allowed_by):
            return 'agents of this repository\'s configuration are not trusted yet; run "selfreview trust"'
        if self._program() is None:
            return f"{self._argv[0]} is not installed, or not executable"
        return None

    def fix(self, request: FixRequest, context: FixContext) -> Fix:
        """Run the agent on the issues.

        Raises:
            ConfigError: If the repository's own prompt cannot be rendered.
            ToolError: If it fails, prints something else than an answer, or does not end in time.
        """
        missing, program = self.unavailable(self._config), self._program()
        if missing is not None or program is None:
            return Fix(error=missing)
        from selfreview.git.removal import has_special
        from selfreview.guard.watch import Watch
        from selfreview.llm.fixing.fixing import learn, restore
        from selfreview.llm.fixing.prompt import FixPrompt, last_report
        from selfreview.llm.transport.agents import InstalledAgent
        from selfreview.llm.transport.confinement import confinement_of
        from selfreview.llm.transport.fences import Fences
        from selfreview.secrets.redactor import Redactor

        redactor = Redactor()
        learn(context, redactor)
        prompt = FixPrompt(request, context, redactor, Fences())
        confinement = confinement_of(self._config, self._agent)
        watch = Watch(confinement, of_git=False)
        text = f"{prompt.rules(tools=False)}\n{prompt.task()}"
        try:
            with set_aside(context):
                agent = InstalledAgent(self._agent, program, confinement, context.run)
                answer = watch.run(lambda: agent.ask(text, context.root, fixing=True), self.name)
            if not has_special(context.root):  # git would wait for one; the guard rejects all of it
                restore(context, redactor)
        except OSError as error:
            raise ToolError(f"the workspace of {self._agent.name} cannot be used: {error.strerror}") from error
        report = last_report(answer.text, [issue.id for issue in request.issues], redactor.masked)
        summary = f"{self._agent.name} gave no report" if report is None else report.notes
        notes = "\n".join(filter(None, (confinement.note, watch.noticed(self.name), summary)))
        if report is None:
            return Fix(usage=answer.usage, notes=notes)
        return Fix(answers=list(report.answers), notes=notes, reasons=dict(report.reasons), usage=answer.usage)

    def _program(self) -> Path | None:
        return find_program(self._argv[0], self._config.root, os.environ)


_LS_FILES = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
_DIFF = ("diff", "--cached", "--name-only", "--no-renames", "--no-ext-diff", "-z")


@contextlib.contextmanager
def set_aside(context: FixContext) -> Iterator[None]:
    """Move them out of the workspace for as long as the context lasts; files in their place are removed afterwards.

    Raises:
        ToolError: If git cannot list the workspace.
        OSError: If something cannot be moved.
    """
    with PrivateFolder("aside") as name:
        moved: list[tuple[str, Path]] = []
        try:
            for number, path in enumerate(_paths(context)):
                kept = Path(name, str(number))
                shutil.move(native(context.root, path), kept)
                moved.append((path, kept))
            yield
        finally:
            failures = [error for path, kept in moved if (error := _put_back(context.root, path, kept)) is not None]
            if failures:
                raise failures[0]


def _paths(context: FixContext) -> list[str]:
    """Return the paths to set aside, folders as a whole; none lies in another."""
    argv, env = as_tool(_LS_FILES)
    there = _names(context.run(argv, env=env).stdout)
    touched = {file.path.casefold() for file in context.change.files}
    base = context.change.scope.merge_base
    if base is not None:
        # The files under review may have been narrowed down; what the change touches is more than those.
        argv, env = as_tool([*_DIFF, base, "--"])
        done = context.run(argv, env=env, ok=(0, 128))
        touched.update(path.casefold() for path in _names(done.stdout))
    wanted = {found for path in there if (found := withheld(path)) is not None}
    wanted.update(path for path in there if keeps_secrets(path))
    wanted.update(path for path in there if instructs(path) and path.casefold() in touched)
    wanted.update(path for path in there if _leads_out(context.root, path))
    beside = list(os.scandir(context.root))  # also what git ignores
    wanted.update(entry.name for entry in beside if withheld(entry.name) is not None)
    wanted.update(entry.name for entry in beside if keeps_secrets(entry.name) and not entry.is_dir())
    outermost = (path for path in wanted if not any(path.startswith(f"{other}/") for other in wanted))
    return sorted(path for path in outermost if os.path.lexists(native(context.root, path)))


def _names(output: bytes) -> Iterable[str]:
    return [path_from_bytes(name) for name in output.split(b"\0")[:-1]]


def _leads_out(root: Path, path: str) -> bool:
    """Return whether a path is a link that leads out of a tree, or into its git directory."""
    target = native(root, path)
    if not target.is_symlink():
        return False
    try:
        inside = target.resolve().relative_to(root.resolve())
    except (OSError, RuntimeError, ValueError):
        return True
    return inside.parts[:1] == (".git",)


def _put_back(root: Path, path: str, kept: Path) -> OSError | None:
    """Restore a path; nothing is removed or written behind a link that the agent made on the way."""
    target = native(root, path)
    try:
        make_room(root, path)
        target.unlink(missing_ok=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(kept, target)
    except OSError as error:
        return error
    return None
