"""What of a hook's work on a fix is put back."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import cast

import pytest

from selfreview.apply.patches import Patch
from selfreview.errors import CycleError
from selfreview.git.repo import discover
from selfreview.git.worktree_files import PLAIN, Entry
from selfreview.pullrequest.git.landing import Landing, as_applied, left_over, put_back
from selfreview.pullrequest.git.remotes import Pushed
from selfreview.pullrequest.git.trailers import FixCommit
from selfreview.pullrequest.git.transient_errors import MOVED
from tests.conftest import Workspace


def test_what_is_left() -> None:
    assert left_over([]) == []
    assert left_over(["b", "a", "c"])[0].startswith("a and 2 more were edited meanwhile")


def test_only_what_was_as_applied_before_is_put_back(workspace: Workspace) -> None:
    files = {name: Entry(PLAIN, f"{name} fixed\n".encode()) for name in ("one", "two", "gone")}
    listed = [SimpleNamespace(name=name, new=name) for name in files]
    patch = cast(Patch, SimpleNamespace(manifest=SimpleNamespace(files=listed), entry=files.get))
    for name in ("one", "gone"):
        workspace.write(name, files[name].data)
    workspace.write("two", "a person's\n")
    applied = as_applied(workspace.root, patch)
    assert applied == {"one", "gone"}
    workspace.write("one", "formatted\n")
    (workspace.root / "gone").unlink()
    (told,) = put_back(discover(workspace.root, os.environ), patch, applied)
    assert [(workspace.root / name).read_text() for name in files] == ["one fixed\n", "a person's\n", "gone fixed\n"]
    assert workspace.git("cat-file", "-p", told.rpartition(" ")[2]) == "formatted"


class _Busy:
    """A branch to which somebody else pushes before each push of ours.

    Args:
        pushed: How each push of ours ends.
    """

    def __init__(self, pushed: Pushed) -> None:
        self.pushed = pushed
        self.tip = 0
        self.pushes = 0

    def seen(self) -> str:
        return f"theirs {self.tip}"

    def parent(self, commit: str) -> str:
        return commit.replace("ours on ", "")

    def push(self, commit: str, seen: str, *, hooks: bool) -> Pushed:
        self.pushes += 1
        return self.pushed

    def fetch(self) -> None:
        self.tip += 1

    def has(self, old: str, new: str) -> bool:
        return False


def _landing(branch: _Busy) -> Landing:
    landing = object.__new__(Landing)
    landing.__dict__.update(_branch=branch, _hooks=False, _kept=SimpleNamespace(has_passed=lambda _: True))
    landing.__dict__["_on_top"] = lambda commit: commit._replace(sha=f"ours on {branch.seen()}")
    return landing


def test_a_branch_that_others_keep_pushing_to_is_pushed_to_three_times() -> None:
    branch = _Busy(Pushed(MOVED, ""))
    with pytest.raises(CycleError, match="somebody else keeps pushing to the branch"):
        _landing(branch).push(FixCommit("ours on theirs 0", 1, ()), lambda: None, lambda _: None)
    assert branch.pushes == 3


def test_a_push_that_did_not_arrive_is_no_success() -> None:
    branch = _Busy(Pushed(None, ""))
    with pytest.raises(CycleError, match="the remote does not have what was pushed"):
        _landing(branch).push(FixCommit("ours on theirs 0", 1, ()), lambda: None, lambda _: None)
