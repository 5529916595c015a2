"""``selfreview show --prompt``: the prompt that would be sent to a model, with the same redaction."""

from __future__ import annotations

from collections.abc import Iterator

from selfreview.api import Registry, Reviewer, capabilities
from selfreview.app.change import open_bench
from selfreview.app.loading import reviewers_of
from selfreview.app.policies import PERSON
from selfreview.app.run import LOAD, execute
from selfreview.app.state import ConfiguredRun, Run
from selfreview.cli.running import request_of
from selfreview.cli.terminal import Terminal
from selfreview.errors import UsageError
from selfreview.llm.transport.request import ModelRequest
from selfreview.model.wire import display_path
from selfreview.review.context import RunContext, Workbench
from selfreview.review.select_reviewers import MODEL_REVIEWER
from selfreview.review.tasks import assign
from selfreview.reviewers.agents import AgentReviewer
from selfreview.text.escape import visible


def show_prompt(name: str, path: str | None, reviewer: str | None = None) -> None:
    """Print the prompts about the current change that a name refers to.

    Args:
        name: ``all``, a question's name (``correctness:1/3``), or the beginning of one; of an agent its reviewer's.
        path: Only those that show this file, whatever their name.
        reviewer: Who would be asked, or None for the one of that name, else the model.

    Raises:
        UsageError: If there is none of that name.
    """

    def show(run: ConfiguredRun) -> ConfiguredRun:
        _, _, bench = open_bench(run)
        registry = reviewers_of(run.manager, run.config)
        agent = registry.get(reviewer or name)
        if isinstance(agent, AgentReviewer):
            shown = list(_of_agent(agent, bench, path))
            if not shown:
                raise UsageError(f"the change holds nothing of that for {agent.name}")
        else:
            shown = _of_model(list(_requests(bench, registry)), name, path)
        run.ui.write("".join(shown).encode("utf-8", "replace"))
        return run

    execute(Run(request=request_of({}), policy=PERSON, ui=Terminal()), LOAD | show)


def _of_agent(agent: AgentReviewer, bench: Workbench, path: str | None) -> Iterator[str]:
    """Yield the prompt of an agent; files that it would read by itself cannot be known."""
    for task in assign([agent], bench):
        parts = list(agent.prompts(task.files, RunContext(bench, bench.config["reviewer_timeout"])))
        for number, (paths, text) in enumerate(parts, 1):
            if path is None or path in [display_path(each) for each in paths]:
                yield f"==== {agent.name}:{number}/{len(parts)}\n{text}\n"


def _of_model(requests: list[ModelRequest], name: str, path: str | None) -> list[str]:
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
        raise UsageError(f"there is no prompt {name!r}", hint=f"there are: {known}; and agent-NAME for an agent's")
    return [
        f"==== {request.name} for {request.model}: system\n{request.system}"
        f"\n==== user\n{request.words.opening}{request.material}\n{request.user}{request.words.closing}\n"
        for request in chosen
    ]


def _requests(bench: Workbench, registry: Registry[Reviewer]) -> Iterator[ModelRequest]:
    reviewer = registry.get(MODEL_REVIEWER)
    if reviewer is None:
        raise UsageError("the model reviewer is switched off", hint=f"leave out -p no:{MODEL_REVIEWER}")
    requests_of = capabilities.of_reviewer(reviewer).requests
    for task in assign([reviewer], bench):
        if requests_of is not None and task.files:
            yield from requests_of(task.files, RunContext(bench, bench.config["reviewer_timeout"]))
