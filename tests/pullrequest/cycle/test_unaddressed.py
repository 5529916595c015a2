"""What no fixer does anything about, wherever it was said: the rest is pushed, and a person hears of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from selfreview.errors import ExitCode
from tests.forge import PullRequest
from tests.pullrequest.lab import Lab, judged, report
from tests.pullrequest.stories import (
    SUGGESTED,
    calls_for_a_person,
    commits,
    configure,
    fix,
    model,
    push_there,
    said_by,
    suggest,
)

Say = Callable[[Lab, PullRequest, str], object]


def _outdated(lab: Lab, pull: PullRequest, text: str) -> None:
    pull.inline(lab.rev, "app.py", 9, text).thread.outdate()


def _of_a_file_that_is_gone(lab: Lab, pull: PullRequest, text: str) -> None:
    push_there(lab, "gone/old.py", "x = 1\n")
    pull.inline(lab.rev, "gone/old.py", 1, text, hunk="@@ -0,0 +1 @@\n+x = 1")
    lab.workspace.git("pull", "--quiet")
    lab.workspace.git("rm", "--quiet", "-r", "gone")
    lab.workspace.git("commit", "--quiet", "-m", "gone")
    lab.workspace.git("push", "--quiet")


SAID: dict[str, Say] = {
    "comment": lambda lab, pull, text: pull.comment(lab.rev, text),
    "review": lambda lab, pull, text: pull.review(lab.rev, "CHANGES_REQUESTED", text),
    "line": lambda lab, pull, text: pull.inline(lab.rev, "app.py", 10, text),
    "suggested line": lambda lab, pull, text: pull.inline(lab.rev, "app.py", 6, text),
    "removed line": lambda lab, pull, text: pull.inline(
        lab.rev, "app.py", 1, text, side="LEFT", hunk="@@ -1,2 +1 @@\n-import os"
    ),
    "file": lambda lab, pull, text: pull.inline(lab.rev, "app.py", None, text),
    "folder": lambda lab, pull, text: pull.inline(lab.rev, "gone", None, text),
    "outdated": _outdated,
    "file that is gone": _of_a_file_that_is_gone,
}


@pytest.mark.long
@pytest.mark.parametrize(
    ("kinds", "outcome"),
    [*(([kind], "not_addressed") for kind in SAID), (list(SAID), "not_addressed"), (list(SAID), "needs_person")],
    ids=[*SAID, "all", "all for a person"],
)
def test_what_is_left_of_any_kind_loses_no_fix(lab: Lab, kinds: list[str], outcome: str) -> None:
    configure(lab)
    pull = lab.open()
    suggest(lab, pull)
    for number, kind in enumerate(kinds):
        SAID[kind](lab, pull, f"Say it in full, number {number}.")
    with model(lab, [judged(*({"description": "say it in full"} for _ in kinds)), report(outcome), report(outcome)]):
        ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert lab.file() == SUGGESTED
    assert len(commits(lab)) == 1
    (call,) = calls_for_a_person(lab, pull)
    assert call.count("Say it in full, number") == 2 * len(kinds)
    assert "suggests return n + n\\] — fixed in" in call
    assert "git " not in call
    again = fix(lab, pull)
    assert (again.code, len(commits(lab)), len(said_by(pull, "dev"))) == (ExitCode.ISSUES, 1, 3), again


def test_what_a_fixer_calls_addressed_without_an_edit_is_told_as_not_changed(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    with model(lab, [judged({"description": "say it in full"}), report(), report()]):
        ran = fix(lab, pull)
    (call,) = calls_for_a_person(lab, pull)
    for told in (ran.out, call):
        assert "no fixer changed anything for it" in told
        assert "could not be kept" not in told
        assert "the cap of" not in told


BAD = "```suggestion\n    return twce(n)\n```"
GOOD = '```suggestion\n    return "the app"\n```'


@pytest.mark.long
@pytest.mark.parametrize(
    "said",
    [
        [(6, BAD), (10, f"Say it in full.\n{GOOD}")],
        [(6, BAD), (10, GOOD)],
        [(6, f"Falsy ones too.\n{BAD}")],
        [(6, BAD)],
    ],
    ids=["words beside the good one", "no words", "words beside the bad one", "alone"],
)
def test_nothing_is_told_as_done_where_its_self_review_keeps_it_back(lab: Lab, said: list[tuple[int, str]]) -> None:
    pull = lab.open()
    for line, text in said:
        pull.inline(lab.rev, "app.py", line, text)
    ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert not commits(lab)
    (call,) = calls_for_a_person(lab, pull)
    for told in (ran.out, call):
        assert "is applied" not in told
        assert "was made" not in told
        assert "app.py:6: Undefined name" in told, told
