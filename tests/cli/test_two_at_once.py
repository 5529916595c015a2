"""Others at work during a run: another run, git, the person. Nothing is lost, nothing wrong applied, and it is said."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Ran, Workspace
from tests.nursery import start_program

BAD = "import requests\n\n\ndef get(url):\n    return requests.get(url, verify=False)\n"
GOOD = BAD.replace(", verify=False", "")
RULES = BAD.replace("verify=False", "verify=True")
"""What the embedded fixer makes of it."""
MINE = BAD + "\n\nEDITED = True\n"

FIXER = """
import os, pathlib, time
from selfreview.api import Fix, FixAnswer, FixOutcome, hookimpl

class Waits:
    name = "waits"
    is_mechanical = "AGENT" not in os.environ  # then nobody asks who moved a reference meanwhile
    def takes(self, issue, config):
        return True
    def fix(self, request, context):
        pathlib.Path(os.environ["STARTED"]).touch()
        while not os.path.exists(os.environ["GO"]) and context.remaining() > 0:
            time.sleep(0.01)
        for name in {issue.file for issue in request.issues}:
            path = context.root / name
            path.write_text(path.read_text().replace(", verify=False", ""))
        return Fix(answers=[FixAnswer(issue=i.id, outcome=FixOutcome.ADDRESSED, why="mended") for i in request.issues])

@hookimpl
def selfreview_register_fixers(registry, config):
    registry.add(Waits())
"""


class Waiting:
    """A run whose fixer waits until it is told to go on."""

    def __init__(self, root: Path, folder: Path, *args: str) -> None:
        self._go, started = folder / "go", folder / "started"
        own = {"PYTHONPATH": str(folder.parent), "STARTED": str(started), "GO": str(self._go)}
        command = ["run", "--format", "json", "-p", "waiting", "--fixer", "waits", *args]
        pipe = subprocess.PIPE
        self._child = start_program(command, cwd=root, env=os.environ | own, stdout=pipe, stderr=pipe)
        while not started.exists() and self._child.poll() is None:
            time.sleep(0.01)
        assert self._child.poll() is None, self._child.communicate()

    def refine(self) -> tuple[Any, str]:
        """Let it go on; return its result, and what it said."""
        self._go.touch()
        out, err = self._child.communicate(timeout=120)
        return json.loads(out), err.decode()

    def end(self) -> None:
        self._child.kill()
        self._child.communicate()


class Lab:
    """A branch with something to mend."""

    def __init__(self, space: Workspace, folder: Path) -> None:
        self.space, self._folder = space, folder
        (folder / "waiting.py").write_text(FIXER)
        self._runs: list[Waiting] = []

    def begin(self, *args: str, root: Path | None = None) -> Waiting:
        place = self._folder / f"run{len(self._runs)}"
        place.mkdir()
        self._runs.append(Waiting(root or self.space.root, place, *(args or ("--apply",))))
        return self._runs[-1]

    def end(self) -> None:
        for run in self._runs:
            run.end()

    @property
    def app(self) -> str:
        return (self.space.root / "app.py").read_text()

    def state(self, root: Path | None = None) -> Ran:
        return self.space.selfreview("status", "--format", "json", cwd=root)


@pytest.fixture
def lab(workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    settings = tmp_path / "settings"
    settings.mkdir()
    (settings / "config.toml").write_text('reviewers = ["rules"]\n')
    monkeypatch.setenv("SELFREVIEW_CONFIG_DIR", str(settings))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    workspace.git("branch", "--move", "--force", "main")
    workspace.git("checkout", "--quiet", "-b", "topic")
    workspace.commit("call", **{"app.py": BAD})
    made = Lab(workspace, tmp_path)
    yield made
    made.end()


def not_applied(result: Any, said: str) -> None:
    assert not result["patch"]["applied"]
    assert "is not what it was when it was reviewed" in result["patch"]["reason"]
    assert "the patch is not applied: app.py is not what it was" in said
    assert "git apply --reject" in said
    assert not result["passed"]


def test_an_edit_of_the_person_stays(lab: Lab) -> None:
    run = lab.begin()
    lab.space.write("app.py", MINE)
    not_applied(*run.refine())
    assert lab.app == MINE


def test_an_edit_elsewhere_does_no_harm(lab: Lab) -> None:
    run = lab.begin()
    lab.space.write("other.py", "x = 1\n")
    result, _ = run.refine()
    assert result["patch"]["applied"]
    assert (lab.app, (lab.space.root / "other.py").read_text()) == (GOOD, "x = 1\n")


def test_a_commit_of_what_is_under_review(lab: Lab) -> None:
    lab.space.write("app.py", "# more\n" + BAD)
    run = lab.begin("--apply", "--stage")
    lab.space.git("commit", "--quiet", "--all", "--message", "more")
    head = lab.space.git("rev-parse", "HEAD")
    result, _ = run.refine()
    assert result["patch"]["applied"]
    assert lab.app == "# more\n" + GOOD
    assert lab.space.git("rev-parse", "HEAD") == head
    assert lab.space.git("status", "--porcelain") == "M  app.py"


def test_a_commit_while_an_agent_works(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody can tell who moved the branch, so nothing of the agent's is kept."""
    monkeypatch.setenv("AGENT", "1")
    run = lab.begin()
    lab.space.commit("mine", **{"mine.txt": "mine\n"})
    head = lab.space.git("rev-parse", "HEAD")
    result, _ = run.refine()
    assert result["patch"] is None
    assert (
        "a branch or a tag of your repository moved while it ran"
        in result["iterations"][0]["refinement"]["fixers"][0]["error"]
    )
    assert (lab.app, lab.space.git("rev-parse", "HEAD")) == (BAD, head)
    assert lab.space.git("status", "--porcelain") == ""


