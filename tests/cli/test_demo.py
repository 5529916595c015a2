"""The sample shows each of its mistakes once, and the loop from issues to a pass and back."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Workspace
from tests.rows import few


def test_each_mistake_of_the_sample_is_reported_once(workspace: Workspace) -> None:
    ran = workspace.selfreview("demo", "--keep", "shop")
    assert ran.code == ExitCode.PASSED, ran
    told = [line for line in ran.out.split("\n") if line.startswith(("$ ", "That was", "undone", "refinement 1"))]
    assert [line.partition(" in ")[0] for line in told] == [
        "$ selfreview run --no-fix",
        "That was exit code 1: issues at or above the threshold.",
        "$ selfreview run --apply",
        "refinement 1 · 3 open: 2 addressed, 1 still open · +2 -2",
        "That was exit code 1: issues at or above the threshold.",
        "$ selfreview run",
        "That was exit code 0: the change passed.",
        "$ selfreview undo",
        "undone: 1 file restored; selfreview apply applies it again",
    ]
    sample = Workspace(workspace.root / "shop")
    sample.git("clean", "--quiet", "-fd")
    sample.git("switch", "--quiet", "discounts")
    opened = [issue for issue in sample.review()["issues"] if issue["status"] == "open"]
    assert Counter(issue["rule"] for issue in opened) == {
        "F821": 1,
        "B006": 1,
        "python-sql-injection": 1,
        "python-subprocess-shell-injection": 1,
        "python-except-exception-pass": 1,
        "removed-assertion": 1,
        "javascript-debugger": 1,
        "javascript-html-from-text": 1,
    }
    places = Counter((issue["file"], issue["lineStart"]) for issue in opened)
    assert set(places.values()) == {1}


@pytest.mark.parametrize("home", few([f"{os.devnull}/home", "locked"], "locked"))
def test_it_shows_the_same_where_nothing_can_be_written_at_home(
    workspace: Workspace, tmp_path: Path, home: str
) -> None:
    """As in a container that runs as some user, whose home folder is nobody's."""
    (tmp_path / "locked").mkdir(mode=0o500)
    home = str(tmp_path / home)
    ran = workspace.selfreview("demo", HOME=home, USERPROFILE=home, XDG_STATE_HOME="")
    assert ran.code == ExitCode.PASSED, ran
    assert "refinement 1 · 3 open: 2 addressed" in ran.out
    assert "not refined" not in ran.out
