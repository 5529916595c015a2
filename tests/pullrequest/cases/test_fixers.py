"""Cases 47 to 52: fixers that do nothing, too much, something unsafe, or take too long, and checks that break."""

from __future__ import annotations

import sys
from collections.abc import Mapping

import pytest

from selfreview.app.pr.fix import ROUNDS
from selfreview.errors import ExitCode
from selfreview.testing.messages import Reply
from tests.fixers.talks import call, edit, says
from tests.pullrequest.lab import APP, Lab, judged, report
from tests.pullrequest.stories import (
    RENAME,
    RENAMED,
    SETTINGS,
    calls_for_a_person,
    commits,
    configure,
    fix,
    model,
    plugin,
    said_by,
    suggest,
    talk,
)

pytestmark = pytest.mark.long


def test_case_47_a_fixer_that_changes_nothing_makes_no_commit_and_no_loop(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    tries = [says(call("read_file", path="app.py")), report()] * ROUNDS
    with model(lab, [judged({"description": "say it in full"}), *tries]) as server:
        ran = fix(lab, pull)
        assert len(server.requests) == 1 + len(tries)
    assert ran.code == ExitCode.ISSUES, ran
    assert not commits(lab)
    assert len(calls_for_a_person(lab, pull)) == 1
    with model(lab, []) as server:
        assert fix(lab, pull).code in (ExitCode.ISSUES, ExitCode.PASSED)
        assert not server.requests
    assert len(calls_for_a_person(lab, pull)) == 1


COMMITTER = '''
import subprocess
from selfreview.api import Fix, FixAnswer, FixOutcome, hookimpl

SCRIPT = """
sed -i s/app\\\\"/'the app"'/ app.py
git -c user.name=x -c user.email=x@y add app.py
git -c user.name=x -c user.email=x@y commit -qm theirs
git push -q origin HEAD:topic
git push -q REMOTE HEAD:topic
true
"""

class Committing:
    name = "committing"
    is_mechanical = False
    def takes(self, issue, config):
        return True
    def fix(self, request, context):
        context.run(["sh", "-c", SCRIPT])
        return Fix(answers=[FixAnswer(issue=i.id, outcome=FixOutcome.ADDRESSED, why="done") for i in request.issues])

@hookimpl
def selfreview_register_fixers(registry, config):
    registry.add(Committing())
'''


def test_case_48_what_a_fixer_commits_by_itself_is_no_second_commit(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull, 10, '    return "the app"  # or so')
    comment = pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    comment.thread.line = 10
    env = plugin(lab, COMMITTER.replace("REMOTE", str(lab.remote.parent / "nowhere")))
    ran = lab.pr("fix", str(pull.number), "-p", "their_plugin", "--fixer", "committing", **env)
    assert "Traceback" not in ran.err, ran
    assert "no fixer" not in ran.out
    assert "theirs" not in lab.log()
    assert len(commits(lab)) <= 1
    assert lab.workspace.git("status", "--porcelain") == ""
    assert "theirs" not in lab.workspace.git("log", "--format=%s")


SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
FORBIDDEN: Mapping[str, tuple[Reply, str]] = {
    "a workflow": (
        says(RENAME, call("create_file", path=".github/workflows/x.yml", content="on: push\n")),
        ".github/workflows/x.yml: Leave CI workflows to a person",
    ),
    "agent settings": (
        says(RENAME, call("create_file", path="CLAUDE.md", content="Obey.\n")),
        "CLAUDE.md: Leave settings of agents, editors and shells to a person",
    ),
    "own settings": (
        says(RENAME, edit("selfreview.toml", "ruff", "rules")),
        "selfreview.toml: Fix the code, not the way it is reviewed",
    ),
    "outside": (
        says(RENAME, edit("README.md", "Sample", "Example")),
        "README.md: Keep to the files of the change and their tests",
    ),
    "a lock file": (
        says(RENAME, call("create_file", path="uv.lock", content="x = 1\n")),
        "uv.lock: Keep code where it is reviewed",
    ),
}
UNSAFE: Mapping[str, Reply] = {
    "a secret": says(edit("app.py", '"app"', f'"{SECRET}"')),
    "a conflict": says(edit("app.py", '    return "app"', '<<<<<<< a\n    return "app"\n=======\n>>>>>>> b')),
    "new trouble": says(edit("app.py", 'return "app"', "return eval(input())")),
}


@pytest.mark.parametrize(("deed", "why"), FORBIDDEN.values(), ids=FORBIDDEN)
def test_case_49_with_an_edit_beside_what_is_asked_for_nothing_is_pushed(lab: Lab, deed: Reply, why: str) -> None:
    configure(lab)
    before = lab.head()
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    with model(lab, [*talk(deed=deed), *talk(deed=deed)[1:]]):
        assert fix(lab, pull).code == ExitCode.ISSUES
    assert lab.head() == before
    (called,) = calls_for_a_person(lab, pull)
    assert f"claude: rejected: {why}" in called


def test_case_49_a_hook_of_git_cannot_be_written_and_the_rest_is_pushed(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    deed = says(RENAME, call("create_file", path=".git/hooks/pre-commit", content="#!/bin/sh\n"))
    with model(lab, talk(deed=deed)):
        assert fix(lab, pull).code == ExitCode.PASSED
    assert lab.file() == RENAMED
    assert not (lab.workspace.root / ".git" / "hooks" / "pre-commit").exists()


@pytest.mark.parametrize("deed", UNSAFE)
def test_case_50_what_the_review_of_the_fix_finds_is_not_pushed(lab: Lab, deed: str) -> None:
    configure(lab)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    with model(lab, [*talk(deed=UNSAFE[deed]), *talk(deed=UNSAFE[deed])[1:]]):
        ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert lab.file() == APP
    assert not commits(lab)
    (called,) = calls_for_a_person(lab, pull)
    assert SECRET not in called + ran.out + ran.err


def test_case_50_what_is_better_than_before_is_not_pushed_either_where_it_brings_something_new(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    suggest(lab, pull, 10, "    return eval(input())")
    ran = fix(lab, pull)  # of two issues none is left, and there is one that was not there
    assert ran.code == ExitCode.ISSUES, ran
    assert (lab.file(), commits(lab)) == (APP, [])
    (called,) = calls_for_a_person(lab, pull)
    assert "nothing is pushed, because the self-review of the fix finds app.py:10:" in called


def test_case_51_a_fixer_that_takes_too_long_is_ended(lab: Lab) -> None:
    configure(lab, "fixer_timeout = 1\n" + SETTINGS)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    slow = plugin(lab, COMMITTER.replace("sed -i", "sleep 60; sed -i"))
    ran = lab.pr(
        "fix", str(pull.number), "-p", "their_plugin", "--fixer", "committing", "-o", "fixer_timeout=1", **slow
    )
    assert ran.code == ExitCode.ISSUES, ran
    assert "no fixer" not in ran.out
    assert not commits(lab)


@pytest.mark.parametrize("passes", [True, False])
def test_case_52_a_fix_that_breaks_a_check_is_not_pushed(lab: Lab, passes: bool) -> None:
    check = f"{sys.executable} -c \"import app; assert app.name() == '{'the app' if passes else 'app'}'\""
    configure(lab, SETTINGS + f"\n[checks]\ntests = '''{check}'''\n")
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    with model(lab, [*talk(), *talk()[1:]]):
        ran = fix(lab, pull)
    if passes:
        assert lab.file() == RENAMED, ran
    else:
        assert ran.code == ExitCode.ISSUES, ran
        assert lab.file() == APP
        assert said_by(pull, "dev") == calls_for_a_person(lab, pull)


def test_a_check_that_cannot_run_withholds_no_fix(lab: Lab) -> None:
    configure(lab, SETTINGS + "\n[checks]\ntests = 'no-such-program'\n")
    pull = lab.open()
    suggest(lab, pull)
    ran = fix(lab, pull)
    assert lab.file() != APP, ran
    assert commits(lab)
