"""A model that reads feedback, where the person agreed that one may be sent something."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence

from selfreview.api import ConfigView, Document, Feedback, FeedbackItem, Judged
from selfreview.cli import console
from selfreview.cli.common import Session
from selfreview.feedback.asking import question, understand
from selfreview.review.select import MODEL_REVIEWER
from selfreview.trust import ConsentStore

_TIMEOUT_S = 300.0


def may_ask(session: Session) -> bool:
    """Whether a model may be sent what reviewers wrote: configured as reviewer or fixer, or agreed to."""
    config, repo = session.loaded.config, session.repo
    if config["offline"] or repo is None or not config["feedback.analyzer"]:
        return False
    try:
        provider, base_url = config["claude.provider"], config["claude.base_url"]
    except KeyError:  # the plugin that declares them is left out
        return False
    from selfreview.cli.consent import receiver
    from selfreview.llm.credentials import find_credentials

    if find_credentials(provider, os.environ, base_url) is None:
        return False
    names = [name for key in ("reviewers", "fixers") if not isinstance(config[key], str) for name in config[key]]
    if MODEL_REVIEWER in names:
        return True
    where = receiver(provider, base_url, os.environ)
    return ConsentStore.of_user(os.environ).answer(repo.common_dir, where) is True


class ModelReader:
    """Reads feedback with a model; what it cannot read is a person's.

    Args:
        config: The configuration.
        feedback: Everything that is said.
        requirements: What the change is meant to do.
    """

    def __init__(self, config: ConfigView, feedback: Feedback, requirements: Sequence[Document] = ()) -> None:
        self._config = config
        self._feedback = feedback
        self._requirements = requirements

    def __call__(
        self, items: Sequence[FeedbackItem], trusted: Mapping[str, Sequence[FeedbackItem]]
    ) -> Mapping[str, Judged]:
        """Judge items.

        Raises:
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
                request, lambda text: understand(text, items), client, budget_of(config, [model], "reading feedback")
            )
        finally:
            client.close()
        if asked.value is None:
            console.warn(
                f"no model read the feedback: {asked.error.message if asked.error is not None else 'no answer'}"
            )
            return {}
        return asked.value


def nobody(items: Sequence[FeedbackItem], trusted: Mapping[str, Sequence[FeedbackItem]]) -> Mapping[str, Judged]:  # noqa: ARG001 - a Reader
    """Read nothing: all of it is a person's."""
    return {}
