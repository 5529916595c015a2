"""Readers of feedback: the choice of a model or an agent that may read it, and the questions to them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from selfreview.api import Agent, ConfigView, Document, Feedback, FeedbackItem, Judged
from selfreview.app.loading import Project, agents_of
from selfreview.app.ui import Ui
from selfreview.errors import LimitError, ModelAwayError, ToolError
from selfreview.git.private_folder import PrivateFolder
from selfreview.guard.watch import EscapedError, Watch
from selfreview.llm.transport.agents import InstalledAgent, settings_of, with_deadline
from selfreview.llm.transport.confinement import confinement_of, make_start_folder
from selfreview.llm.transport.request import Fault, ModelError, ModelRequest
from selfreview.proc import Runner
from selfreview.programs import find_program
from selfreview.pullrequest.feedback.prompt import SCHEMA, digest, question, understand
from selfreview.pullrequest.ports import TamperedError
from selfreview.pullrequest.quota import Limit, limit_after, limit_in, limit_of
from selfreview.review.select_reviewers import MODEL_REVIEWER
from selfreview.trust.store import ConsentStore

_NAME_IT = 'selfreview pr fix --fixer auto --fixer claude, or fixers = ["auto", "claude"] in the settings'
_TRUST = 'run "selfreview trust"'
_KEYS = {
    "anthropic": "set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a server of your own",
    "bedrock": "set AWS_REGION, and sign in with AWS",
    "vertex": "set CLOUD_ML_REGION and ANTHROPIC_VERTEX_PROJECT_ID",
}


class NoReader(NamedTuple):
    """The reason why no model or agent reads feedback.

    Attributes:
        why: The reason, as a clause.
        hint: What to do about it, or None.
        who: Who would.
    """

    why: str
    hint: str | None = None
    who: str = MODEL_REVIEWER


class ChosenAgent(NamedTuple):
    """An agent that reads feedback, and its program."""

    agent: Agent
    program: Path


def choose_reader(project: Project, fixers: Sequence[str]) -> ChosenAgent | NoReader | None:
    """Return the agent that may read feedback, None where a model behind the API may, or the reason why none may.

    An agent may where it is named as a fixer or reviewer, on the command line or in the settings, and no model may.
    """
    unread = _why_off(project)
    if unread is not None:
        return unread
    unread = _why_no_model(project, fixers)
    return unread and _agent(project, fixers, unread)


def _agent(project: Project, fixers: Sequence[str], unread: NoReader) -> ChosenAgent | NoReader:
    """Return the first named agent that can be asked, else why the first one cannot."""
    config = project.config
    agents = {f"agent-{agent.name}": agent for agent in agents_of(project.manager, config)}
    why: NoReader | None = None
    for name in _named(project, fixers):
        agent = agents.get(name)
        if agent is None:
            continue
        program = find_program(agent.argv[0], config.root, os.environ)
        if agent.allowed_by is not None and not config.may_run(agent.allowed_by):
            why = why or NoReader("agents of this repository's configuration are not trusted yet", _TRUST, name)
        elif program is None:
            why = why or NoReader(
                f"{agent.argv[0]} is not installed, or not executable", "install it and sign in", name
            )
        else:
            return ChosenAgent(agent, program)
    return why or unread


def _named(project: Project, fixers: Sequence[str]) -> list[str]:
    config = project.config
    values = [fixers, *(config[key] for key in ("fixers", "reviewers"))]
    return [name for value in values for name in ([value] if isinstance(value, str) else value)]


def _why_off(project: Project) -> NoReader | None:
    config = project.config
    if not config["enabled"]:
        return NoReader("selfreview is switched off (enabled)")
    if not config["feedback.analyzer"]:
        return NoReader("feedback.analyzer is off")
    if config["offline"]:
        return NoReader("offline is set")
    return None


def _why_no_model(project: Project, fixers: Sequence[str]) -> NoReader | None:
    """Return why feedback may not be sent to a model, or None where it may.

    It may where it is named as a fixer or reviewer, on the command line or in the settings, or where the person agreed
    to it for this repository.
    """
    config, repo = project.config, project.repo
    try:
        provider, base_url = config["claude.provider"], config["claude.base_url"]
    except KeyError:  # the plugin that declares them is left out
        return NoReader(f"the plugin {MODEL_REVIEWER} is left out")
    from selfreview.app.consent import receiver
    from selfreview.llm.transport.credentials import find_credentials

    if find_credentials(provider, os.environ, base_url) is None:
        return NoReader(f"there are no credentials for {provider}", _KEYS.get(provider))
    if MODEL_REVIEWER in _named(project, fixers):
        return None
    where = receiver(provider, base_url, os.environ)
    if repo is not None and ConsentStore.of_user(os.environ).answer(repo.common_dir, where) is True:
        return None
    return NoReader(f"nobody named it, or agreed to send anything of this repository to {where}", _NAME_IT)


def read_nothing(*_: object) -> Mapping[str, Judged]:
    """Read nothing."""
    return {}


def read_nothing_because(unread: NoReader, ui: Ui) -> Callable[..., Mapping[str, Judged]]:
    """Return a reader that leaves all feedback to a person, and reports why where there is any."""

    def read(*_: object) -> Mapping[str, Judged]:
        ui.note(f"note: {unread.who} may not read here: {unread.why}")
        if unread.hint is not None:
            ui.note(f"hint: {unread.hint}")
        return {}

    return read


_TIMEOUT_S = 300.0


class ModelReader:
    """A reader of feedback that asks a model; feedback that the model cannot read goes to a person."""

    def __init__(self, config: ConfigView, feedback: Feedback, requirements: Sequence[Document], ui: Ui) -> None:
        self._ui = ui
        self._config = config
        self._feedback = feedback
        self._requirements = requirements

    @property
    def about(self) -> str:
        """A digest of the model and the requirements, on which the answers depend besides the feedback."""
        return digest(self._config["claude.model"], self._requirements)

    def __call__(
        self, items: Sequence[FeedbackItem], trusted: Mapping[str, Sequence[FeedbackItem]]
    ) -> Mapping[str, Judged]:
        """Judge items.

        Raises:
            LimitError: If the model may not be asked for now.
            ModelAwayError: If it could not be asked: what it would say is not known.
        """
        from selfreview.llm.transport.ask import ask
        from selfreview.llm.transport.budget import budget_of
        from selfreview.llm.transport.client import ClientSettings, SdkClient

        config = self._config
        model = config["claude.model"]
        client = SdkClient(
            ClientSettings(
                provider=config["claude.provider"],
                base_url=config["claude.base_url"],
                silence_s=config["claude.read_timeout"],
                deadline=time.monotonic() + _TIMEOUT_S,
            )
        )
        self._ui.progress(f"reading {len(items)} comments with {model}")
        request = question(
            items,
            self._feedback,
            trusted=trusted,
            requirements=self._requirements,
            model=model,
            max_tokens=config["claude.answer_tokens"],
        )
        try:
            asked = ask(
                request,
                lambda text: understand(text, items, request.words),
                client,
                budget_of(config, [model], "reading feedback"),
            )
        finally:
            client.close()
        if asked.error is not None and (limit := _limit(asked.error)) is not None:
            raise LimitError(limit.why, wait_s=limit.wait_s)
        if asked.error is not None and not _was_asked(asked.error):
            raise ModelAwayError(f"no model could be asked: {asked.error.message}", hint=asked.error.hint)
        if asked.value is None:
            self._ui.warn(
                f"no model read the feedback: {asked.error.message if asked.error is not None else 'no answer'}"
            )
            return {}
        return asked.value


def _limit(error: ModelError) -> Limit | None:
    if error.fault in (Fault.SPENT, Fault.LATER):
        return limit_after(error.message, error.outage.wait_s if error.outage is not None else None)
    return limit_of(error.message, error.outage, time.time())


def _was_asked(error: ModelError) -> bool:
    """Return whether a model got the question; feedback that it then did not read goes to a person."""
    answered = (Fault.GARBAGE, Fault.REFUSED, Fault.CUT_OFF, Fault.TOO_LONG, Fault.BAD_REQUEST, Fault.UNASKED)
    return error.fault in answered


_AGENT_TIMEOUT_S = 300.0


class AgentReader:
    """A reader of feedback that asks an agent; feedback that the agent cannot read goes to a person."""

    def __init__(
        self, chosen: ChosenAgent, config: ConfigView, feedback: Feedback, requirements: Sequence[Document], ui: Ui
    ) -> None:
        self._ui = ui
        self._agent: Agent = chosen.agent
        self._program = chosen.program
        self._confinement = confinement_of(config, self._agent)
        self._seconds = min(_AGENT_TIMEOUT_S, config["agent_timeout"])
        self._feedback = feedback
        self._requirements = requirements

    @property
    def about(self) -> str:
        """Digest of the agent, its settings and the requirements."""
        who = [f"agent-{self._agent.name}", *self._agent.argv, *settings_of(self._agent)]
        return digest("\0".join(who), self._requirements)

    def __call__(
        self, items: Sequence[FeedbackItem], trusted: Mapping[str, Sequence[FeedbackItem]]
    ) -> Mapping[str, Judged]:
        """Judge items.

        Raises:
            LimitError: If the agent may not be asked for now.
            ModelAwayError: If it could not be asked: what it would say is not known.
            TamperedError: If something of the person's own changed meanwhile.
        """
        self._ui.progress(f"reading {len(items)} comments with {self._agent.name}")
        request = question(
            items,
            self._feedback,
            trusted=trusted,
            requirements=self._requirements,
            model=self._agent.name,
            max_tokens=0,
        )
        try:
            return self._asked(request, items)
        except ModelError as error:
            self._ui.warn(f"no model read the feedback: {error.message}")
            return {}
        except EscapedError as error:
            raise TamperedError(error.message, hint=error.hint, items=items) from error
        except ToolError as error:
            limit = limit_in([error.message], time.time())
            if limit is not None:
                raise LimitError(limit.why, wait_s=limit.wait_s) from error
            raise ModelAwayError(f"no model could be asked: {error.message}", hint=error.hint) from error

    def _asked(self, request: ModelRequest, items: Sequence[FeedbackItem]) -> Mapping[str, Judged]:
        """Ask an agent, and once more where the answer cannot be used.

        Raises:
            ModelError: If none can be used.
            ToolError: If the agent fails.
        """
        text = f"{request.words.opening}{request.system}\n\n{request.user}{request.words.closing}"
        confinement, watch = self._confinement, Watch(self._confinement)
        agent = InstalledAgent(self._agent, self._program, confinement, with_deadline(Runner().run, self._seconds))

        def asked() -> str:
            with PrivateFolder("feedback") as name:
                folder = make_start_folder(name)
                answer = watch.run(lambda: agent.ask(text, folder, schema=SCHEMA), f"agent-{self._agent.name}")
                return answer.text

        try:
            return understand(asked(), items, request.words)
        except ModelError:
            return understand(asked(), items, request.words)
        finally:
            for note in filter(None, (confinement.note, watch.noticed(f"agent-{self._agent.name}"))):
                self._ui.warn(note)
