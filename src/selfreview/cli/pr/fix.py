"""``selfreview pr fix``: one answer to the feedback on a pull request."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from typing import Any

import click

from selfreview.app.pr.answer import answer_feedback
from selfreview.cli import completions, console
from selfreview.cli.pr.options import RequestNumber, remote_options, request_of
from selfreview.cli.pr.output import as_json, busy_json, lines_of
from selfreview.cli.terminal import Terminal
from selfreview.errors import BusyError, ExitCode
from selfreview.model.wire import document
from selfreview.pullrequest.ports import Outcome

_GRACE_S = 15.0


def tie() -> None:
    """End this process when standard input ends: as by Ctrl-C, and a moment later for good, with its group."""
    descriptor = os.dup(sys.stdin.fileno())
    threading.Thread(target=_wait, args=(descriptor,), name="tied", daemon=True).start()


def _wait(descriptor: int) -> None:
    try:
        while os.read(descriptor, 4096):
            continue
    except OSError:
        return  # it cannot be told
    os.kill(os.getpid(), signal.SIGINT if sys.platform == "win32" else signal.SIGTERM)
    time.sleep(_GRACE_S)
    if sys.platform != "win32" and os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(130)


_WAIT_S = 30.0
_CODES = {Outcome.ESCALATED: ExitCode.ISSUES, Outcome.WAITING: ExitCode.INCOMPLETE}


@click.command(name="fix")
@click.argument("number", type=RequestNumber(), required=False)
@click.option("--fixer", "fixers", multiple=True, metavar="NAME", shell_complete=completions.fixers,
              help="Use only this fixer; repeatable. auto: those that are on by default.")  # fmt: skip
@click.option("-f", "--format", "format_", type=click.Choice(["terminal", "json"]), default="terminal",
              help="Output format.")  # fmt: skip
@click.option("--tied", is_flag=True, hidden=True,
              help="End when standard input does: whoever asked for this is gone.")  # fmt: skip
@remote_options
def command(number: int | None, **options: Any) -> int:
    """Answer the feedback on a pull request once: fix, push, reply, ask for another review.

    Without NUMBER it is the pull request of the branch that is checked out. It may be called again at any time: what
    was done is not done twice. Exit codes: 0 done or nothing to do, 1 a person is needed, 5 it has to wait.
    """
    if options["tied"]:
        tie()
    try:
        ended = answer_feedback(request_of(number, options, wait_s=_WAIT_S if options["tied"] else 0), ui=Terminal())
    except BusyError as error:
        if options["format_"] != "json":
            raise
        console.note(f"error: {error.message}")
        if error.hint:
            console.note(f"hint: {error.hint}")
        sys.stdout.buffer.write(document(busy_json(error)))
        return int(error.exit_code)
    if options["format_"] == "json":
        sys.stdout.buffer.write(document(as_json(ended)))
    else:
        for line in lines_of(ended):
            console.say(line)
    return int(_CODES.get(ended.outcome, ExitCode.PASSED))
