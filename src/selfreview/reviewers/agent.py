"""Agents as reviewers: ``agent-claude``, ``agent-codex``, ``agent-gemini``, and one per ``[agents.NAME]`` table."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from selfreview.api import (
    Agent,
    ChangedFile,
    ConfigView,
    Depth,
    Review,
    ReviewContext,
    ReviewerStatus,
    Usage,
)
from selfreview.errors import ToolError, ToolTimeout
from selfreview.git.privatefolder import PrivateFolder
from selfreview.model.wire import display_path
from selfreview.reviewers._tool import digest, find_on_path, program_key

if TYPE_CHECKING:
    from selfreview.llm.reading import Read, Reader
    from selfreview.reviewers._agent_brief import Brief

_TASK_TOKENS = 30_000
"""Most tokens of the change in one prompt; an agent reads the rest by itself."""


class AgentReviewer:
    """Has an agent review the change in a private copy of the tree.

    Args:
        agent: Who is asked.
        config: The resolved configuration.
    """

    depth = Depth.MODEL
    default = False

    def __init__(self, agent: Agent, config: ConfigView) -> None:
        self.name = f"agent-{agent.name}"
        self.timeout: float = config["agent_timeout"]
        self._agent = agent
        self._root = config.root
        self._lock = threading.Lock()
        self._gathered: Brief | None = None

    def selects(self, file: ChangedFile) -> bool:
        """Take everything with lines."""
        return bool(file.spans) and not file.is_symlink and not file.is_submodule

    def cache_key(self, context: ReviewContext) -> bytes | None:
        """Cover the agent and the whole tree, because it reads what it likes."""
        program, tree = self._program(), context.change.scope.tree
        if program is None or tree is None or not self._may_run(context):
            return None
        try:
            return digest(
                [program_key(program), *self._agent.argv, *_settings(self._agent), tree, self._brief(context).key]
            )
        except OSError:
            return None

    def notes(self, context: ReviewContext) -> list[str]:
        """Say what the change has no say in."""
        brief = self._brief(context)
        names = ", ".join(brief.held)
        held = (
            [f"{self.name} was given these as they were before the change, which edits them: {names}"] if names else []
        )
        return [*held, *brief.notes]

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        """Ask the agent, about a part of a large change at a time."""
        if not self._may_run(context):
            return Review(
                status=ReviewerStatus.SKIPPED,
                error="agents of this repository's configuration are not trusted yet",
                hint='run "selfreview trust"',
            )
        program = self._program()
        if program is None:
            return Review(
                status=ReviewerStatus.SKIPPED,
                error=f"{self._agent.argv[0]} is not installed",
                hint="install it and sign in, or leave this reviewer out",
            )
        return self._ask_all(program, files, context)

    def _ask_all(self, program: Path, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        from selfreview.llm.beginning import learn_beginning
        from selfreview.llm.marks import Marks
        from selfreview.llm.reading import Reader
        from selfreview.llm.redaction import Redactor
        from selfreview.llm.tasks import pack
        from selfreview.llm.view import render, view_of
        from selfreview.reviewers._agent_copy import LARGEST, copy_tree
        from selfreview.reviewers._agent_prompt import prompt
        from selfreview.text.layout import plural

        marks, redactor, brief = Marks(), Redactor(), self._brief(context)
        review = Review(usage=Usage())
        with PrivateFolder("agent") as name:
            folder = Path(name).resolve()
            large = copy_tree(context, folder, brief.instructions)
            if large:
                what = f"{plural(len(large), 'file')} of more than {LARGEST // 2**20} MB"
                review.notes.append(f"{self.name} was not given {what}, such as {display_path(large[0])}")
            views = {file.path: view_of(file, context) for file in files}
            learn_beginning(redactor, context.config, context.read_paths)
            for text in map(render, views.values()):
                redactor.learn(text)
            for task in pack(views.values(), {}, _TASK_TOKENS):
                reader = Reader(views, context.text, redactor)
                try:
                    text = prompt(task, brief, marks, redactor)
                    read = _ask(reader, functools.partial(self._run, program, text, folder, context, review))
                except ToolError as error:
                    review.status = (
                        ReviewerStatus.TIMED_OUT if isinstance(error, ToolTimeout) else ReviewerStatus.FAILED
                    )
                    review.error, review.hint = error.message, error.hint
                    review.unreviewed |= {view.file.path: "the agent failed" for view in task.views}
                    continue
                review.findings += [brief.exclusions.applied(finding) for finding in read.findings]
                review.notes += [f"{self.name}: {note}" for note in read.notes]
                if read.void:
                    review.notes.append(f"{self.name}: {plural(read.void, 'issue')} cannot be read")
                if read.error is not None:
                    review.status, review.error = ReviewerStatus.FAILED, read.error.message
                    review.unreviewed |= {view.file.path: read.error.message for view in task.views}
        return review

    def _run(self, program: Path, text: str, folder: Path, context: ReviewContext, review: Review) -> str:
        """Run the agent once, and return its answer.

        Raises:
            ToolError: If it fails, or prints something else.
        """
        from selfreview.llm.agents import ask

        answer = ask(self._agent, [str(program), *self._agent.argv[1:]], text, context, folder)
        if answer.usage is not None and review.usage is not None:
            for name in Usage.__struct_fields__:
                setattr(review.usage, name, getattr(review.usage, name) + getattr(answer.usage, name))
        return answer.text

    def _brief(self, context: ReviewContext) -> Brief:
        """Return what it is told besides the change, gathered once."""
        with self._lock:
            if self._gathered is None:
                from selfreview.reviewers._agent_brief import gather

                self._gathered = gather(context)
            return self._gathered

    def _may_run(self, context: ReviewContext) -> bool:
        return self._agent.allowed_by is None or context.config.may_run(self._agent.allowed_by)

    def _program(self) -> Path | None:
        given = self._agent.argv[0]
        if Path(given).name == given:
            return find_on_path(given)
        path = Path(given) if self._root is None else self._root / given
        return path if path.is_file() else None


def _settings(agent: Agent) -> list[str]:
    from selfreview.llm.agents import settings_of

    return settings_of(agent)


def _ask(reader: Reader, run: Callable[[], str]) -> Read:
    """Ask an agent; an answer that cannot be relied on is asked for once more.

    Raises:
        ToolError: If it fails, or neither answer can be relied on; its exit status counts first.
    """
    from selfreview.llm.request import ModelError

    try:
        return reader.read(run())
    except ModelError:
        return reader.read(run())
