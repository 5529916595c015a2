"""Claude, or any model behind a server that speaks the Messages API: reads logic."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from selfreview.api import (
    ChangedFile,
    ConfigView,
    Depth,
    Estimate,
    Finding,
    Key,
    OptionParser,
    Registry,
    Review,
    ReviewContext,
    Reviewer,
    ReviewerStatus,
    Side,
    hookimpl,
)

if TYPE_CHECKING:
    from selfreview.llm.context.material import Material
    from selfreview.llm.context.prompts import ModelSettings
    from selfreview.llm.transport.budget import Budget
    from selfreview.llm.transport.client import SdkClient
    from selfreview.llm.transport.request import ModelRequest

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
        from selfreview.llm.transport.credentials import find_credentials

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
        return [*self._material(context).notes, *edited_settings(context)]

    def estimate(self, files: Sequence[ChangedFile], context: ReviewContext) -> Estimate:
        """Return an estimate of a review's cost, without sending anything."""
        from selfreview.llm.transport.budget import prices_of
        from selfreview.llm.transport.request import estimate_review

        return estimate_review(self.requests(files, context), prices_of(self._config))

    def requests(self, files: Sequence[ChangedFile], context: ReviewContext) -> list[ModelRequest]:
        """Return what the finders would be asked: exactly what is sent but for the random mark and words."""
        from selfreview.llm.answers.pipeline import finder_requests

        return finder_requests(files, self._material(context), settings_of(self._config))

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        """Review the files by asking the model.

        Raises:
            ToolError: If nothing could be asked at all.
        """
        missing = self.unavailable()
        if missing is not None:
            return Review(status=ReviewerStatus.SKIPPED, error=missing[0], hint=missing[1])
        from selfreview.llm.answers import pipeline

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
        from selfreview.llm.answers.verification import Verifier
        from selfreview.llm.transport.ask import Fanout

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
        from selfreview.llm.transport.client import ClientSettings, SdkClient, load_sdk

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
        from selfreview.llm.transport.budget import prices_of

        settings, price_of = settings_of(self._config), prices_of(self._config)
        return [
            f'the price of {model} is not known: no cost is counted for it, unless claude.prices."{model}" gives one'
            for model in dict.fromkeys((settings.model, settings.verify_model))
            if price_of(model) is None
        ]

    def _budget(self) -> Budget:
        from selfreview.llm.transport.budget import budget_of

        settings = settings_of(self._config)
        return budget_of(self._config, (settings.model, settings.verify_model), "the review")

    def _material(self, context: ReviewContext) -> Material:
        """Return the context that is shown, gathered once for all files of the change."""
        with self._lock:
            if self._gathered is None:
                from selfreview.llm.context.material import gather

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


MODEL = "claude-sonnet-5-5"
_PRICE_NAMES = ("input", "output", "cache_read", "cache_write")


def _check_url(value: str) -> str | None:
    return None if value.startswith(("https://", "http://")) else "must start with https:// or http://"


def _check_prices(value: Mapping[str, Any]) -> str | None:
    for model, prices in value.items():
        if not isinstance(prices, Mapping) or set(prices) - set(_PRICE_NAMES) or not {"input", "output"} <= set(prices):
            return f"{model} must be a table with input, output and perhaps cache_read and cache_write"
        if any(isinstance(p, bool) or not isinstance(p, (int, float)) or p < 0 for p in prices.values()):
            return f"{model} must hold US dollars per million tokens"
    return None


