"""Import and set-up of the SDK, without its retries, traces and redirects."""

from __future__ import annotations

import logging
import os
from types import ModuleType
from typing import TYPE_CHECKING, Any

from selfreview.llm.credentials import Provider, find_credentials
from selfreview.llm.failures import tidy
from selfreview.llm.request import Fault, ModelError
from selfreview.redirects import FOLLOW_REDIRECTS

if TYPE_CHECKING:
    import anthropic


def load_sdk() -> ModuleType:
    """Import the SDK, which takes about a second."""
    import anthropic

    # At a lower level it logs whole requests, which hold the code under review.
    logger = logging.getLogger("anthropic")
    logger.setLevel(max(logger.level, logging.INFO))
    return anthropic


_SERVICE = "https://api.anthropic.com"


def connect(provider: Provider, base_url: str | None, silence_s: float) -> anthropic.Anthropic:
    """Make a client of the SDK that does not retry, trace, follow redirects or wait longer than ``silence_s``.

    Raises:
        ModelError: ``Fault.CREDENTIALS``, if something is missing: a package, a region, a profile.
    """
    sdk = load_sdk()
    made: Any = {"anthropic": sdk.Anthropic, "bedrock": sdk.AnthropicBedrock, "vertex": sdk.AnthropicVertex}[provider]
    timeout = sdk.Timeout(silence_s, connect=min(silence_s, 10.0))
    options: dict[str, Any] = {
        "base_url": base_url or None,
        "max_retries": 0,
        "timeout": timeout,
        "http_client": sdk.DefaultHttpxClient(timeout=timeout, follow_redirects=FOLLOW_REDIRECTS),
        "open_telemetry": False,
    }
    if provider == "anthropic" and not (base_url or os.environ.get("ANTHROPIC_BASE_URL", _SERVICE).strip()):
        options["base_url"] = _SERVICE  # the SDK would take a variable that is set to nothing for an address
    if provider == "anthropic" and find_credentials(provider, os.environ, base_url) == "a server of your own":
        options["api_key"] = "none"  # the SDK refuses to send without any
    _require(provider)
    try:
        try:
            return made(**options)  # type: ignore[no-any-return]
        except TypeError:
            del options["open_telemetry"]  # not in the first releases of the SDK that are allowed
            return made(**options)  # type: ignore[no-any-return]
    except (sdk.AnthropicError, ValueError, RuntimeError) as error:
        raise ModelError(Fault.CREDENTIALS, f"cannot sign in to {provider}: {tidy(str(error))}") from error


def _require(provider: Provider) -> None:
    """Raise where the packages of an extra are missing, which the SDK would say in the middle of a request."""
    try:
        if provider == "bedrock":
            __import__("botocore")
        elif provider == "vertex":
            __import__("google.auth")
    except ImportError as error:
        raise ModelError(
            Fault.CREDENTIALS,
            f"{provider} needs packages that are not installed",
            hint=f"in the checkout of selfreview: pip install '.[{provider}]'",
        ) from error
