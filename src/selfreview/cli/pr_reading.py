"""Reading of feedback with a model, where the person agreed to send it something."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from selfreview.api import ConfigView, Document, Feedback, FeedbackItem, Judged
from selfreview.cli import console
from selfreview.errors import LimitError, ModelAwayError
from selfreview.feedback.feedback_prompt import digest, question, understand
from selfreview.feedback.quota import Limit, limit_in, told

if TYPE_CHECKING:
    from selfreview.llm.request import ModelError

_TIMEOUT_S = 300.0


class ModelReader:
    """A reader of feedback that asks a model; feedback that the model cannot read goes to a person.

    Args:
        config: The configuration.
        feedback: Everything that is said.
        requirements: What the change is meant to do.
    """

    def __init__(self, config: ConfigView, feedback: Feedback, requirements: Sequence[Document] = ()) -> None:
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
            ToolError: If texts cannot be searched for secrets.
        """
        from selfreview.llm.ask import ask
        from selfreview.llm.client import ClientSettings, SdkClient
        from selfreview.llm.redaction import Redactor
        from selfreview.llm.spending import budget_of

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
        console.progress(f"reading {len(items)} comments with {model}")
        request = question(
            items,
            self._feedback,
            trusted=trusted,
            requirements=self._requirements,
            redactor=Redactor(),
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
            console.warn(
                f"no model read the feedback: {asked.error.message if asked.error is not None else 'no answer'}"
            )
            return {}
        return asked.value


def _limit(error: ModelError) -> Limit | None:
    from selfreview.llm.request import Fault

    known = error.fault in (Fault.SPENT, Fault.LATER)
    return told(error.message) if known else limit_in([error.message], time.time())


def _was_asked(error: ModelError) -> bool:
    """Return whether a model got the question; feedback that it then did not read goes to a person."""
    from selfreview.llm.request import Fault

    answered = (Fault.GARBAGE, Fault.REFUSED, Fault.CUT_OFF, Fault.TOO_LONG, Fault.BAD_REQUEST, Fault.UNASKED)
    return error.fault in answered
