"""Claude, or any model behind a server that speaks the Messages API: reads logic."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from selfreview.api import (
    ChangedFile,
    ConfigView,
    Depth,
    Estimate,
    Finding,
    OptionParser,
    Registry,
    Review,
    ReviewContext,
    Reviewer,
    ReviewerStatus,
    hookimpl,
)
from selfreview.reviewers._claude_keys import KEYS, settings_of

if TYPE_CHECKING:
    from selfreview.llm.budget import Budget
    from selfreview.llm.client import SdkClient
    from selfreview.llm.material import Material
    from selfreview.llm.request import Request

_FORMAT = b"2"
_MARGIN_S = 1.0
"""Seconds before the engine's own deadline in which a review that ran out of time is put together."""


@hookimpl
def selfreview_addoption(parser: OptionParser) -> None:
    """Declare ``[claude]``."""
    for key in KEYS:
        parser.add_key(key)


@hookimpl
def selfreview_register_reviewers(registry: Registry[Reviewer], config: ConfigView) -> None:
    """Register the reviewer."""
    registry.add(ClaudeReviewer(config))


class ClaudeReviewer:
    """Asks a model about what changed, within a budget, and has it verified.

    Args:
        config: The resolved configuration.
    """

    name = "claude"
    depth = Depth.MODEL
    default = False

    def __init__(self, config: ConfigView) -> None:
        self.timeout: float = config["claude.timeout"]
        self._config = config
        self._lock = threading.Lock()
        self._gathered: Material | None = None

    def selects(self, file: ChangedFile) -> bool:
        """Take everything with lines; a link's target and a submodule's commit have no content to review."""
        return bool(file.spans) and not file.is_symlink and not file.is_submodule

    def unavailable(self) -> tuple[str, str] | None:
        """Return why it cannot be asked, and what to do about it, or None."""
        from selfreview.llm.credentials import find_credentials

        provider = self._config["claude.provider"]
        if find_credentials(provider, os.environ, self._config["claude.base_url"]) is not None:
            return None
        return "there are no credentials for a model", f"set {_VARIABLE[provider]}"

    def cache_key(self, context: ReviewContext) -> bytes | None:
        """Cover the model, the effort, the prompts and the documents that all questions share."""
        if self.unavailable() is not None:
            return None
        settings = settings_of(self._config)
        parts = [
            settings.model,
            settings.verify_model,
            settings.effort,
            str(settings.task_tokens),
            repr(settings.threshold),
            self._config["claude.provider"],
            str(self._config["claude.base_url"]),
        ]
        return b"\0".join([_FORMAT, *(part.encode() for part in parts), self._material(context).key])

    def file_key(self, file: ChangedFile, context: ReviewContext) -> bytes:
        """Cover the unchanged code that is shown with a file."""
        return self._material(context).file_key(file.path)

    def notes(self, context: ReviewContext) -> list[str]:
        """Return notes on settings that the change cannot affect, and on edits of its own review's settings."""
        from selfreview.reviewers._claude_edits import edited_settings

        return [*self._material(context).notes, *edited_settings(context)]

    def estimate(self, files: Sequence[ChangedFile], context: ReviewContext) -> Estimate:
        """Return an estimate of a review's cost, without sending anything."""
        from selfreview.llm.estimate import estimate
        from selfreview.llm.spending import prices_of

        return estimate(self.requests(files, context), prices_of(self._config))

    def requests(self, files: Sequence[ChangedFile], context: ReviewContext) -> list[Request]:
        """Return what the finders would be asked: exactly what is sent but for the random mark and words."""
        from selfreview.llm.pipeline import finder_requests

        return finder_requests(files, self._material(context), settings_of(self._config))

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        """Review the files by asking the model.

        Raises:
            ToolError: If nothing could be asked at all.
        """
        missing = self.unavailable()
        if missing is not None:
            return Review(status=ReviewerStatus.SKIPPED, error=missing[0], hint=missing[1])
        from selfreview.llm import pipeline

        client = self._client(context)
        settings = settings_of(self._config)
        material = self._material(context)
        try:
            review = pipeline.review(files, context, material, settings, client=client, budget=self._budget())
        finally:
            client.close()
        if review.usage is not None and review.usage.requests:
            review.notes += self._unpriced()
        return review

    def verify(self, findings: Sequence[Finding], context: ReviewContext) -> Review:
        """Have findings of an earlier review verified in a fresh context, whatever the effort.

        Raises:
            ToolError: If nothing could be asked at all.
        """
        from selfreview.llm.fanout import Fanout
        from selfreview.llm.verify import Verifier

        client = self._client(context)
        settings, material = settings_of(self._config), self._material(context)
        try:
            fanout = Fanout(settings.concurrency)
            verifier = Verifier(material, settings, client, self._budget(), fanout, context=context)
            verified = verifier.verify(findings, every=True)
        finally:
            client.close()
        notes = [f"it could not be verified: {error.message}" for error in verified.errors[:1]]
        return Review(findings=verified.findings, usage=verified.usage, notes=notes)

    def _client(self, context: ReviewContext) -> SdkClient:
        from selfreview.llm.client import ClientSettings, SdkClient, load_sdk

        # The import takes a second; meanwhile git is asked and the prompts are made.
        threading.Thread(target=load_sdk, daemon=True, name="selfreview-sdk").start()
        client = SdkClient(
            ClientSettings(
                provider=self._config["claude.provider"],
                base_url=self._config["claude.base_url"],
                silence_s=self._config["claude.read_timeout"],
                deadline=time.monotonic() + context.remaining() - _MARGIN_S,
            )
        )
        context.on_stop(client.cancel)
        return client

    def _unpriced(self) -> list[str]:
        """Return a note on models whose price is not known, and how to set it."""
        from selfreview.llm.spending import prices_of

        settings, price_of = settings_of(self._config), prices_of(self._config)
        return [
            f'the price of {model} is not known: no cost is counted for it, unless claude.prices."{model}" gives one'
            for model in dict.fromkeys((settings.model, settings.verify_model))
            if price_of(model) is None
        ]

    def _budget(self) -> Budget:
        from selfreview.llm.spending import budget_of

        settings = settings_of(self._config)
        return budget_of(self._config, (settings.model, settings.verify_model), "the review")

    def _material(self, context: ReviewContext) -> Material:
        """Return the context that is shown, gathered once for all files of the change."""
        with self._lock:
            if self._gathered is None:
                from selfreview.llm.material import gather

                files = [file for file in context.change.reviewable if self.selects(file)]
                self._gathered = gather(
                    context,
                    files,
                    settings_of(self._config),
                    self._config["requirements"],
                    named=self._config.origin("requirements") == "command line",
                )
            return self._gathered


_VARIABLE = {
    "anthropic": "ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a server of your own",
    "bedrock": "AWS_REGION and AWS credentials",
    "vertex": "ANTHROPIC_VERTEX_PROJECT_ID and CLOUD_ML_REGION",
}
