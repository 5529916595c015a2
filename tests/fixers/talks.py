"""Scripted conversations: what the model says, and what it was told."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from selfreview.api import Fix
from selfreview.fixers.claude import KEYS as FIX_KEYS
from selfreview.fixers.claude import ClaudeFixer
from selfreview.reviewers.claude import KEYS
from selfreview.testing.fixing import FixBench
from selfreview.testing.messages import MessagesServer, RecordedRequest, Reply

_count = itertools.count()


def config(**own: Any) -> dict[str, Any]:
    """Return a configuration of defaults, and of some keys of ``[claude]``."""
    values = {key.name: key.default for key in (*KEYS, *FIX_KEYS)} | {"offline": False, "agent_timeout": 60.0}
    return values | {f"claude.{name}": value for name, value in own.items()}


def call(name: str, /, **given: Any) -> dict[str, Any]:
    """Return a tool call."""
    return {"type": "tool_use", "id": f"toolu_{next(_count)}", "name": name, "input": given}


def says(*blocks: Mapping[str, Any], reason: str = "tool_use", **more: Any) -> Reply:
    """Return a message that calls tools."""
    return Reply(content=list(blocks), stop_reason=reason, **more)


def edit(path: str, old: str, new: str) -> dict[str, Any]:
    """Return a call of ``edit_file``."""
    return call("edit_file", path=path, old=old, new=new)


def answer(issue: Any, outcome: str = "addressed", why: str = "done") -> dict[str, str]:
    """Return one entry of a report."""
    return {"issue": getattr(issue, "id", issue), "outcome": outcome, "why": why}


def reports(*answers: Mapping[str, str], notes: str = "", **more: Any) -> Reply:
    """Return a message that ends it."""
    return says(call("report", answers=list(answers), notes=notes, **more))


def told(request: RecordedRequest) -> list[dict[str, Any]]:
    """Return the results of tools in a request's last message."""
    content: Sequence[dict[str, Any]] = request.body["messages"][-1]["content"]
    return [block for block in content if block["type"] == "tool_result"]


def mend(
    bench: FixBench, server: MessagesServer, *issues: Any, fixer: ClaudeFixer | None = None, **request: Any
) -> Fix:
    """Have the fixer mend issues, its model behind a server."""
    values = bench.config._values  # type: ignore[attr-defined]
    values |= {"claude.base_url": server.base_url}
    return (fixer or ClaudeFixer(bench.config)).fix(bench.request(*issues, **request), bench)
