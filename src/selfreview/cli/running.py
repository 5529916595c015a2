"""Runs from the command line: the options as a request, the terminal as a front end."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import msgspec

from selfreview.app.request import RunRequest
from selfreview.app.run import COLLECT, RUN, Last, Stages, code_of, execute
from selfreview.app.state import LocatedRun, ReviewedRun, Run, RunPolicy, Terms
from selfreview.cli.common import current_folder
from selfreview.cli.failure import PLUGINS
from selfreview.cli.terminal import Terminal
from selfreview.errors import ExitCode


def request_of(options: Mapping[str, Any], **more: Any) -> RunRequest:
    """Return the request of a command's options, by parameter name.

    Raises:
        UsageError: If they exclude one another.
    """
    given = {**options, **more}
    diff = given.pop("diff", None)
    request = RunRequest(folder=current_folder(), diff=None if diff is None else Path(diff), **given)
    return msgspec.structs.replace(request, diff=sys.stdin.buffer.read()) if diff == "-" else request


def run_request(request: RunRequest, policy: RunPolicy) -> int:
    """Review what is asked for, or list it for ``--collect-only``; return the exit code."""
    if not request.collect_only:
        return review_request(request, policy)[1]
    go_through(Run(request=request, policy=policy, ui=Terminal()), COLLECT)
    return int(ExitCode.PASSED)


def review_request(
    request: RunRequest, policy: RunPolicy, stages: Stages[Run, ReviewedRun] = RUN
) -> tuple[ReviewedRun, int]:
    """Review what is asked for; return the run and the exit code."""
    run = go_through(Run(request=request, policy=policy, ui=Terminal()), stages)
    return run, code_of(run)


def go_through(run: Run, stages: Stages[Run, Last]) -> Last:
    """Go through the stages of a run; what a plugin raises is told as the plugin's.

    Returns:
        The state after the last of them.
    """
    context = click.get_current_context(silent=True)
    if context is None:
        return execute(run, stages)

    def load(located: LocatedRun) -> Terms:
        terms = run.policy.load(located)
        context.meta[PLUGINS] = terms.project.manager
        return terms

    return execute(dataclasses.replace(run, policy=dataclasses.replace(run.policy, load=load)), stages)
