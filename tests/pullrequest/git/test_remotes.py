"""How a fix is pushed: to the pull request's repository, onto what was seen there, past hooks without secrets."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from selfreview.git.repo import discover
from selfreview.pullrequest.git.branch import Branch
from tests.pullrequest.lab import Lab
from tests.pullrequest.stories import (
    RENAMED,
    calls_for_a_person,
    commits,
    configure,
    fix,
    hook,
    model,
    push_there,
    said_by,
    suggest,
    talk,
)

pytestmark = pytest.mark.long

SECRETS = {
    "SLACK_WEBHOOK_URL": "https://hooks.slack.com/services/none",
    "SELFREVIEW_SMTP_PASSWORD": "none-such",
    "SELFREVIEW_APPRISE_URLS": "json://none",
    "AWS_BEARER_TOKEN_BEDROCK": "none-such",
    "ODD-TOKEN": "none-such",
    "ONLY_ITS_VALUE_SAYS_SO": "ghp_" + "x1Y2" * 9,
}


# --- onto what was seen ----------------------------------------------------------------------------------------------


def drop(lab: Lab) -> None:
    """Have the last commit taken off the branch by somebody."""
    lab.there("update-ref", "refs/heads/topic", lab.there("rev-parse", "refs/heads/topic^"))


def remove(lab: Lab) -> None:
    """Have the branch removed by somebody, without that the forge has noticed yet."""
    lab.there("update-ref", "-d", "refs/heads/topic")


def slip_in(lab: Lab, deed: Callable[[Lab], object], tmp_path: Path) -> None:
    """Have something done on the remote after the fix was made, in the last moment before it is pushed."""
    hook(lab.workspace.root / ".git" / "hooks", "pre-push", f"test -e '{tmp_path}/done' && exit 0\n"
         f"touch '{tmp_path}/done'\nexec git --git-dir='{lab.remote}' {_words(deed)}")  # fmt: skip


def _words(deed: Callable[[Lab], object]) -> str:
    return "update-ref -d refs/heads/topic" if deed is remove else "update-ref refs/heads/topic refs/heads/topic^"


@pytest.mark.parametrize("when", ["as it is made", "as it is pushed"])
def test_what_somebody_took_off_the_branch_meanwhile_is_not_brought_back(lab: Lab, when: str, tmp_path: Path) -> None:
    configure(lab)
    lab.workspace.commit("oops a secret", **{"oops.py": "oops = 1\n"})
    lab.workspace.git("push", "--quiet")
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    if when == "as it is pushed":
        slip_in(lab, drop, tmp_path)
    with model(lab, talk(during=lambda: drop(lab) if when == "as it is made" else None)):
        ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert "oops a secret" not in lab.log()
    assert (len(commits(lab)), lab.file()) == (1, RENAMED)
    assert "oops" not in lab.there("ls-tree", "--name-only", "refs/heads/topic")


@pytest.mark.parametrize("when", ["as it is made", "as it is pushed"])
def test_a_branch_that_somebody_removed_meanwhile_is_not_made_anew(lab: Lab, when: str, tmp_path: Path) -> None:
    configure(lab)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    if when == "as it is pushed":
        slip_in(lab, remove, tmp_path)
    with model(lab, talk(during=lambda: remove(lab) if when == "as it is made" else None)):
        ran = lab.pr("fix", str(pull.number))
    assert "Traceback" not in ran.err
    assert "refs/heads/topic" not in lab.there("for-each-ref")
    if when == "as it is pushed":
        assert "is not made there again" in ran.out


@pytest.mark.parametrize("hooks", [True, False])
@pytest.mark.parametrize("state", ["removed", "made", "rewritten", "of somebody else"])
def test_only_a_fast_forward_from_what_was_seen_is_pushed(lab: Lab, hooks: bool, state: str) -> None:
    hook(lab.workspace.root / ".git" / "hooks", "pre-push", "exit 0")
    branch = Branch(discover(lab.workspace.root, os.environ), "origin", "topic", os.environ)
    seen: str | None = lab.head()
    lab.workspace.commit("mine", **{"mine.py": "mine = 1\n"})
    if state == "removed":
        remove(lab)
    elif state == "made":
        seen = None
    elif state == "rewritten":
        drop(lab)
    else:
        seen = push_there(lab, "theirs.py", "theirs = 1\n")
    there = lab.there("for-each-ref")
    assert branch.push(branch.head(), seen, hooks=hooks) is not None
    assert lab.there("for-each-ref") == there


def test_creating_pushes_only_onto_what_is_here(lab: Lab) -> None:
    push_there(lab, "theirs.py", "theirs = 1\n")
    lab.workspace.commit("mine", **{"mine.py": "mine = 1\n"})
    assert lab.workspace.selfreview("run").code == ExitCode.PASSED
    theirs = lab.head()
    ran = lab.pr("create")
    assert ran.code == ExitCode.USAGE, ran
    assert "git pull --rebase origin topic" in ran.err
    assert lab.head() == theirs


# --- hooks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["default", "in the tree", "odd name"])
def test_no_hook_is_given_secrets_and_pre_push_is_run_as_git_would(lab: Lab, where: str, tmp_path: Path) -> None:
    folder = (
        lab.workspace.root / {"default": ".git/hooks", "in the tree": "hooks", "odd name": ".git/it's $HOME"}[where]
    )
    said = 'env > "$OUT/$name.env"; printf "%s\\n" "$0" "$@" > "$OUT/$name.args"; pwd > "$OUT/$name.cwd"'
    for name in ("pre-commit", "pre-push", "post-commit", "commit-msg"):
        more = 'cat > "$OUT/stdin"; git config core.hooksPath > "$OUT/path"' if name == "pre-push" else ":"
        hook(folder, name, f"name={name}; {said}; {more}; exit 0")
    if where == "in the tree":
        lab.workspace.commit("hooks")
        lab.workspace.git("push", "--quiet")
    if where != "default":
        lab.workspace.git("config", "core.hooksPath", "hooks" if where == "in the tree" else str(folder))
    pull = lab.open()
    suggest(lab, pull)
    before = lab.head()
    ran = fix(lab, pull, OUT=str(tmp_path), **SECRETS)
    assert ran.code == ExitCode.PASSED, ran
    for name in ("pre-commit", "pre-push", "post-commit", "commit-msg"):
        env = (tmp_path / f"{name}.env").read_text()
        given = {line.partition("=")[0] for line in env.splitlines()}
        assert not given & {*SECRETS, "GH_TOKEN"}, name
        assert not any(value in env for value in {*SECRETS.values(), lab.environment["GH_TOKEN"]}), name
        assert "OUT" in given
    assert (tmp_path / "stdin").read_text() == f"{lab.head()} {lab.head()} refs/heads/topic {before}\n"
    program, *args = (tmp_path / "pre-push.args").read_text().splitlines()
    assert program == str(Path("hooks" if where == "in the tree" else folder, "pre-push"))
    assert args == ["origin", str(lab.remote)]
    assert (tmp_path / "pre-push.cwd").read_text().strip() == str(lab.workspace.root)
    assert (tmp_path / "path").read_text().strip() == ("hooks" if where == "in the tree" else str(folder))
    assert not list((lab.workspace.root / ".git" / "selfreview").glob("hooks-*"))


def test_what_reaches_the_remote_has_the_token(lab: Lab, tmp_path: Path) -> None:
    served = f"GIT_SSH_VARIANT=simple GH_TOKEN=$GH_TOKEN; printf %s \"$GH_TOKEN\" > '{tmp_path}/token'"
    program = tmp_path / "ssh"
    program.write_text(f'#!/bin/sh\n{served}\nshift\nexec sh -c "$*"\n')
    program.chmod(0o755)
    lab.workspace.git("config", "core.sshCommand", str(program))
    lab.workspace.git("config", "ssh.variant", "simple")
    lab.workspace.git("config", f"url.ssh://there{lab.remote}.insteadOf", "https://github.com/octo/app.git")
    lab.workspace.git("config", "--unset-all", f"url.{lab.remote}.insteadOf")
    hook(lab.workspace.root / ".git" / "hooks", "pre-push", f"env > '{tmp_path}/env'")
    pull = lab.open()
    suggest(lab, pull)
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert (tmp_path / "token").read_text() == lab.environment["GH_TOKEN"]
    assert "GH_TOKEN" not in (tmp_path / "env").read_text()


def test_a_pre_push_hook_that_refuses_is_heard(lab: Lab) -> None:
    hook(lab.workspace.root / ".git" / "hooks", "pre-push", "echo 'not on Fridays' >&2; exit 1")
    pull = lab.open()
    suggest(lab, pull)
    before = lab.head()
    ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert lab.head() == before
    assert "not on Fridays" in ran.err
    assert "Fridays" not in str(said_by(pull, "dev"))


# --- to the pull request's repository --------------------------------------------------------------------------------


@pytest.mark.parametrize("also", [False, True])
def test_a_remote_that_is_pushed_to_another_repository_is_told_of_and_not_pushed_to(
    lab: Lab, tmp_path: Path, also: bool
) -> None:
    fork = tmp_path / "fork.git"
    subprocess.run(["git", "clone", "--quiet", "--bare", str(lab.remote), str(fork)], check=True)
    if also:
        lab.workspace.git("config", "remote.origin.pushurl", "https://github.com/octo/app.git")
    lab.workspace.git("config", "--add", "remote.origin.pushurl", str(fork))
    pull = lab.open()
    suggest(lab, pull)
    before = lab.head()
    assert fix(lab, pull).code == ExitCode.ISSUES
    ran = fix(lab, pull)
    assert "pushed to another repository" in ran.out
    (called,) = calls_for_a_person(lab, pull)
    assert "another repository" in called
    assert str(fork) not in called
    there = subprocess.run(["git", "rev-parse", "topic"], cwd=fork, capture_output=True, check=True)
    assert (lab.head(), there.stdout.decode().strip(), lab.workspace.git("rev-parse", "HEAD")) == (before,) * 3
    lab.workspace.commit("more still", **{"more.py": "more = 1\n"})
    pull.close()
    created = lab.pr("create", "--force", "--reason", "to see")
    assert "another repository" in created.err
    assert lab.head() == before


def test_another_address_of_the_same_repository_is_pushed_to(lab: Lab) -> None:
    lab.workspace.git("config", "remote.origin.pushurl", "git@github.com:octo/app.git")
    lab.workspace.git("config", f"url.{lab.remote}.insteadOf", "git@github.com:octo/app.git")
    lab.workspace.git("config", "--add", f"url.{lab.remote}.insteadOf", "https://github.com/octo/app.git")
    pull = lab.open()
    suggest(lab, pull)
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert len(commits(lab)) == 1
