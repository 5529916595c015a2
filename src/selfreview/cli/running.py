"""Runs from the command line: the options as a request, the terminal as a front end."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from selfreview.app.request import RunRequest
from selfreview.app.run import COLLECT, RUN, Stages, code_of, execute
from selfreview.app.state import ReviewedRun, Run, RunPolicy
from selfreview.cli.common import current_folder
from selfreview.cli.terminal import Terminal
from selfreview.errors import ExitCode, UsageError


def request_of(options: Mapping[str, Any], **more: Any) -> RunRequest:
    """Return the request of a command's options, by parameter name.

    Raises:
        UsageError: If they exclude one another.
    """
    given = {**options, **more}
    diff = given.pop("diff", None)
    request = RunRequest(folder=current_folder(), diff=None if diff is None else Path(diff), **given)
    if diff != "-":
        return request
    if sys.stdin is None:
        raise UsageError("--diff - reads standard input, and there is none", hint="git diff | selfreview run --diff -")
    return msgspec.structs.replace(request, diff=sys.stdin.buffer.read())


def run_request(request: RunRequest, policy: RunPolicy) -> int:
    """Review what is asked for, or list it for ``--collect-only``; return the exit code."""
    if not request.collect_only:
        return review_request(request, policy)[1]
    execute(Run(request=request, policy=policy, ui=Terminal()), COLLECT)
    return int(ExitCode.PASSED)


def review_request(
    request: RunRequest, policy: RunPolicy, stages: Stages[Run, ReviewedRun] = RUN
) -> tuple[ReviewedRun, int]:
    """Review what is asked for; return the run and the exit code."""
    run = execute(Run(request=request, policy=policy, ui=Terminal()), stages)
    return run, code_of(run)
