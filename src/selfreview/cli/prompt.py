"""``selfreview show --prompt``: what a model would be sent, redacted as it would be."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from selfreview.cli.invocation import Invocation
from selfreview.errors import UsageError
from selfreview.llm.request import Request
from selfreview.review.context import RunContext, Workbench
from selfreview.review.select import MODEL_REVIEWER
from selfreview.review.tasks import assign
from selfreview.text.escape import visible

_OPTIONS: dict[str, Any] = {
    "base": None, "head": None, "staged": False, "commit": None, "range_": None, "diff": None, "threshold": None,
    "offline": False, "no_cache": False, "color": None, "plugins": (), "overrides": (), "effort": None,
    "requirements": (), "max_issues": None, "strict": False,
}  # fmt: skip


def show_prompt(name: str, path: str | None) -> None:
    """Print the questions about the current change that a name means.

    Args:
        name: ``all``, a question's name (``correctness:1/3``), or the beginning of one.
        path: Only those that show this file, whatever their name.

    Raises:
        UsageError: If there is none of that name.
    """
    invocation = Invocation((), _OPTIONS)
    with invocation.bench() as (bench, _):
        requests = list(_requests(invocation, bench))
    heading = f"## File: {visible(path)}" if path is not None else None
    if heading is not None:
        chosen = [
            r
            for r in requests
            if any(line == heading or line.startswith(f"{heading} (") for line in r.material.split("\n"))
        ]
    else:
        chosen = [r for r in requests if name in ("all", r.name, r.name.partition(":")[0])]
    if not chosen:
        known = ", ".join(request.name for request in requests) or "the change holds nothing for a model"
        raise UsageError(f"there is no prompt {name!r}", hint=f"there are: {known}")
    for request in chosen:
        head = f"==== {request.name} for {request.model}: system\n{request.system}"
        words = request.words
        text = f"{head}\n==== user\n{words.opening}{request.material}\n{request.user}{words.closing}\n"
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
    sys.stdout.buffer.flush()


def _requests(invocation: Invocation, bench: Workbench) -> Iterator[Request]:
    registry = invocation.reviewers()
    reviewer = registry.get(MODEL_REVIEWER)
    if reviewer is None:
        raise UsageError("the model reviewer is switched off", hint=f"leave out -p no:{MODEL_REVIEWER}")
    asked = getattr(reviewer, "requests", None)
    for task in assign([reviewer], bench):
        if asked is not None and task.files:
            yield from asked(task.files, RunContext(bench, invocation.config["reviewer_timeout"]))
