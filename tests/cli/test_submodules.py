"""Submodules are another repository's: what changes there is listed, with the command that reviews it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from selfreview.testing.messages import MessagesServer
from tests.conftest import Workspace
from tests.llm.scripted_answers import CLEAN
from tests.rows import few

EVAL = "def f(x):\n    return eval(x)\n"
REVIEWS = re.compile(r"cd (.+) && selfreview (run[^\n]*)")


@pytest.fixture
def parent(workspace: Workspace, tmp_path: Path) -> Workspace:
    """A repository whose ``main`` has the submodule ``my lib``."""
    library = Workspace(tmp_path / "library")
    library.start()
    library.commit("library", **{"lib.py": "x = 1\n"})
    workspace.git("switch", "--quiet", "main")
    workspace.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.root.as_uri(), "my lib")
    workspace.commit("submodule")
    workspace.git("switch", "--quiet", "-C", "work")
    return workspace


def commit_inside(parent: Workspace) -> None:
    Workspace(parent.root / "my lib").commit("inside", **{"new.py": EVAL})


def edit(parent: Workspace) -> None:
    parent.write("my lib/lib.py", EVAL)


def add_file(parent: Workspace) -> None:
    parent.write("my lib/new.py", EVAL)


def move(parent: Workspace) -> None:
    commit_inside(parent)
    parent.commit("move")


def move_and_edit(parent: Workspace) -> None:
    Workspace(parent.root / "my lib").commit("inside", **{"other.py": "y = 1\n"})
    parent.commit("move")
    edit(parent)


CHANGES = {change.__name__: change for change in (edit, add_file, commit_inside, move, move_and_edit)}


@pytest.mark.parametrize("change", few(CHANGES, "add_file", "commit_inside", "move_and_edit"))
def test_the_command_that_is_told_reviews_what_changed_inside(parent: Workspace, change) -> None:
    change(parent)
    result = parent.review()
    (listed,) = result["coverage"]["excluded"]
    folder, command = REVIEWS.search(listed["why"]).groups()
    assert (listed["path"], shlex.split(folder)) == ("my lib", ["my lib"])
    inside = parent.selfreview(*shlex.split(command), "--format", "json", cwd=parent.root / "my lib")
    assert inside.code == ExitCode.ISSUES
    assert "python-eval" in {issue["rule"] for issue in inside.json["issues"]}


def test_a_range_that_moves_it_is_reviewed_by_a_range(parent: Workspace) -> None:
    move(parent)
    (listed,) = parent.review("--range", "main..work")["coverage"]["excluded"]
    folder, command = REVIEWS.search(listed["why"]).groups()
    assert "--range" in command
    inside = parent.selfreview(*shlex.split(command), cwd=parent.root / shlex.split(folder)[0])
    assert inside.code == ExitCode.ISSUES


@pytest.mark.parametrize("change", [edit, add_file])
def test_where_nothing_else_changed_the_first_line_says_so(parent: Workspace, change) -> None:
    change(parent)
    ran = parent.selfreview("run")
    assert ran.code == ExitCode.PASSED
    first = ran.out.split("\n")[0]
    assert "not reviewed: changes inside a submodule" in first
    assert "cd 'my lib' && selfreview run --base" in first
    assert "changes inside a submodule" in parent.selfreview("run", "--collect-only").out
    for quiet in (("run", "--staged"), ("run", "--commit", "HEAD"), ("hook", "run", "pre-commit")):
        ran = parent.selfreview(*quiet)
        assert (ran.code, "inside" in ran.out + ran.err) == (ExitCode.PASSED, False), quiet


def test_a_model_is_told_of_a_submodule_that_moves(parent: Workspace) -> None:
    before = parent.git("rev-parse", "main:my lib")
    move(parent)
    after = parent.git("rev-parse", "work:my lib")
    parent.write("app.py", "x = 1\n")
    with MessagesServer(default=CLEAN) as server:
        parent.review("--reviewer", "claude", ANTHROPIC_BASE_URL=server.base_url, ANTHROPIC_API_KEY="sk-test-key")
    told = f"## Submodule: my lib (from commit {before[:12]} to {after[:12]};"
    assert server.requests
    assert all(told in str(request.body) for request in server.requests)
