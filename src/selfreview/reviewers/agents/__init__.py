"""Agents as reviewers: ``agent-claude`` and the like, and one for each ``[agents.NAME]`` table."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from selfreview.api import Agent, ChangedFile, ConfigView, Depth, Review, ReviewContext, ReviewerStatus
from selfreview.api.capabilities import MAX_SECONDS, of_agent
from selfreview.errors import ToolError
from selfreview.git.private_folder import PrivateFolder
from selfreview.model.wire import display_path
from selfreview.programs import find_program
from selfreview.reviewers.tools.program import digest, program_key

if TYPE_CHECKING:
    from selfreview.guard.watch import Watch
    from selfreview.llm.answers.reading import Read, Reader
    from selfreview.llm.context.tasks import PromptTask
    from selfreview.llm.context.view import FileView
    from selfreview.llm.transport.agents import InstalledAgent
    from selfreview.llm.transport.confinement import Confinement
    from selfreview.llm.transport.fences import Fences
    from selfreview.reviewers.agents.brief import Brief
    from selfreview.reviewers.agents.parts import Part
    from selfreview.secrets.redactor import Redactor

_FORMAT = b"3"
_TASK_TOKENS = 30_000
"""Maximum tokens of the change in one prompt; an agent reads the rest by itself."""


class _Session(NamedTuple):
    """State that all parts of one review share."""

    program: Path
    folder: Path
    context: ReviewContext
    brief: Brief
    fences: Fences
    redactor: Redactor
    views: Mapping[str, FileView]
    confinement: Confinement
    watch: Watch


class AgentReviewer:
    """Has an agent review the change in a private copy of the tree.

    Args:
        agent: The agent.
        config: The resolved configuration.
    """

    depth = Depth.MODEL
    default = False

    def __init__(self, agent: Agent, config: ConfigView) -> None:
        self.name = f"agent-{agent.name}"
        self.timeout: float = MAX_SECONDS  # each part has its own time
        self._seconds: float = config["agent_timeout"]
        self._agent = agent
        self._config = config
        self._lock = threading.Lock()
        self._gathered: Brief | None = None

    def selects(self, file: ChangedFile) -> bool:
        """Take everything with lines."""
        return bool(file.spans) and not file.is_symlink and not file.is_submodule

    def unavailable(self) -> tuple[str, str] | None:
        """Return why it cannot run, and a hint, or None; whether it is signed in, only it knows."""
        if self._agent.allowed_by is not None and not self._config.may_run(self._agent.allowed_by):
            return "agents of this repository's configuration are not trusted yet", 'run "selfreview trust"'
        if self._program() is None:
            install = of_agent(self._agent).install or "install it"
            return (
                f"{self._agent.argv[0]} is not installed, or not executable",
                f"{install}; or leave this reviewer out",
            )
        return None

    def cache_key(self, context: ReviewContext) -> bytes | None:
        """Cover the agent and the whole tree, because it reads what it likes."""
        from selfreview.llm.transport.agents import settings_of

        program, tree = self._program(), context.change.scope.tree
        if program is None or tree is None or self.unavailable() is not None:
            return None
        try:
            return digest(
                [
                    _FORMAT,
                    program_key(program),
                    *self._agent.argv,
                    *settings_of(self._agent),
                    tree,
                    self._brief(context).key,
                ]
            )
        except OSError:
            return None

    def notes(self, context: ReviewContext) -> list[str]:
        """Name the instructions that the change edits, which count as they were, and notes on the context."""
        brief = self._brief(context)
        names = ", ".join(brief.held)
        held = (
            [f"{self.name} was given these as they were before the change, which edits them: {names}"] if names else []
        )
        return [*held, *brief.notes]

    def prompts(self, files: Sequence[ChangedFile], context: ReviewContext) -> Iterator[tuple[list[str], str]]:
        """Yield the paths and text of each prompt: exactly what is sent but for the random mark and words."""
        from selfreview.llm.transport.fences import Fences, random_words
        from selfreview.reviewers.agents.parts import prompt

        redactor, _, tasks = _parts(files, context)
        for task in tasks:
            text = prompt(task, self._brief(context), Fences(), redactor, random_words())
            yield [view.file.path for view in task.views], text

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        """Run the agent, for a part of a large change at a time."""
        missing, program = self.unavailable(), self._program()
        if missing is not None or program is None:
            error, hint = missing or (None, None)
            return Review(status=ReviewerStatus.SKIPPED, error=error, hint=hint)
        return self._ask_all(program, files, context)

    def _ask_all(self, program: Path, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        from selfreview.guard.watch import Watch
        from selfreview.llm.transport.confinement import confinement_of, make_start_folder
        from selfreview.llm.transport.fences import Fences
        from selfreview.reviewers.agents.brief import LARGEST, copy_tree
        from selfreview.reviewers.agents.parts import ask_side_by_side, joined
        from selfreview.text.layout import plural

        brief = self._brief(context)
        with PrivateFolder("agent") as name:
            folder = make_start_folder(name)
            large = copy_tree(context, folder, brief.instructions, brief.absent)
            redactor, views, tasks = _parts(files, context)
            confinement = confinement_of(context.config, self._agent)
            watch = Watch(confinement)
            session = _Session(program, folder, context, brief, Fences(), redactor, views, confinement, watch)
            stopped = threading.Event()
            context.on_stop(stopped.set)
            parts = ask_side_by_side(tasks, functools.partial(self._ask_about, session=session), context)
        review = joined(parts, self.name)
        if stopped.is_set() and review.unsettled:  # the run gives another error then
            review.notes.append(str(review.error))
        review.notes += filter(None, (confinement.note, watch.noticed(self.name)))
        if large:
            what = f"{plural(len(large), 'file')} of more than {LARGEST // 2**20} MB"
            review.notes.insert(0, f"{self.name} was not given {what}, such as {display_path(large[0])}")
        return review

    def _ask_about(self, task: PromptTask, *, session: _Session) -> Part:
        """Review a part of the change, with a deadline of its own."""
        from selfreview.llm.answers.reading import Reader
        from selfreview.llm.transport.agents import InstalledAgent, with_deadline
        from selfreview.llm.transport.fences import random_words
        from selfreview.reviewers.agents.parts import Part, prompt

        words = random_words()
        reader = Reader(session.views, session.context.text, session.redactor, words)
        part = Part(tuple(view.file for view in task.views))
        run = with_deadline(session.context.run, self._seconds)
        agent = InstalledAgent(self._agent, session.program, session.confinement, run)
        try:
            text = prompt(task, session.brief, session.fences, session.redactor, words)
            ask = functools.partial(self._run, text, agent, session.folder, part)
            read = session.watch.run(lambda: _ask(reader, ask, session.redactor), self.name)
        except ToolError as error:
            part.error = error
            return part
        part.findings = [session.brief.exclusions.applied(finding) for finding in read.findings]
        part.notes += [f"{self.name}: {note}" for note in read.notes]
        part.void, part.summary, part.error = read.void, read.summary, read.error
        return part

    def _run(self, text: str, agent: InstalledAgent, folder: Path, part: Part) -> str:
        """Run the agent once, and return its answer.

        Raises:
            ToolError: If it fails, or prints something else.
        """
        from selfreview.llm.answers.schema import FINDINGS
        from selfreview.llm.transport.fences import counted, is_far_below
        from selfreview.llm.transport.request import estimate_tokens

        answer = agent.ask(text, folder, schema=FINDINGS)
        if answer.usage is not None:
            sent = estimate_tokens(text)
            if is_far_below(answer.usage, sent):
                part.notes.append(
                    f"{self.name} counted {counted(answer.usage):,} tokens of about {sent:,} that it was given"
                )
            part.usage.add(answer.usage)
        return answer.text

    def _brief(self, context: ReviewContext) -> Brief:
        """Return the context besides the change, gathered once."""
        with self._lock:
            if self._gathered is None:
                from selfreview.reviewers.agents.brief import gather

                self._gathered = gather(context)
            return self._gathered

    def _program(self) -> Path | None:
        return find_program(self._agent.argv[0], self._config.root, os.environ)


def _parts(
    files: Sequence[ChangedFile], context: ReviewContext
) -> tuple[Redactor, Mapping[str, FileView], Sequence[PromptTask]]:
    """Return the redactor of a change, the views of its files, and the parts in which it is reviewed."""
    from selfreview.llm.context.beginning import learn_beginning
    from selfreview.llm.context.tasks import pack
    from selfreview.llm.context.view import render, view_of
    from selfreview.secrets.redactor import Redactor

    redactor = Redactor()
    views = {file.path: view_of(file, context) for file in files}
    learn_beginning(redactor, context.config, context.read_paths)
    for text in map(render, views.values()):
        redactor.learn(text)
    return redactor, views, pack(views.values(), {}, _TASK_TOKENS)


def _ask(reader: Reader, run: Callable[[], str], redactor: Redactor) -> Read:
    """Ask an agent; an answer that cannot be relied on is asked for once more.

    Raises:
        ToolError: If it fails, or neither answer can be relied on; its exit status counts first.
    """
    from selfreview.llm.transport.agents import quoting
    from selfreview.llm.transport.request import ModelError

    try:
        return reader.read(run())
    except ModelError:
        text = run()
    try:
        return reader.read(text)
    except ModelError as error:
        error.message = quoting(error.message, redactor.redact(text).encode())
        raise
