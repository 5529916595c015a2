"""What belongs to somebody else, as after ``sudo selfreview run``: told in one line, and no review is lost to it.

As root, the program runs without the powers that let root read everything.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.conftest import Ran, Workspace
from tests.rows import few

ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
POWERLESS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner", "--inh-caps=-all"] if ROOT else []
STRANGER = 54321
ONE_BY_ONE = """
import json, os, pathlib, sys
from selfreview.testing.workspace import run_here
ended = [run_here(argv, cwd=pathlib.Path.cwd(), env=dict(os.environ)) for argv in json.loads(sys.argv[1])]
print(json.dumps([(ran.code, ran.stdout, ran.stderr) for ran in ended]))
"""

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="files belong to users"),
    pytest.mark.skipif(ROOT and shutil.which("setpriv") is None, reason="setpriv is not installed"),
]


class Home:
    """A repository with a review, whose store becomes somebody else's."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        workspace.write("app.py", "def f(a, b=[]):\n    return a is 'x'\n")
        assert workspace.selfreview("run", "--no-fix").code == 1
        self.folder = workspace.root / ".git" / "selfreview"

    def run(self, *args: str, **env: str) -> Ran:
        argv = [*POWERLESS, sys.executable, "-m", "selfreview", *args]
        where = {"cwd": self.workspace.root, "env": {**os.environ, **env}}
        return Ran.of(subprocess.run(argv, **where, stdin=subprocess.DEVNULL, capture_output=True, check=False))

    def run_all(self, commands: Sequence[Sequence[str]], **env: str) -> list[Ran]:
        """Run command lines one after another in one process, which is most of what each would take."""
        argv = [*POWERLESS, sys.executable, "-c", ONE_BY_ONE, json.dumps(commands)]
        where = {"cwd": self.workspace.root, "env": {**os.environ, **env}}
        done = subprocess.run(argv, **where, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
        return [Ran(code, out.encode(), err.encode()) for code, out, err in json.loads(done.stdout)]

    def take(self, *names: str, mode: int = 0) -> None:
        """Have somebody else own something: what is of no use without being root is taken from oneself."""
        for path in [self.folder / name for name in names]:
            if ROOT:
                path.chmod(0o700 if path.is_dir() else 0o600)
                os.chown(path, STRANGER, STRANGER)
                if mode:
                    path.chmod(mode)
            else:
                path.chmod(mode)

    @property
    def hint(self) -> str:
        return f"run selfreview as {STRANGER}, without sudo" if ROOT else "check that you may read and write there"

    def restore(self, path: Path | None = None) -> None:
        path = path or self.folder
        path.chmod(0o700)
        if ROOT:
            os.chown(path, os.geteuid(), os.getegid())
        for child in path.iterdir() if path.is_dir() else ():
            self.restore(child)


@pytest.fixture
def home(workspace: Workspace) -> Iterator[Home]:
    made = Home(workspace)
    yield made
    made.restore()


TAKEN = {"the folder": ".", "the file": "store.db"}
COMMANDS = [
    ["status"],
    ["history"],
    ["show"],
    ["show", "sr-12345678"],
    ["show", "--iteration", "1"],
    ["report"],
    ["notify", "status"],
    ["accept", "sr-12345678", "--reason", "fine"],
    ["reset", "--reason", "anew"],
]


@pytest.mark.parametrize("taken", TAKEN.values(), ids=TAKEN)
def test_what_needs_the_store_says_whose_it_is(home: Home, taken: str) -> None:
    home.take(taken)
    for command, ran in zip(COMMANDS, home.run_all(COMMANDS), strict=True):
        assert ran.code == 4, command
        error, hint = [line for line in ran.err.splitlines() if not line.startswith("note:")]
        assert error.startswith("error: "), command
        assert str(home.folder) in error, command
        assert home.hint in hint, command


@pytest.mark.parametrize("taken", TAKEN.values(), ids=TAKEN)
def test_a_review_takes_place_all_the_same(home: Home, taken: str) -> None:
    home.workspace.git("add", "app.py")
    home.take(taken)
    for ran in home.run_all([["run"], ["run", "--no-fix"], ["run", "--staged"]]):
        assert ran.code == 1
        assert "F632" in ran.out
        assert "the review is not remembered" in ran.err
        assert home.hint in ran.err


def test_a_gate_and_a_hook_take_place_all_the_same(home: Home) -> None:
    home.workspace.git("add", "app.py")
    home.take(".")
    assert home.run("hook", "run", "pre-commit").code == 1
    home.workspace.git("commit", "-qm", "two")
    assert home.run("gate", "--base", "main").code == 1


def test_a_store_that_may_only_be_read_is_read(home: Home) -> None:
    home.take("store.db", mode=0o444)
    home.folder.chmod(0o755)
    assert "Use `==`" in home.run("status").out
    ran = home.run("run", "--no-fix")
    assert ran.code == 1
    assert home.hint in ran.err


def test_what_cannot_be_locked_is_named(home: Home) -> None:
    home.take("loop.lock")
    ran = home.run("undo")
    assert ran.code == 4
    assert f"{home.folder}/loop.lock" in ran.err
    assert home.hint in ran.err


def test_without_a_place_for_workspaces_nothing_is_refined_and_the_review_stands(home: Home) -> None:
    (home.folder / "workspaces").mkdir(exist_ok=True)
    home.take("workspaces")
    ran = home.run("run")
    assert ran.code == 1
    assert "F632" in ran.out
    assert "not refined: there is no place for a workspace" in ran.out


def test_where_patches_cannot_be_kept_the_review_stands(home: Home) -> None:
    (home.folder / "patches").mkdir(exist_ok=True)
    home.take("patches")
    ran = home.run("run", "--fixer", "ruff")
    assert ran.code == 1
    assert "F632" in ran.out


def test_doctor_goes_on(home: Home) -> None:
    home.take(".")
    ran = home.run("doctor")
    assert ran.code == 0
    assert "reviews work, but nothing is remembered" in ran.out
    assert home.hint in " ".join(ran.out.split())


@pytest.mark.parametrize("part", [".", "config.toml"], ids=["the folder", "the file"])
def test_settings_that_cannot_be_read_are_named(home: Home, part: str, tmp_path: Path) -> None:
    folder = tmp_path / "settings" / "selfreview"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text("jobs = 1\n")
    home.folder, kept = folder, home.folder
    home.take(part)
    *refused, status = home.run_all([["run"], ["config"], ["status"]], SELFREVIEW_CONFIG_DIR=str(folder))
    home.restore()
    home.folder = kept
    assert status.code == 0  # it reads no settings
    for ran in refused:
        assert ran.code == 4
        assert f"error: cannot read {folder}/config.toml: Permission denied" in ran.err
        assert f"hint: {'it belongs to 54321: ' if ROOT else ''}{home.hint}" in ran.err


@pytest.mark.parametrize("part", few([".", "selfreview", "selfreview/workspaces"], "selfreview"))
def test_a_cache_that_is_somebody_elses_leaves_no_record_of_a_workspace(home: Home, part: str, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    (cache / part).mkdir(parents=True)
    home.folder, kept = cache, home.folder
    home.take(part)
    ran = home.run("run", "--fixer", "ruff", XDG_CACHE_HOME=str(cache))
    home.restore()
    home.folder = kept
    assert ran.code == 1
    assert "not refined: there is no place for a workspace" in ran.out
    assert list((kept / "workspaces").iterdir()) == []


def test_a_report_that_may_not_be_replaced_is_no_defect(home: Home) -> None:
    target = home.workspace.root / "out"
    target.mkdir(mode=0o500)
    ran = home.run("run", "--no-fix", "--format", "json:out/report.json")
    target.chmod(0o700)
    assert ran.code == 4
    assert f"error: {target}/report.json cannot be written: Permission denied" in ran.err
