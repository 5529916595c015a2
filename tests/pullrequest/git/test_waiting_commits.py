"""What a process left behind: a commit that waits, a fix in the working tree, a notice that was not told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Ran
from tests.forge import InlineComment, PullRequest
from tests.pullrequest.cases.test_twice_and_killed import killed
from tests.pullrequest.lab import APP, Lab
from tests.pullrequest.stories import (
    RENAMED,
    SETTINGS,
    SUGGESTED,
    calls_for_a_person,
    commits,
    configure,
    fix,
    hook,
    model,
    push_there,
    suggest,
    talk,
)

pytestmark = pytest.mark.long

CHECK = '[checks]\nt = ["sh", "-c", "! test -e theirs.py"]\n'
TELL = ("-o", 'notification_channels=["github"]', "-o", 'notify.github.events=["fixed"]')


def stuck(lab: Lab, pull: PullRequest, *args: str) -> Ran:
    """Have a fix made that the remote does not take for now."""
    refusing = lab.remote / "hooks" / "pre-receive"
    hook(refusing.parent, refusing.name, "exit 1")
    ran = fix(lab, pull, *args)
    refusing.unlink()
    assert not commits(lab)
    assert lab.workspace.git("log", "-1", "--format=%s").startswith("Address review comments")
    return ran


# --- checks ----------------------------------------------------------------------------------------------------------


def test_a_fix_that_fails_the_checks_on_top_of_others_is_never_pushed(lab: Lab) -> None:
    configure(lab, SETTINGS + CHECK)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    with model(lab, talk(during=lambda: push_there(lab, "theirs.py", "theirs = 1\n"))):
        ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    theirs = lab.head()
    for _ in range(2):
        fix(lab, pull)
    assert (lab.head(), lab.workspace.git("rev-parse", "HEAD")) == (theirs, theirs)
    assert len(calls_for_a_person(lab, pull)) == 1
    assert lab.workspace.git("status", "--porcelain") == ""


@pytest.mark.parametrize("passes", [True, False])
def test_a_commit_of_which_nothing_says_that_it_passed_is_checked_before_it_is_pushed(lab: Lab, passes: bool) -> None:
    configure(lab, SETTINGS + CHECK)
    pull = lab.open()
    suggest(lab, pull)
    stuck(lab, pull)
    if not passes:
        push_there(lab, "theirs.py", "theirs = 1\n")
    lab.workspace.git("fetch", "--quiet")
    lab.workspace.git("rebase", "--quiet", "origin/topic")  # as far as a process came that was killed then
    (lab.workspace.root / ".git" / "selfreview" / "cycle-passed").unlink()
    before = lab.head()
    ran = fix(lab, pull)
    if passes:
        assert ran.code == ExitCode.PASSED, ran
        assert (len(commits(lab)), lab.file()) == (1, SUGGESTED)
    else:
        assert ran.code == ExitCode.ISSUES, ran
        fix(lab, pull)
        assert (lab.head(), lab.workspace.git("rev-parse", "HEAD")) == (before, before)


def test_a_commit_that_passed_is_not_checked_again(lab: Lab, tmp_path: Path) -> None:
    configure(lab, SETTINGS + f'[checks]\nt = ["sh", "-c", "echo ran >> {tmp_path}/ran"]\n')
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    with model(lab, talk()):
        stuck(lab, pull)
    ran = (tmp_path / "ran").read_text()
    assert fix(lab, pull).code == ExitCode.PASSED
    assert lab.file() == RENAMED
    assert (tmp_path / "ran").read_text() == ran


# --- what is not asked for any more ----------------------------------------------------------------------------------


def resolve(lab: Lab, comment: InlineComment) -> None:
    comment.thread.resolve(lab.rev)


def edit(lab: Lab, comment: InlineComment) -> None:
    comment.edit("```suggestion\n    return 2 * n\n```")


@pytest.mark.parametrize("deed", [resolve, edit], ids=lambda deed: deed.__name__)
def test_a_fix_that_waits_is_dropped_where_it_is_not_asked_for_any_more(
    lab: Lab, deed: Callable[[Lab, InlineComment], None]
) -> None:
    pull = lab.open()
    comment = suggest(lab, pull)
    stuck(lab, pull)
    before = lab.head()
    deed(lab, comment)
    ran = fix(lab, pull)
    assert "is dropped" in ran.err
    assert ran.code == ExitCode.PASSED, ran
    if deed is resolve:
        assert (lab.head(), lab.workspace.git("rev-parse", "HEAD")) == (before, before)
        assert len(comment.thread.comments) == 1
    else:
        assert lab.file() == APP.replace("n * 2", "2 * n")
        assert len(commits(lab)) == 1


# --- notices ---------------------------------------------------------------------------------------------------------


def test_that_a_fix_was_pushed_is_told_once_whoever_pushed_it(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    stuck(lab, pull, *TELL)
    for _ in range(3):
        assert fix(lab, pull, *TELL).code == ExitCode.PASSED
    assert lab.workspace.selfreview("notify", "status").out.count("answered with a fix") == 1


# --- what a killed process left for another pull request of the branch --------------------------------------


@pytest.mark.parametrize("since", ["nothing", "a commit", "an edit"])
def test_what_was_left_for_another_pull_request_of_the_branch_is_taken_back(lab: Lab, since: str) -> None:
    first = lab.open()
    suggest(lab, first)
    killed(lab, first.number, "after apply")
    assert lab.workspace.git("status", "--porcelain") != ""
    first.close()
    if since == "a commit":
        lab.workspace.write("mine.py", "mine = 1\n")
        lab.workspace.git("add", "mine.py")
        lab.workspace.git("commit", "--quiet", "-m", "mine", "mine.py")
        lab.workspace.git("push", "--quiet")
    elif since == "an edit":
        lab.workspace.write("app.py", SUGGESTED + "\n\nmine = 1\n")
    second = lab.open()
    suggest(lab, second, 2, "    return n // 2")
    ran = fix(lab, second)
    if since == "an edit":
        assert ran.code == ExitCode.INCOMPLETE, ran
        assert "was edited since" in ran.out
        assert (lab.workspace.root / "app.py").read_text() == SUGGESTED + "\n\nmine = 1\n"
    else:
        assert ran.code == ExitCode.PASSED, ran
        assert lab.file() == APP.replace("n / 2", "n // 2")
        assert lab.workspace.git("status", "--porcelain") == ""


def test_what_was_left_is_taken_back_too_where_its_author_went_on(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    killed(lab, pull.number, "after apply")
    lab.workspace.write("mine.py", "mine = 1\n")
    lab.workspace.git("add", "mine.py")
    lab.workspace.git("commit", "--quiet", "-m", "mine", "mine.py")
    lab.workspace.git("push", "--quiet")
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert (len(commits(lab)), lab.file()) == (1, SUGGESTED)
