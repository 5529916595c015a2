"""Claude, or any model behind a server that speaks the Messages API: fixes with tools that reach only the workspace."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

from selfreview.api import ConfigView, Fix, FixContext, Fixer, FixRequest, Issue, Key, OptionParser, Registry, hookimpl

if TYPE_CHECKING:
    from selfreview.llm.transport.client import SdkClient

KEYS = (
    Key(
        name="claude.fix_model",
        kind="str",
        default="",
        help="The model that fixes issues; empty: the one that reviews the change.",
    ),
    Key(
        name="claude.fix_max_turns",
        kind="int",
        default=40,
        minimum=1,
        help="How many messages the model may use to fix the issues of one iteration.",
    ),
)
_MARGIN_S = 1.0


@hookimpl
def selfreview_addoption(parser: OptionParser) -> None:
    """Declare the keys that are this fixer's own."""
    for key in KEYS:
        parser.add_key(key)


@hookimpl
def selfreview_register_fixers(registry: Registry[Fixer], config: ConfigView) -> None:
    """Register the fixer."""
    registry.add(ClaudeFixer(config))


class ClaudeFixer:
    """Has a model work on the issues with tools, within what is left of the run's budget.

    Args:
        config: The resolved configuration.
    """

    name = "claude"
    is_mechanical = False

    def __init__(self, config: ConfigView) -> None:
        self._config = config

    def takes(self, issue: Issue, config: ConfigView) -> bool:  # noqa: ARG002 - protocol
        """Take every issue."""
        return True

    def unavailable(self, config: ConfigView) -> str | None:
        """Return why no model can be asked, or None."""
        from selfreview.llm.transport.credentials import find_credentials

        if config["offline"]:
            return "it sends code to a model, which offline forbids"
        provider = config.get("claude.provider")
        if provider is None:
            return "it needs the plugin claude, whose keys say which model is asked"
        if find_credentials(provider, os.environ, config["claude.base_url"]) is None:
            return "there are no credentials for a model"
        return None

    def fix(self, request: FixRequest, context: FixContext) -> Fix:
        """Have the model fix issues.

        Raises:
            ConfigError: If the repository's own prompt cannot be rendered.
        """
        if not request.issues:
            return Fix()
        missing = self.unavailable(self._config)
        if missing is not None:
            return Fix(error=missing)
        from selfreview.llm.fixing.conversation import ConversationLimits
        from selfreview.llm.fixing.fixing import fix_issues
        from selfreview.llm.transport.budget import budget_of
        from selfreview.llm.transport.client import load_sdk

        # The import takes a second; meanwhile the prompt is made.
        threading.Thread(target=load_sdk, daemon=True, name="selfreview-sdk").start()
        client = self._client(context)
        context.on_stop(client.cancel)
        limits = ConversationLimits(
            model=self._model,
            max_tokens=self._config["claude.answer_tokens"],
            turns=self._config["claude.fix_max_turns"],
        )
        try:
            # What is left of the run's budget is in the context's configuration, not in the one of the beginning.
            budget = budget_of(context.config, [self._model], "fixing")
            return fix_issues(request, context, limits, client, budget)
        finally:
            client.close()

    @property
    def _model(self) -> str:
        model: str = self._config["claude.fix_model"] or self._config["claude.model"]
        return model

    def _client(self, context: FixContext) -> SdkClient:
        from selfreview.llm.transport.client import ClientSettings, SdkClient

        return SdkClient(
            ClientSettings(
                provider=self._config["claude.provider"],
                base_url=self._config["claude.base_url"],
                silence_s=self._config["claude.read_timeout"],
                deadline=time.monotonic() + context.remaining() - _MARGIN_S,
            )
        )
