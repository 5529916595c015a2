"""Hooks and refinement: a run triggers none of the person's hooks, and a hook refines nothing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.hooks.hooked import Hooked

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Git for Windows brings the shell")

BAD = "import requests\n\n\ndef get(url):\n    return requests.get(url, verify=False)\n"
HOOKS = ("pre-commit", "commit-msg", "post-commit", "post-checkout", "post-index-change", "pre-auto-gc",
         "reference-transaction", "fsmonitor-watchman")  # fmt: skip


@pytest.fixture
def refining(repo: Hooked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hooked:
    monkeypatch.setenv("SELFREVIEW_REVIEWERS", "rules")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    repo.git("branch", "--move", "--force", "main")
    repo.git("checkout", "--quiet", "-b", "topic")
    repo.write("app.py", BAD)
    repo.git("add", "app.py")
    return repo


def test_no_hook_of_the_person_runs(refining: Hooked, tmp_path: Path) -> None:
    """Not even those of the index, though what is applied is staged; a hook that rejects all rejects nothing here."""
    said = tmp_path / "said"
    for name in HOOKS:
        hook = refining.write(f".git/hooks/{name}", f'#!/bin/sh\necho {name} >> "{said}"\nexit 1\n')
        hook.chmod(0o755)
    for command in (["run", "--apply", "--stage"], ["undo"], ["apply", "--stage"]):
        ran = refining.space.selfreview(*command)
        assert ran.code == 0, ran
    assert not said.exists(), said.read_text()


def test_the_hook_refines_nothing(refining: Hooked) -> None:
    """Git waits, and holds the index."""
    own = {"SELFREVIEW_REVIEWERS": "rules", "SELFREVIEW_APPLY": "always"}
    assert "app.py:5" in refining.stopped("commit", "-m", "bad", **own)
    assert (refining.root / "app.py").read_text() == BAD
    assert refining.git("status", "--porcelain") == "A  app.py"
    assert refining.space.selfreview("run", "--apply", "--stage").code == 0
    refining.passes("commit", "-m", "mended", **own)
    assert refining.git("status", "--porcelain") == ""
