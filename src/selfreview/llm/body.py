"""Body of a request to the Messages API."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any

from selfreview.llm.request import Request

EXTRAS = ("output_config", "effort", "cache_control")
"""Parameters that a server with basic support may refuse."""

_FORMAT = re.compile(r"output_config|output_format|json_schema|structured output", re.I)


def named(said: str) -> str | None:
    """Return the parameter that a server's refusal names, or None."""
    if "effort" in said and "format" not in said:
        return "effort"
    if _FORMAT.search(said):
        return "output_config"
    return "cache_control" if "cache_control" in said or "system:" in said.lower() else None


def _content(request: Request, user: str, without: Collection[str]) -> str | list[dict[str, Any]]:
    """Return the material and the question: two blocks where the first is to be kept in the cache."""
    material = request.words.opening + (f"{request.material}\n" if request.material else "")
    if not request.again or "cache_control" in without:
        return material + user
    kept = {"type": "text", "text": material, "cache_control": {"type": "ephemeral"}}
    return [kept, {"type": "text", "text": user}]


def body(request: Request, without: Collection[str], so_far: str) -> dict[str, Any]:
    """Return the parameters of a request.

    Args:
        request: The request.
        without: Those of :data:`EXTRAS` that are left out; the schema then stands in the prompt.
        so_far: What the model said before it paused.
    """
    user = request.user
    config: dict[str, Any] = {}
    if "output_config" in without:
        schema = json.dumps(dict(request.schema), ensure_ascii=False)
        user += f"\n\nAnswer with one JSON object that matches this JSON Schema, and nothing else:\n{schema}\n"
    else:
        config["format"] = {"type": "json_schema", "schema": dict(request.schema)}
        if request.effort is not None and "effort" not in without:
            config["effort"] = request.effort
    user += request.words.closing
    messages: list[dict[str, Any]] = [{"role": "user", "content": _content(request, user, without)}]
    if so_far:
        messages.append({"role": "assistant", "content": so_far})
    block = {"type": "text", "text": request.system, "cache_control": {"type": "ephemeral"}}
    result: dict[str, Any] = {
        "model": request.model,
        "max_tokens": request.max_tokens,
        "system": request.system if "cache_control" in without else [block],
        "messages": messages,
        "stream": True,
    }
    if config:
        result["output_config"] = config
    return result
