"""Cases 20 to 24, and 31: the pull request is closed, merged, reopened, a draft, on another base, or from a fork."""

from __future__ import annotations

import pytest

from selfreview.errors import ExitCode
from tests.pullrequest.lab import Lab
from tests.pullrequest.stories import (
    RENAMED,
    SUGGESTED,
    calls_for_a_person,
    commits,
    configure,
    fix,
    model,
    nothing_happened,
    push_there,
    suggest,
    talk,
)

pytestmark = pytest.mark.long


def test_case_20_a_closed_pull_request_is_left_alone(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    pull.close()
    ran = fix(lab, pull)
    assert "it is closed" in ran.out
    assert nothing_happened(lab, pull)


def test_case_21_nothing_is_pushed_to_what_was_merged_meanwhile_and_the_commit_stays(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    before = lab.head()
    with model(lab, talk(during=pull.merge)):
        ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert "it is merged by now" in ran.out
    assert lab.head() == before
    assert nothing_happened(lab, pull)
    assert (lab.workspace.root / "app.py").read_text() == RENAMED
    assert "merged" in lab.pr("status", str(pull.number)).out


def test_case_22_a_pull_request_that_was_reopened_goes_on_and_replays_nothing(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    fix(lab, pull)
    pull.close()
    fix(lab, pull)
    pull.reopen()
    fix(lab, pull)
    assert len(commits(lab)) == 1
    suggest(lab, pull, 2, "    return n // 2")
    assert fix(lab, pull).code == ExitCode.PASSED
    assert len(commits(lab)) == 2


def test_case_23_a_draft_waits_until_it_is_ready(lab: Lab) -> None:
    pull = lab.open(draft=True)
    suggest(lab, pull)
    ran = fix(lab, pull)
    assert "paused" in ran.out
    assert nothing_happened(lab, pull)
    pull.set_draft(False)
    assert fix(lab, pull).code == ExitCode.PASSED
    assert len(commits(lab)) == 1


def test_case_23_a_draft_is_answered_where_that_is_configured(lab: Lab) -> None:
    pull = lab.open(draft=True)
    suggest(lab, pull)
    fix(lab, pull, "-o", "feedback.drafts=true")
    assert len(commits(lab)) == 1


def test_case_24_a_base_that_changed_is_read_anew(lab: Lab) -> None:
    pull = lab.open()
    lab.there("branch", "next", "main")
    push_there(lab, "beside.py", "theirs = 1\n", "next")
    pull.edit(base="next")
    suggest(lab, pull)
    assert fix(lab, pull).code == ExitCode.PASSED
    assert lab.file() == SUGGESTED
    assert lab.workspace.git("rev-parse", "refs/remotes/origin/next") == lab.head("next")


@pytest.mark.parametrize("takes_pushes", [True, False])
def test_case_31_a_pull_request_from_a_fork_is_not_fixed_and_told_once(lab: Lab, takes_pushes: bool) -> None:
    guest = lab.forge.user("guest")
    fork = lab.forge.repository("guest/app", remote=lab.remote, parent=lab.repository)
    pull = lab.repository.pull("topic", author=guest, fork=fork, maintainer_can_modify=takes_pushes)
    suggest(lab, pull)
    before = lab.head()
    ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert lab.head() == before
    (called,) = calls_for_a_person(lab, pull)
    assert "guest/app" in called.replace("\\", "")
    assert ("its author alone can push there" in called) is not takes_pushes
    fix(lab, pull)
    assert len(calls_for_a_person(lab, pull)) == 1
