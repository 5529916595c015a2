"""Detection of credentials for a model, without the SDK and without reading a secret."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

Provider = Literal["anthropic", "bedrock", "vertex"]


def find_credentials(provider: Provider, environ: Mapping[str, str], config_base_url: str | None) -> str | None:
    """Return a word for where the credentials come from, or None; looks in the SDK's order.

    Args:
        provider: Whose service.
        environ: Environment variables.
        config_base_url: Address from the person's own configuration; such a server may need no credentials.
    """
    if provider == "bedrock":
        return _bedrock(environ)
    if provider == "vertex":
        return _vertex(environ)
    signed = _signed(environ)
    if signed is None and (config_base_url or environ.get("ANTHROPIC_BASE_URL")):
        return "a server of your own"
    return signed


def _signed(environ: Mapping[str, str]) -> str | None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE"):
        if environ.get(name):
            return name
    token = environ.get("ANTHROPIC_IDENTITY_TOKEN") or environ.get("ANTHROPIC_IDENTITY_TOKEN_FILE")
    if token and environ.get("ANTHROPIC_FEDERATION_RULE_ID") and environ.get("ANTHROPIC_ORGANIZATION_ID"):
        return "workload identity"
    return _profile(_folder(environ))


def _folder(environ: Mapping[str, str]) -> Path:
    if environ.get("ANTHROPIC_CONFIG_DIR"):
        return Path(environ["ANTHROPIC_CONFIG_DIR"])
    home = Path(environ.get("USERPROFILE" if sys.platform == "win32" else "HOME") or os.path.expanduser("~"))  # noqa: PTH111 - never raises
    if sys.platform == "win32":
        return Path(environ.get("APPDATA") or home / "AppData" / "Roaming") / "Anthropic"
    return home / ".config" / "anthropic"


def _profile(folder: Path) -> str | None:
    try:
        name = (folder / "active_config").read_text(encoding="utf-8").strip() or "default"
    except (OSError, ValueError):
        name = "default"
    if name.startswith(".") or any(char in name for char in "/\\\0"):
        return None
    return f"profile {name}" if os.path.isfile(folder / "configs" / f"{name}.json") else None  # noqa: PTH113 - raises nothing


def _bedrock(environ: Mapping[str, str]) -> str | None:
    home = Path(environ.get("HOME") or os.path.expanduser("~"))  # noqa: PTH111 - never raises
    for name in (
        "AWS_BEARER_TOKEN_BEDROCK",
        "AWS_ACCESS_KEY_ID",
        "AWS_PROFILE",
        "AWS_WEB_IDENTITY_TOKEN_FILE",
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    ):
        if environ.get(name):
            return name
    return "AWS profile" if os.path.isfile(home / ".aws" / "credentials") else None  # noqa: PTH113 - raises nothing


def _vertex(environ: Mapping[str, str]) -> str | None:
    if not environ.get("CLOUD_ML_REGION"):
        return None
    for name in ("ANTHROPIC_VERTEX_PROJECT_ID", "GOOGLE_APPLICATION_CREDENTIALS"):
        if environ.get(name):
            return name
    return None