KEYS: tuple[Key, ...] = (
    Key(name="claude.model", kind="str", default=MODEL, help="The model that reads the change."),
    Key(
        name="claude.verify_model",
        kind="str",
        default="",
        help="The model that tries to refute what was found; empty: the same.",
    ),
    Key(
        name="claude.effort",
        kind="str",
        default="normal",
        choices=("quick", "normal", "thorough"),
        help="How much is asked: one pass; two passes, and verification of what would block; three passes, and "
        "verification of everything.",
    ),
    Key(
        name="claude.provider",
        kind="str",
        default="anthropic",
        choices=("anthropic", "bedrock", "vertex"),
        user_only=True,
        help="Where the model is: Anthropic's API or a server that speaks it, Amazon Bedrock, or Google Vertex AI.",
    ),
    Key(
        name="claude.base_url",
        kind="str",
        default=None,
        env="ANTHROPIC_BASE_URL",
        user_only=True,
        check=_check_url,
        help="A server that speaks the Messages API, instead of the provider's own.",
    ),
    Key(
        name="claude.concurrency",
        kind="int",
        default=4,
        minimum=1,
        help="Requests at once; the first goes alone, so that the rest read what they share from the cache.",
    ),
    Key(name="claude.timeout", kind="float", default=600.0, minimum=5, help="Seconds that the whole review may take."),
    Key(
        name="claude.read_timeout",
        kind="float",
        default=300.0,
        minimum=1,
        help="Seconds that a server may be silent; one that computes on this machine can need more.",
    ),
    Key(
        name="claude.max_tokens_total",
        user_only=True,
        kind="int",
        default=0,
        minimum=0,
        help="Tokens, read and written, that one run may use; 0: no limit.",
    ),
    Key(
        name="claude.max_cost_usd",
        user_only=True,
        kind="float",
        default=2.0,
        minimum=0,
        help="US dollars that one run may cost; 0: no limit.",
    ),
    Key(
        name="claude.prices",
        user_only=True,
        kind="table",
        default={},
        check=_check_prices,
        help="US dollars per million tokens by model, where they differ from the built-in table: "
        "`input`, `output`, `cache_read`, `cache_write`.",
    ),
    Key(
        name="claude.task_tokens",
        kind="int",
        default=6_000,
        minimum=500,
        help="Tokens of changed code in one request; a larger change is asked about in parts.",
    ),
    Key(
        name="claude.answer_tokens",
        kind="int",
        default=16_000,
        minimum=256,
        help="Tokens that an answer may take, thinking included; a server with a small window needs less.",
    ),
    Key(
        name="claude.reference_tokens",
        kind="int",
        default=1_500,
        minimum=0,
        help="Tokens of unchanged code (definitions, callers) that are shown with one file.",
    ),
)


def settings_of(config: ConfigView) -> ModelSettings:
    """Return the settings that the configuration sets."""
    from selfreview.llm.context.prompts import ModelSettings

    model = config["claude.model"]
    return ModelSettings(
        model=model,
        verify_model=config["claude.verify_model"] or model,
        effort=config["claude.effort"],
        concurrency=config["claude.concurrency"],
        task_tokens=config["claude.task_tokens"],
        reference_tokens=config["claude.reference_tokens"],
        answer_tokens=config["claude.answer_tokens"],
        threshold=config["severity_threshold"],
    )


_TABLES = {"selfreview.toml": ("claude",), "pyproject.toml": ("tool", "selfreview", "claude")}


def edited_settings(context: ReviewContext) -> list[str]:
    """Return a sentence for each file of the repository in which the change edits ``[claude]``."""
    notes = []
    for path, keys in _TABLES.items():
        old, new = (_table(context.read_path(path, side), keys) for side in (Side.OLD, Side.NEW))
        edited = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
        if edited:
            names = ", ".join(f"claude.{name}" for name in edited)
            notes.append(f"the change itself sets how the model reviews it: {names} in {path}")
    return notes


def _table(data: bytes | None, keys: tuple[str, ...]) -> Mapping[str, Any]:
    """Return a table of a file, empty where there is none; a file that is not valid TOML sets nothing."""
    if data is None:
        return {}
    from selfreview.text.toml import parse_toml

    try:
        table: Any = parse_toml(data.decode("utf-8-sig", "replace"))
    except ValueError:
        return {}
    for key in keys:
        table = table.get(key) if isinstance(table, Mapping) else None
    return table if isinstance(table, Mapping) else {}
