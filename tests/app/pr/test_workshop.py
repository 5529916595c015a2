"""What of this machine a fix cycle uses for one's own pull request alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pullrequest.lab import Lab
from tests.pullrequest.stories import commits, fix, hook, suggest


@pytest.mark.parametrize("own", [True, False])
def test_git_hooks_run_at_commit_and_push_of_ones_own_pull_request_alone(lab: Lab, tmp_path: Path, own: bool) -> None:
    marks = {name: tmp_path / f"ran-{name}" for name in ("pre-commit", "pre-push")}
    for name, mark in marks.items():
        hook(tmp_path / "hooks", name, f"touch {mark}")
    lab.workspace.git("config", "core.hooksPath", str(tmp_path / "hooks"))
    pull = lab.repository.pull("topic", author=lab.dev if own else lab.rev)
    suggest(lab, pull)
    fix(lab, pull, "--fixer", "auto")
    assert commits(lab)
    assert {name: mark.exists() for name, mark in marks.items()} == dict.fromkeys(marks, own)
