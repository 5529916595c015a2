"""What a model that fixes says: scripts for the Messages API server, by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from selfreview.testing.messages import RecordedRequest, Reply, Script, Status
from tests.cli.refining.cases import Case, mended, refused
from tests.fixers.talks import answer, call, edit, reports, says

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
ONE = edit("app.py", "n // 2  # BUG-one", "n // 2")
TWO = edit("app.py", "n * 2  # BUG-two", "n * 2")
LAST = "def twice(n):"


def report(outcome: str = "addressed", **more: object) -> Callable[[RecordedRequest], Reply]:
    """Report on every issue that the conversation names."""

    def reply(request: RecordedRequest) -> Reply:
        found = dict.fromkeys(re.findall(r"sr-[0-9a-f]{8,}", str(request.body["messages"])))
        return reports(*(answer(issue, outcome, "as told") for issue in found), **more)

    return reply


def weaken() -> Reply:
    """Mend, and have the test say less."""
    return says(ONE, TWO, edit("tests/test_app.py", "assert half(4) == 2", "assert half(4)"))


def add(line: str) -> Reply:
    """Put a line into the code."""
    return says(edit("app.py", LAST, f"{line}\n{LAST}"))


ESCAPES = (
    call("create_file", path="../escaped.py", content="x = 1\n"),
    call("create_file", path="/escaped.py", content="x = 1\n"),
    call("create_file", path=".git/hooks/pre-commit", content="#!/bin/sh\n"),
    call("edit_file", path="../repo/app.py", old="BUG-one", new=""),
    call("read_file", path="../../../../../etc/passwd"),
)
Talk = Sequence[Script]

MODELS: Sequence[tuple[Case, Talk, Script | None]] = (
    (mended("good"), [says(ONE, TWO), report()], None),
    (
        mended("better_the_second_time", says="(assertion-loosened)"),
        [weaken(), report(), says(ONE, TWO), report()],
        None,
    ),
    (refused("secret", "(secret)"), [add(f'TOKEN = "{TOKEN}"'), report()] * 2, None),
    (refused("escaping", "addressed: as told"), [says(*ESCAPES), report()], None),
    (refused("declining", "the model refused to answer"), [Reply(stop_reason="refusal")], None),
    (
        refused("malformed", ""),
        [says(call("edit_file", path=3)), says(call("no_such_tool")), Reply(text="Done!")],
        Reply(text="Done!"),
    ),
    (refused("endless", "3 messages"), [], lambda _: says(ONE, call("read_file", path="app.py"))),
    (refused("crashing", "401"), [says(ONE), Status(code=401)], None),
)
"""By case: what the model says, and what it says when that is used up."""
