"""What the repository's hooks are, and do, while a fix is committed."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from selfreview.testing.forge import PullRequest
from tests.conftest import Workspace
from tests.feedback.lab import Lab, report
from tests.feedback.stories import calls_for_a_person, commits, configure, fix, model, suggest, talk
from tests.fixers.talks import edit, says

CHECK = "#!/bin/sh\necho checked > /dev/null\n"
HOOK = "#!/bin/sh\n. tools/hooks/check.sh\n"


def hooked(lab: Lab, setting: str) -> PullRequest:
    """Have a branch that brings hooks, one of which starts a script beside it that somebody wants to do more."""
    configure(lab)
    for name, text in (("pre-commit", HOOK), ("check.sh", CHECK)):
        path = lab.workspace.write(f"tools/hooks/{name}", text)
        path.chmod(0o755)
    lab.workspace.git("add", ".")
    lab.workspace.commit("hooks")
    lab.workspace.git("push", "--quiet")
    lab.workspace.git("config", "core.hooksPath", setting)
    return lab.open()


@pytest.mark.parametrize("how", ["suggested", "fixed"])
@pytest.mark.parametrize("where", ["relative", "absolute", "linked"])
def test_what_a_fixer_writes_is_no_hook_of_its_own_commit(lab: Lab, tmp_path: Path, how: str, where: str) -> None:
    proof = tmp_path / "proof"
    root = lab.workspace.root
    pull = hooked(lab, "tools/hooks" if where == "relative" else str(root / "tools" / "hooks"))
    if where == "linked":
        lab.workspace.git("checkout", "--quiet", "main")
        lab.workspace.git("worktree", "add", "--quiet", str(tmp_path / "linked"), "topic")
        lab.workspace.git("config", "core.hooksPath", str(tmp_path / "linked" / "tools" / "hooks"))
        lab.workspace = Workspace(tmp_path / "linked")
    evil = f"touch '{proof}'"
    if how == "suggested":
        suggest(lab, pull, 2, evil, path="tools/hooks/check.sh")
        deed = says(edit("README.md", "no such", "text"))
    else:
        pull.inline(lab.rev, "tools/hooks/check.sh", 2, "Have it leave a proof.")
        deed = says(edit("tools/hooks/check.sh", "echo checked > /dev/null", evil))
    with model(lab, [*talk(deed=deed), deed, report()]):
        ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert not proof.exists()
    assert not commits(lab)
    assert len(calls_for_a_person(lab, pull)) == 1
    assert lab.workspace.git("status", "--porcelain") == ""
