"""A repository with both hooks, which call the real program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from selfreview.git import hooks as git_hooks
from tests.conftest import Ran, Workspace

BAD = "<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> other\n"
"""Content that the review stops."""

REVIEW = {"SELFREVIEW_REVIEWERS": "text", "SELFREVIEW_SEVERITY_THRESHOLD": "low"}
"""These tests are about what is reviewed, not by whom: the reviewer of texts is enough, and all it says stops."""

STOPPED = "selfreview stopped the "


class Hooked:
    """A repository whose hooks are selfreview's."""

    def __init__(self, space: Workspace) -> None:
        self.space = space
        self.root = space.root
        self.write = space.write

    def install(self) -> None:
        folder = self.root / self.space.git("rev-parse", "--git-path", "hooks")
        for hook in git_hooks.TYPES:
            git_hooks.install(git_hooks.find(folder, hook), git_hooks.render(hook, sys.executable))

    def git(self, *args: str) -> str:
        """Run git without hooks; it must succeed."""
        return self.space.git("-c", f"core.hooksPath={os.devnull}", *args)

    def commit(self, **files: str) -> None:
        """Commit without hooks."""
        for name, content in files.items():
            self.write(name, content)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "change")

    def hooked(self, *args: str, cwd: Path | None = None, **env: str) -> Ran:
        """Run git with hooks."""
        done = subprocess.run(
            ["git", *args],
            cwd=cwd or self.root,
            env={**os.environ, **REVIEW, **env},
            capture_output=True,
            check=False,
            timeout=120,
        )
        return Ran.of(done)

    def passes(self, *args: str, cwd: Path | None = None, **env: str) -> str:
        """Run git with hooks, which let it go on; return what they said."""
        ran = self.hooked(*args, cwd=cwd, **env)
        assert ran.code == 0, ran
        assert STOPPED not in ran.err
        return ran.out + ran.err

    def stopped(self, *args: str, cwd: Path | None = None, **env: str) -> str:
        """Run git with hooks, which stop it; return what they said."""
        before = self.git("for-each-ref", "--format=%(refname) %(objectname)")
        ran = self.hooked(*args, cwd=cwd, **env)
        assert ran.code != 0, ran
        assert STOPPED in ran.err, ran
        assert self.git("for-each-ref", "--format=%(refname) %(objectname)") == before
        return ran.out + ran.err
