"""What the person does meanwhile stays theirs: nothing of it is published, and nothing of it is lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from selfreview.errors import ExitCode
from tests.forge import PullRequest
from tests.pullrequest.lab import Lab
from tests.pullrequest.stories import commits, configure, fix, model, push_there, suggest, talk

pytestmark = pytest.mark.long


def asked(lab: Lab) -> PullRequest:
    """Have a reviewer ask for something that a model has to fix."""
    configure(lab)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    return pull


def stage(lab: Lab) -> None:
    lab.workspace.write("wip.txt", "mine\n")
    lab.workspace.git("add", "wip.txt")


def commit(lab: Lab) -> None:
    lab.workspace.commit("my wip", **{"wip.txt": "mine\n"})


def switch(lab: Lab) -> None:
    lab.workspace.git("switch", "--quiet", "-c", "private")
    commit(lab)


def merge(lab: Lab) -> None:
    lab.workspace.git("switch", "--quiet", "-c", "side", "main")
    commit(lab)
    lab.workspace.git("switch", "--quiet", "topic")
    lab.workspace.git("merge", "--quiet", "--no-commit", "--no-ff", "side")


@pytest.mark.parametrize("deed", [stage, commit, switch, merge], ids=lambda deed: deed.__name__)
def test_what_is_done_while_a_fix_is_made_is_not_pushed(lab: Lab, deed: Callable[[Lab], None]) -> None:
    pull = asked(lab)
    before = lab.head()
    with model(lab, talk(during=lambda: deed(lab))):
        ran = fix(lab, pull)
    assert ran.code == ExitCode.INCOMPLETE, ran
    assert lab.head() == before
    assert (lab.workspace.root / "wip.txt").read_text() == "mine\n"
    assert not pull.comments


def test_commits_on_top_of_a_fix_that_was_not_pushed_stay_here(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    hook = lab.remote / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    fix(lab, pull)
    hook.unlink()
    commit(lab)
    push_there(lab, "theirs.py", "x = 1\n")
    mine, theirs = lab.workspace.git("rev-parse", "HEAD"), lab.head()
    ran = fix(lab, pull)
    assert lab.head() == theirs, ran
    assert lab.workspace.git("rev-parse", "HEAD") == mine


def test_a_fix_that_its_author_took_into_a_commit_of_theirs_is_no_reason_to_drop_anything(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    assert fix(lab, pull).code == ExitCode.PASSED
    lab.workspace.write("wip.txt", "mine\n")
    lab.workspace.git("add", "wip.txt")
    lab.workspace.git("commit", "--quiet", "--amend", "--no-edit")
    lab.workspace.commit("later", **{"later.txt": "mine\n"})
    mine, theirs = lab.workspace.git("rev-parse", "HEAD"), lab.head()
    fix(lab, pull)
    assert (lab.workspace.git("rev-parse", "HEAD"), lab.head()) == (mine, theirs)
    assert not pull.labels


def test_a_fix_that_was_taken_off_the_remote_is_not_pushed_again(lab: Lab) -> None:
    pull = lab.open()
    before = lab.head()
    suggest(lab, pull)
    assert fix(lab, pull).code == ExitCode.PASSED
    lab.there("update-ref", "refs/heads/topic", before)
    fix(lab, pull)
    assert lab.head() == before


def test_a_branch_that_the_forge_rebased_is_followed(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    assert fix(lab, pull).code == ExitCode.PASSED
    tree, base = lab.there("rev-parse", "topic^{tree}"), lab.there("rev-parse", "main")
    text = lab.there("log", "-1", "--format=%B", "topic")
    again = lab.there("commit-tree", tree, "-p", base, "-m", text)
    lab.there("update-ref", "refs/heads/topic", again)
    suggest(lab, pull, 2, "    return n // 2")
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert "return n // 2" in lab.file()
    assert len(commits(lab)) == 2
    assert not pull.labels


def test_what_hooks_print_stays_here(lab: Lab) -> None:
    secret = "ghp_" + "q7Rk2LmZ9xTb4Vn8Yc1Wd5Hf6Jg3Ps0AuEi"
    hook = lab.workspace.root / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\necho '{secret}' >&2\nenv > '{lab.remote}/env'\nexit 1\n")
    hook.chmod(0o755)
    pull = lab.open()
    suggest(lab, pull)
    assert fix(lab, pull).code == ExitCode.ISSUES
    assert "refused" in pull.comments[0].body
    assert secret not in str([comment.body for comment in pull.comments])
    assert "GH_TOKEN" not in (lab.remote / "env").read_text()
    assert lab.workspace.git("status", "--porcelain") == ""


def test_a_hook_that_adds_to_the_message_hides_no_cycle(lab: Lab) -> None:
    hook = lab.workspace.root / ".git" / "hooks" / "commit-msg"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nprintf '\\nTicket: APP-1 and more\\n\\nA last paragraph.\\n' >> \"$1\"\n")
    hook.chmod(0o755)
    pull = lab.open()
    for line, code in ((2, "    return n // 2"), (6, "    return n + n")):
        suggest(lab, pull, line, code)
        assert fix(lab, pull).code == ExitCode.PASSED
    suggest(lab, pull, 10, '    return "application"')
    assert fix(lab, pull).code == ExitCode.ISSUES
    assert len(commits(lab)) == 2
