"""Agents as fixers: ``agent-claude`` and the like, and ``[agents.NAME]`` tables with ``fix``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from selfreview.api import Agent, ConfigView, Fix, FixContext, FixRequest, Issue
from selfreview.errors import ToolError
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
            return f"{self._argv[0]} is not installed, or may not be executed"
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
        from selfreview.fixers._agent_aside import set_aside
        from selfreview.git.removal import has_special
        from selfreview.llm.context.fences import Fences
        from selfreview.llm.fixing.fixing import learn, restore
        from selfreview.llm.fixing.prompt import FixPrompt
        from selfreview.llm.fixing.report import last_report
        from selfreview.llm.redaction.redactor import Redactor
        from selfreview.llm.transport.agents import InstalledAgent
        from selfreview.llm.transport.confinement import confinement_of
        from selfreview.loop.watch import Watch

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
        report = last_report(answer.text, [issue.id for issue in request.issues], redactor.redact)
        said = f"{self._agent.name} gave no report" if report is None else report.notes
        notes = "\n".join(filter(None, (confinement.note, watch.noticed(self.name), said)))
        if report is None:
            return Fix(usage=answer.usage, notes=notes)
        return Fix(answers=list(report.answers), notes=notes, reasons=dict(report.reasons), usage=answer.usage)

    def _program(self) -> Path | None:
        return find_program(self._argv[0], self._config.root, os.environ)
