"""What a model that fixes says: scripts for the Messages API server, by name."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence

from selfreview.testing.messages import RecordedRequest, Reply, Script, Status
from tests.cli.refining.cases import Case, mended, refused, waiting
from tests.cli.refining.lab import APP, MENDED, TEST
from tests.fixers.talks import answer, call, edit, reports, says

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
ONE = edit("app.py", "n // 2  # BUG-one", "n // 2")
TWO = edit("app.py", "n * 2  # BUG-two", "n * 2")
LAST = "def twice(n):"


def report(outcome: str = "addressed", why: str = "as told", **more: object) -> Callable[[RecordedRequest], Reply]:
    """Report on every issue that the conversation names."""

    def reply(request: RecordedRequest) -> Reply:
        found = dict.fromkeys(re.findall(r"sr-[0-9a-f]{8,}", str(request.body["messages"])))
        return reports(*(answer(issue, outcome, why) for issue in found), **more)

    return reply


def edit_test(old: str, new: str) -> Reply:
    """Mend, and edit the test."""
    return says(ONE, TWO, edit("tests/test_app.py", old, new))


def weaken() -> Reply:
    """Mend, and have the test say less."""
    return edit_test("assert half(4) == 2", "assert half(4)")


def add(line: str) -> Reply:
    """Put a line into the code."""
    return says(edit("app.py", LAST, f"{line}\n{LAST}"))


def late(_: RecordedRequest) -> Reply:
    """Answer when nobody waits any more."""
    time.sleep(1.5)
    return says(ONE, TWO)


BESIDE = (
    call("create_file", path="../escaped.py", content="x = 1\n"),
    call("create_file", path="/escaped.py", content="x = 1\n"),
    call("edit_file", path="../repo/app.py", old="BUG-one", new=""),
    call("read_file", path="../../../../../etc/passwd"),
)
HOOKS = (
    call("create_file", path=".git/hooks/pre-commit", content="#!/bin/sh\n"),
    call("create_file", path=".git/config", content="[core]\n"),
)
LINKS = (
    call("create_file", path="out/escaped.py", content="x = 1\n"),
    call("edit_file", path="out/target", old="out", new="in"),
)
"""``out`` is a link that leads out of the repository."""
Talk = Sequence[Script]

MODELS: Sequence[tuple[Case, Talk, Script | None]] = (
    (mended("good"), [says(ONE, TWO), report()], None),
    (
        Case(deed="partial", stop="cap", iterations=3, files={"app.py": APP.replace(b"  # BUG-one", b"")}),
        [says(ONE), report(), report(), report()],
        None,
    ),
    (Case(deed="wrong", stop="cap", iterations=3), [add("# tried"), report()] * 3, None),
    (Case(deed="empty", stop="cap", iterations=3, says="claude edited nothing"), [report()] * 3, None),
    (
        Case(deed="empty_at_first", stop="passed", iterations=2, files={"app.py": MENDED}, passes=True),
        [report(), says(ONE, TWO), report()],
        None,
    ),
    (refused("refusing", "needs person: as told"), [report("needs_person")], None),
    (
        waiting("test_deleting", "waits for a person: tests/test_app.py:"),
        [edit_test(TEST.decode(), ""), report()],
        None,
    ),
    (waiting("assertion_weakening", "waits for a person: tests/test_app.py:5"), [weaken(), report()], None),
    (
        mended("better_the_second_time", says="tests that are there belong to the person"),
        [says(edit("tests/test_app.py", "== 2", "")), report(), says(ONE, TWO), report()],
        None,
    ),
    (refused("out_of_scope", "(outside-change)"), [says(ONE, TWO, edit("other.py", "1", "2")), report()] * 2, None),
    (
        mended("out_of_scope_with_a_reason", **{"other.py": b"LIMIT = 2\n"}),
        [says(ONE, TWO, edit("other.py", "1", "2")), report(elsewhere=[{"path": "other.py", "why": "the limit"}])],
        None,
    ),
    (refused("secret", "(secret)"), [add(f'TOKEN = "{TOKEN}"'), report()] * 2, None),
    (Case(deed="beside_the_workspace", stop="cap", iterations=3), [says(*BESIDE), report()] * 3, None),
    (Case(deed="hooks_of_the_workspace", stop="cap", iterations=3), [says(*HOOKS), report()] * 3, None),
    (Case(deed="through_a_link", stop="cap", iterations=3), [says(*LINKS), report()] * 3, None),
    (refused("declining", "the model refused to answer"), [Reply(stop_reason="refusal")], None),
    (
        refused("malformed", ""),
        [says(call("edit_file", path=3)), says(call("no_such_tool")), Reply(text="Done!")],
        Reply(text="Done!"),
    ),
    (refused("endless", "3 messages"), [], lambda _: says(ONE, call("read_file", path="app.py"))),
    (refused("slow", "did not answer", top="fixer_timeout = 1\n"), [late], None),
    (
        Case(deed="to_and_fro", stop="seen_before", iterations=2),
        [add("# tried"), report(), says(edit("app.py", "# tried\n", "")), report()],
        None,
    ),
    (
        Case(deed="another_each_time", stop="not_shrinking"),
        [says(edit("app.py", "BUG-one", "BUG-onex"), edit("app.py", "BUG-two", "BUG-twox")), report()],
        None,
    ),
    (
        Case(deed="mends_and_breaks", stop="not_shrinking"),
        [says(edit("app.py", "BUG-one", "BUG-three")), report()],
        None,
    ),
    (refused("crashing", "401"), [says(ONE), Status(code=401)], None),
)
"""By case: what the model says, and what it says when that is used up."""
