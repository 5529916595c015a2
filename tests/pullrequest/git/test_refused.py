"""What a person reads where git or a hook refuses what was made, and how it goes on."""

from __future__ import annotations

import pytest

from selfreview.errors import ExitCode
from tests.pullrequest.lab import Lab
from tests.pullrequest.stories import calls_for_a_person, commits, fix, suggest

WORDS = "no commits on Saturdays"


def hook(lab: Lab, name: str, *words: str) -> None:
    """Have a hook of the repository say something and refuse."""
    path = lab.workspace.root / ".git" / "hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("#!/bin/sh\n" + "".join(f"echo '{line}' >&2\n" for line in words) + "exit 1\n")
    path.chmod(0o755)


@pytest.mark.parametrize(
    "name", ["pre-push", *(pytest.param(n, marks=pytest.mark.long) for n in ("pre-commit", "commit-msg"))]
)
def test_a_hook_that_refuses_is_quoted_to_the_person_here_and_to_nobody_else(lab: Lab, name: str) -> None:
    pull = lab.open()
    suggest(lab, pull)
    hook(lab, name, "checking", "\x1b[31m" + WORDS)
    ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert f"\\x1b[31m{WORDS}" in ran.err
    assert "checking" in ran.err
    (call,) = calls_for_a_person(lab, pull)
    assert WORDS not in call
    assert not commits(lab)


@pytest.mark.parametrize("name", ["commit-msg", pytest.param("pre-push", marks=pytest.mark.long)])
def test_what_a_hook_refused_is_made_once_it_is_mended(lab: Lab, name: str) -> None:
    pull = lab.open()
    suggest(lab, pull)
    hook(lab, name, WORDS)
    assert "selfreview reset" in fix(lab, pull).err
    (lab.workspace.root / ".git" / "hooks" / name).unlink()
    assert lab.workspace.selfreview("reset", "--reason", "the hook is mended").code == ExitCode.PASSED
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert len(commits(lab)) == 1


def test_a_hook_that_refuses_the_branch_of_a_new_pull_request_is_quoted(lab: Lab) -> None:
    lab.workspace.commit("more", **{"more.py": "x = 1\n"})
    hook(lab, "pre-push", WORDS)
    ran = lab.pr("create", "--force", "--reason", "to be seen")
    assert ran.code == ExitCode.USAGE, ran
    assert WORDS in ran.err
    assert not lab.repository.pulls


def test_what_a_hook_prints_shows_no_secret(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    secret = "ghp_" + "aB3dE5fG7hJ9kL1mN3" + "pQ5rS7tU9vW1xY3zA5"
    hook(lab, "commit-msg", f"cannot sign with {secret}")
    ran = fix(lab, pull)
    assert "cannot sign with" in ran.err
    assert secret not in ran.err + ran.out
