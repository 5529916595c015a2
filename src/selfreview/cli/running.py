"""Runs from the command line: the options as a request, the terminal as a front end."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from selfreview.app.request import RunRequest
from selfreview.app.run import COLLECT, RUN, Stage, code_of, execute
from selfreview.app.state import RunPolicy, RunState
from selfreview.cli.common import current_folder
from selfreview.cli.context_keys import PLUGINS
from selfreview.cli.terminal import Terminal


def request_of(options: Mapping[str, Any], **more: Any) -> RunRequest:
    """Return the request of a command's options, by parameter name.

    Raises:
        UsageError: If they exclude one another.
    """
    given = {**options, **more}
    diff = given.pop("diff", None)
    request = RunRequest(folder=current_folder(), diff=None if diff is None else Path(diff), **given)
    return msgspec.structs.replace(request, diff=sys.stdin.buffer.read()) if diff == "-" else request


def run_request(request: RunRequest, policy: RunPolicy) -> tuple[RunState, int]:
    """Do what is asked for; return the run and the exit code."""
    run = RunState(request=request, policy=policy, ui=Terminal())
    go_through(run, COLLECT if request.collect_only else RUN)
    return run, code_of(run)


def go_through(run: RunState, stages: Sequence[Stage]) -> None:
    """Go through the stages of a run; what a plugin raises is told as the plugin's."""
    try:
        execute(run, stages)
    finally:
        context = click.get_current_context(silent=True)
        if context is not None and run.is_loaded:
            context.meta[PLUGINS] = run.manager