def test_a_switch_to_another_branch(lab: Lab) -> None:
    run = lab.begin()
    lab.space.git("checkout", "--quiet", "main")
    not_applied(*run.refine())
    assert not (lab.space.root / "app.py").exists()
    assert lab.space.git("status", "--porcelain") == ""
    lab.space.git("checkout", "--quiet", "topic")
    assert lab.space.selfreview("apply").code == 0  # it has waited for its branch
    assert lab.app == GOOD


def test_a_rebase(lab: Lab) -> None:
    lab.space.git("checkout", "--quiet", "main")
    lab.space.commit("theirs", **{"theirs.py": "y = 1\n"})
    lab.space.git("checkout", "--quiet", "topic")
    run = lab.begin()
    lab.space.git("rebase", "--quiet", "main")
    lab.space.commit("after", **{"app.py": MINE})
    head = lab.space.git("rev-parse", "HEAD")
    not_applied(*run.refine())
    assert lab.space.git("rev-parse", "HEAD") == head
    assert lab.space.git("status", "--porcelain") == ""


def test_a_rebase_that_has_stopped_on_a_conflict(lab: Lab) -> None:
    lab.space.git("checkout", "--quiet", "main")
    lab.space.commit("theirs", **{"app.py": "z = 1\n"})
    lab.space.git("checkout", "--quiet", "topic")
    run = lab.begin()
    with pytest.raises(subprocess.CalledProcessError):
        lab.space.git("rebase", "--quiet", "main")
    conflict = lab.app
    not_applied(*run.refine())
    assert lab.app == conflict
    ran = lab.space.selfreview("run", "--apply")
    assert ran.code == 4
    assert "error: unresolved merge conflicts: app.py" in ran.err
    assert lab.app == conflict


def test_git_packs_and_prunes_meanwhile(lab: Lab) -> None:
    """The workspace borrows the person's objects."""
    lab.space.write("app.py", "# more\n" + BAD)
    lab.space.git("add", "app.py")
    run = lab.begin("--apply", "--stage")
    lab.space.git("gc", "--quiet", "--prune=now")
    result, _ = run.refine()
    assert result["patch"]["applied"]
    assert lab.app == "# more\n" + GOOD
    lab.space.git("fsck", "--no-dangling")


def test_a_second_run_and_what_waits_for_the_first(lab: Lab) -> None:
    run = lab.begin()
    for command in (["apply"], ["undo"], ["resume"], ["reset"]):
        ran = lab.space.selfreview(*command)
        assert ran.code == 4
        assert "a run is in progress in this working tree" in ran.err
    second = lab.space.selfreview("run", "--apply", "--format", "json")
    assert second.json["patch"] is None
    assert any("another run is in progress in this working tree" in note for note in second.json["notes"])
    assert lab.app == BAD
    assert run.refine()[0]["patch"]["applied"]
    assert lab.app == GOOD
    assert lab.space.selfreview("undo").code == 0
    assert lab.app == BAD


def test_two_worktrees(lab: Lab, tmp_path: Path) -> None:
    other = Workspace(tmp_path / "other")
    lab.space.git("worktree", "add", "--quiet", "-b", "second", str(other.root))
    other.write("more.py", BAD)
    first, second = lab.begin(), lab.begin(root=other.root)
    assert second.refine()[0]["patch"]["applied"]
    assert lab.app == BAD
    assert first.refine()[0]["patch"]["applied"]
    assert (lab.app, (other.root / "app.py").read_text(), (other.root / "more.py").read_text()) == (GOOD,) * 3
    assert not (lab.space.root / "more.py").exists()
    assert lab.space.selfreview("undo").code == 0
    assert (lab.app, (other.root / "app.py").read_text()) == (BAD, GOOD)
    assert other.selfreview("undo").code == 0
    assert (other.root / "more.py").read_text() == BAD


def test_two_applies(lab: Lab) -> None:
    """One of them does it, and the other one says why not."""
    patch = lab.space.review("--fixer", "rules")["patch"]["id"]
    given: dict[str, Any] = {"cwd": lab.space.root, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    runs = [start_program(["apply", patch], env=os.environ, **given) for _ in range(2)]
    said = [run.communicate()[1].decode() for run in runs]
    assert sorted(run.returncode for run in runs) == [0, 4], said
    refused = next(text for text, run in zip(said, runs, strict=True) if run.returncode)
    assert "a run is in progress" in refused or "is not what it was" in refused
    assert lab.app == RULES
