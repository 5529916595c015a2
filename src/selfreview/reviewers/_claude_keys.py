"""The configuration of the model reviewer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from selfreview.api import ConfigView, Key

if TYPE_CHECKING:
    from selfreview.llm.settings import Settings

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


def settings_of(config: ConfigView) -> Settings:
    """Return the settings that the configuration sets."""
    from selfreview.llm.settings import Settings

    model = config["claude.model"]
    return Settings(
        model=model,
        verify_model=config["claude.verify_model"] or model,
        effort=config["claude.effort"],
        concurrency=config["claude.concurrency"],
        task_tokens=config["claude.task_tokens"],
        reference_tokens=config["claude.reference_tokens"],
        answer_tokens=config["claude.answer_tokens"],
        threshold=config["severity_threshold"],
    )
