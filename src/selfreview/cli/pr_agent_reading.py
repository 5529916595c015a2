"""Feedback read by an agent in an empty folder, with the prompt that a model gets, for users without an API key."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from selfreview.api import Agent, ConfigView, Document, Feedback, FeedbackItem, Judged
from selfreview.cli import console
from selfreview.cli.pr_may_read import Chosen
from selfreview.errors import LimitError, ModelAwayError, ToolError
from selfreview.feedback.feedback_prompt import SCHEMA, digest, question, understand
from selfreview.feedback.ports import TamperedError
from selfreview.feedback.quota import limit_in
from selfreview.git.privatefolder import PrivateFolder
from selfreview.llm.agents import ask, settings_of
from selfreview.llm.confinement import confinement_of, make_start_folder
from selfreview.llm.redaction import Redactor
from selfreview.llm.request import ModelError, Request
from selfreview.llm.timed import Timed
from selfreview.loop.watch import ReachedError, Watch
from selfreview.proc import Runner

_TIMEOUT_S = 300.0


class AgentReader:
    """A reader of feedback that asks an agent; feedback that the agent cannot read goes to a person.

    Args:
        chosen: The agent.
        config: The configuration.
        feedback: All feedback on the pull request.
        requirements: Documents that say what the change is for.
    """

    def __init__(
        self, chosen: Chosen, config: ConfigView, feedback: Feedback, requirements: Sequence[Document] = ()
    ) -> None:
        self._agent: Agent = chosen.agent
        self._program = chosen.program
        self._confinement = confinement_of(config, self._agent)
        self._seconds = min(_TIMEOUT_S, config["agent_timeout"])
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
            ToolError: If texts cannot be searched for secrets.
        """
        console.progress(f"reading {len(items)} comments with {self._agent.name}")
        request = question(
            items,
            self._feedback,
            trusted=trusted,
            requirements=self._requirements,
            redactor=Redactor(),
            model=self._agent.name,
            max_tokens=0,
        )
        try:
            return self._asked(request, items)
        except ModelError as error:
            console.warn(f"no model read the feedback: {error.message}")
            return {}
        except ReachedError as error:
            raise TamperedError(error.message, hint=error.hint, items=items) from error
        except ToolError as error:
            limit = limit_in([error.message], time.time())
            if limit is not None:
                raise LimitError(limit.why, wait_s=limit.wait_s) from error
            raise ModelAwayError(f"no model could be asked: {error.message}", hint=error.hint) from error

    def _asked(self, request: Request, items: Sequence[FeedbackItem]) -> Mapping[str, Judged]:
        """Ask an agent, and once more where the answer cannot be used.

        Raises:
            ModelError: If none can be used.
            ToolError: If the agent fails.
        """
        text = f"{request.words.opening}{request.system}\n\n{request.user}{request.words.closing}"
        timed = Timed(Runner().run, self._seconds)

        confinement, watch = self._confinement, Watch(self._confinement)

        def asked() -> str:
            with PrivateFolder("feedback") as name:
                folder = make_start_folder(name)
                answer = watch.run(
                    lambda: ask(
                        self._agent, self._program, text, timed, folder, confinement=confinement, schema=SCHEMA
                    ),
                    f"agent-{self._agent.name}",
                )
                return answer.text

        try:
            return understand(asked(), items, request.words)
        except ModelError:
            return understand(asked(), items, request.words)
        finally:
            for note in filter(None, (confinement.note, watch.noticed(f"agent-{self._agent.name}"))):
                console.warn(note)
