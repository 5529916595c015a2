"""Cases 41 to 52: two at once, killed anywhere, and fixers that do what they should not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import filelock
import pytest

from selfreview.app.pr.fix import ROUNDS
from selfreview.errors import ExitCode
from selfreview.testing.messages import Reply, Status
from tests.conftest import Ran
from tests.fixers.talks import call, edit, says
from tests.pullrequest.lab import APP, Lab, judged, report
from tests.pullrequest.stories import (
    RENAME,
    RENAMED,
    SETTINGS,
    SUGGESTED,
    calls_for_a_person,
    commits,
    configure,
    fix,
    model,
    nothing_happened,
    plugin,
    said_by,
    suggest,
    talk,
)
from tests.pullrequest.watching.scene import AUTO, named, told

pytestmark = pytest.mark.long

KILLER = '''
"""Ends the process, as nobody can prepare for it, where it is told to."""
import os, signal
point = os.environ["KILL_AT"]

def before(module, kind, name):
    owner = getattr(module, kind)
    whole = getattr(owner, name)
    def ended(self, *args, **kwargs):
        if point == f"before {name}":
            os.kill(os.getpid(), signal.SIGKILL)
        result = whole(self, *args, **kwargs)
        if point == f"after {name}":
            os.kill(os.getpid(), signal.SIGKILL)
        return result
    setattr(owner, name, ended)

from selfreview.pullrequest import replies
from selfreview.pullrequest.git import branch
from selfreview.apply import applier
for module, kind, names in (
    (applier, "Applier", ("apply",)),
    (branch, "Branch", ("commit", "push")),
    (replies, "Replies", ("_reply", "_ask_again", "_summarise")),
):
    for name in names:
        before(module, kind, name)
'''
POINTS = [
    f"{when} {name}"
    for name in ("apply", "commit", "push", "_reply", "_ask_again", "_summarise")
    for when in ("before", "after")
]


def killed(lab: Lab, number: int, point: str) -> None:
    """Run a fix that is killed at a point."""
    env = plugin(lab, KILLER, "killer") | {"KILL_AT": point}
    ran = lab.pr("fix", str(number), "-p", "killer", **env)
    assert ran.code == -9, (point, ran)


def is_whole(lab: Lab, pull: Any) -> None:
    """Assert that all of it happened, and once."""
    assert len(commits(lab)) == 1
    assert lab.file() == SUGGESTED
    assert [len(thread.comments) for thread in pull.threads] == [2] * len(pull.threads)
    assert [user.login for user in pull.requested] == ["rev"]
    assert len(pull.comments) == 1
    assert "Fix cycle 1" in pull.comments[0].body
    assert lab.workspace.git("status", "--porcelain") == ""
    assert lab.workspace.git("rev-parse", "HEAD") == lab.head()
    asked = [one for one in lab.forge.requests if one.path.endswith("/requested_reviewers") and one.method == "POST"]
    assert len(asked) <= 1


def test_case_41_a_second_process_does_nothing(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    folder = lab.workspace.root / ".git" / "selfreview"
    folder.mkdir(exist_ok=True)
    with filelock.FileLock(folder / f"pr-{pull.number}.lock"):
        ran = lab.pr("fix", str(pull.number))
    assert ran.code == ExitCode.INCOMPLETE
    assert "being answered already" in ran.err
    assert not commits(lab)


def test_case_41_what_another_machine_answered_meanwhile_is_not_answered_twice(lab: Lab, tmp_path: Path) -> None:
    configure(lab)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    other = tmp_path / "other"
    subprocess.run(["git", "clone", "-q", "-b", "topic", str(lab.remote), str(other)], check=True)
    url = "https://github.com/octo/app.git"
    for pair in (("remote.origin.url", url), (f"url.{lab.remote}.insteadOf", url)):
        subprocess.run(["git", "config", *pair], cwd=other, check=True)

    def elsewhere() -> None:
        with model(lab, talk()):
            subprocess.run([sys.executable, "-m", "selfreview", "trust"], cwd=other, check=False, capture_output=True)
            done = subprocess.run(
                [sys.executable, "-m", "selfreview", "pr", "fix", str(pull.number)],
                cwd=other, env={**os.environ, **lab.environment}, capture_output=True, check=False,
            )  # fmt: skip
            assert done.returncode == 0, Ran.of(done)

    with model(lab, talk(during=elsewhere)):
        fix(lab, pull)
    assert len(commits(lab)) == 1
    assert len(pull.threads[0].comments) == 2
    fix(lab, pull)
    assert len(commits(lab)) == 1
    assert len(pull.threads[0].comments) == 2
    assert len([c for c in pull.comments if "Fix cycle" in c.body]) == 1


@pytest.mark.parametrize("point", POINTS)
def test_case_42_43_44_45_46_killed_at_any_step_it_is_done_once(lab: Lab, point: str) -> None:
    lost = point.startswith("after")  # benchmarks/kill_cycle.py loses the store at any of them
    pull = lab.open()
    suggest(lab, pull, review=pull.review(lab.rev, "CHANGES_REQUESTED", ""))
    killed(lab, pull.number, point)
    if lost:
        for file in (lab.workspace.root / ".git" / "selfreview").glob("store.db*"):
            file.unlink()
    assert fix(lab, pull).code == ExitCode.PASSED
    is_whole(lab, pull)
    assert fix(lab, pull).code == ExitCode.PASSED
    is_whole(lab, pull)


@pytest.mark.parametrize("path", ["*/comments", "*/replies", "*/requested_reviewers"])
def test_case_45_an_answer_that_was_lost_on_its_way_is_not_given_twice(lab: Lab, path: str) -> None:
    pull = lab.open()
    suggest(lab, pull)
    lab.forge.reset("POST", path, after_effect=True)
    lab.pr("fix", str(pull.number))
    lab.forge.mend()
    fix(lab, pull)
    assert len(commits(lab)) == 1
    assert [len(thread.comments) for thread in pull.threads] == [2]
    assert len(pull.comments) == 1


def test_case_46_the_cap_holds_though_the_store_is_lost(lab: Lab) -> None:
    pull = lab.open()
    for line, code in ((6, "    return n + n"), (2, "    return n // 2")):
        suggest(lab, pull, line, code)
        fix(lab, pull)
        for file in (lab.workspace.root / ".git" / "selfreview").glob("store.db*"):
            file.unlink()
    assert len(commits(lab)) == 2
    suggest(lab, pull, 10, '    return "more"')
    ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert "the cap of 2 fix cycles is reached" in ran.out
    assert len(commits(lab)) == 2
    assert [label.name for label in pull.labels] == ["human-review-required"]


def test_a_persons_reset_allows_more(lab: Lab) -> None:
    pull = lab.open()
    for line, code in ((6, "    return n + n"), (2, "    return n // 2"), (10, '    return "more"')):
        suggest(lab, pull, line, code)
        ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    done = lab.workspace.selfreview("reset", "--reason", "once more")
    assert done.code == ExitCode.PASSED, done
    assert fix(lab, pull).code == ExitCode.PASSED
    assert len(commits(lab)) == 3


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


USED_UP = Status(code=429, message="usage limit reached", retry_after="1800")


@pytest.mark.parametrize("who", ["the reader", "the fixer", "the reviewer of the fix"])
def test_case_51_a_quota_is_waited_for_and_is_no_attempt(lab: Lab, who: str) -> None:
    settings = SETTINGS.replace('"text"]', '"text", "claude"]') if who.endswith("fix") else SETTINGS
    configure(lab, settings)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    said = {"the reader": 0, "the fixer": 1, "the reviewer of the fix": 1}[who]
    with model(lab, [*talk()[:said], *[USED_UP] * 9]):
        ran = lab.pr("fix", str(pull.number), "-f", "json")
    assert ran.code == ExitCode.INCOMPLETE, ran
    found = json.loads(ran.out)
    assert (found["outcome"], found["wait"]) == ("waiting", 1800.0)
    assert "a quota is used up" in found["why"][0]
    assert nothing_happened(lab, pull)
    configure(lab)
    with model(lab, talk()):
        assert fix(lab, pull).code == ExitCode.PASSED
    assert lab.file() == RENAMED
    assert not calls_for_a_person(lab, pull)


AGENT = """#!/bin/sh
case "$1" in --version) echo 2.1.332; exit ;; --help) exit ;; esac
cat > /dev/null
echo '{"is_error": true, "subtype": "success", "result": "Claude AI usage limit reached|4102444800"}'
exit 1
"""


def limited_agent(lab: Lab) -> dict[str, str]:
    """Put an agent on PATH that has met its session limit."""
    folder = lab.remote.parent / "bin"
    folder.mkdir()
    (folder / "claude").write_text(AGENT)
    (folder / "claude").chmod(0o755)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def test_case_51_what_was_done_before_an_agent_met_its_limit_is_pushed_and_the_rest_waits(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    suggest(lab, pull)
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    env = limited_agent(lab)
    with model(lab, talk()[:1]):
        ran = fix(lab, pull, "--fixer", "auto", "--fixer", "agent-claude", **env)
    assert ran.code == ExitCode.INCOMPLETE, ran
    assert "usage limit reached" in ran.out
    assert lab.file() == SUGGESTED
    assert not calls_for_a_person(lab, pull)


def test_case_51_a_watcher_begins_nothing_until_the_quota_is_there_again(lab: Lab) -> None:
    configure(lab)
    pulls = [lab.open()]
    for name in ("one", "two"):
        lab.there("branch", name, "topic")
        pulls.append(lab.repository.pull(name, author=lab.dev))
    for pull in pulls[:2]:
        pull.comment(lab.rev, "Say it in full.")
    alone = (*AUTO, "-o", "feedback.max_concurrent_fixes=1")
    with model(lab, [USED_UP] * 9) as server:
        ran = lab.pr("watch", "--once", *alone)
        assert ran.code == ExitCode.INCOMPLETE, ran
        (held,) = named(told(ran), "held")
        assert 1790 < held["wait"] <= 1801
        assert len(server.requests) == 1  # the second cycle, which had its place in the queue, does not ask, either
        pulls[2].comment(lab.rev, "Mend this, too.")
        again = lab.pr("watch", "--once", *alone)  # also another process knows
        assert again.code == ExitCode.INCOMPLETE, again
        assert not named(told(again), "scheduled", "begun")
        assert len(server.requests) == 1
    assert all(nothing_happened(lab, pull) for pull in pulls)


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


@pytest.mark.parametrize("cap", ["many", "-1", "1.5"])
def test_a_cap_that_is_no_number_is_never_no_cap(lab: Lab, cap: str) -> None:
    pull = lab.open()
    suggest(lab, pull)
    ran = lab.pr("fix", str(pull.number), "-o", f"feedback.max_fix_cycles={cap}")
    assert ran.code == ExitCode.USAGE, ran
    assert not commits(lab)


def test_a_cap_of_none_only_reads(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    pull.comment(lab.rev, "Why so?")
    ran = fix(lab, pull, "-o", "feedback.max_fix_cycles=0")
    assert ran.code == ExitCode.PASSED, ran
    assert "suggestion: rev" in ran.out
    assert not commits(lab)
    assert not said_by(pull, "dev")
