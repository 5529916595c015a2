"""What the version before left on disk goes on working: store, session, kept patch, baseline, trust, consent, hooks.

The files of :data:`LEFT` were written by the program as it was at commit e4346d5. They are never made anew: a change
that breaks a test here breaks it for everybody who upgrades.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from selfreview.apply.patches import PatchStore
from selfreview.errors import ExitCode
from selfreview.trust.store import ConsentStore
from tests.conftest import Workspace

LEFT = Path(__file__).with_name("data") / "upgrade"
WHERE = "/srv/repository"
"""Where the repository lay that the files speak of."""
SETTINGS = '[checks]\nunits = ["git", "--version"]\n'
OLD = """\
def old(values=[]):
    assert (values, "no values")
    return values
"""
GIVEN = """\
def check(x):
    if not x in (1, 2, 3):
        ValueError("no")
    if x == "a" or "b":
        return eval(x)
    return 0
"""
MENDED = GIVEN.replace("not x in", "x not in").replace("ValueError", "raise ValueError")


@pytest.fixture
def left(workspace: Workspace) -> Workspace:
    """A repository as the version before left it: reviewed, refined (and applied), one issue accepted."""
    space, root = workspace, str(workspace.root)
    space.git("switch", "--quiet", "main")
    space.commit("Begin", **{"old.py": OLD, "selfreview.toml": SETTINGS})
    shutil.copy(LEFT / "selfreview-baseline.toml", space.root)
    space.commit("Keep a baseline")
    space.git("switch", "--quiet", "--create", "feature")
    space.write("app.py", MENDED)

    state = space.root / ".git" / "selfreview"
    shutil.copytree(LEFT / "state", state)
    texts = [path for path in state.rglob("*.json") if WHERE in path.read_text(encoding="utf-8")]
    for path in texts:
        path.write_text(path.read_text(encoding="utf-8").replace(WHERE, root), encoding="utf-8")
    script = (LEFT / "store.sql").read_text(encoding="utf-8").replace(WHERE, root)
    script = script.replace(WHERE.encode().hex().upper(), root.encode().hex().upper())
    with closing(sqlite3.connect(state / "store.db")) as database:
        database.executescript(script)

    for kind, asked in (("trust", "digest"), ("consent", "receiver")):
        folder = Path(os.environ["SELFREVIEW_DATA_DIR"]) / kind
        folder.mkdir(parents=True, mode=0o700)
        record = json.loads((LEFT / f"{kind}.json").read_text(encoding="utf-8").replace(WHERE, root))
        key = b"".join(
            b"%s%d:%s" % (tag, len(value), value)
            for tag, value in ((b"b", os.fsencode(record["repository"])), (b"s", record[asked].encode()))
        )
        name = hashlib.sha256(b"a%d:%s" % (len(key), key)).hexdigest()
        (folder / f"{name}.json").write_text(json.dumps(record), encoding="utf-8")
    return space


def hook(space: Workspace, name: str) -> Path:
    """Put a hook where the version before installed it, for a program that is not there any more."""
    path = space.write(f".git/hooks/{name}", (LEFT / name).read_bytes())
    path.chmod(0o755)
    return path


def test_what_was_accepted_stays_accepted_under_the_name_it_had(left: Workspace) -> None:
    result = left.review("--no-fix")
    assert {issue["rule"]: (issue["id"], issue["status"]) for issue in result["issues"]} == {
        "python-eval": ("sr-4b922026", "accepted"),
        "SIM222": ("sr-5a326698", "open"),
        "python-or-literal": ("sr-a7686edc", "duplicate"),
    }


def test_what_it_told_can_be_looked_up(left: Workspace) -> None:
    assert "the input is checked" in left.selfreview("show", "sr-4b922026").out
    told = json.loads(left.selfreview("history", "--format", "json").out)
    assert len(told["runs"]) == 2
    assert left.selfreview("status").out.startswith("On branch feature: needs_work, 1 medium in 1 file, 1 accepted")


def test_its_patch_can_be_taken_back_and_put_in_again(left: Workspace) -> None:
    assert left.selfreview("undo").code == ExitCode.PASSED
    assert (left.root / "app.py").read_text() == GIVEN
    assert left.selfreview("apply").code == ExitCode.PASSED
    assert (left.root / "app.py").read_text() == MENDED


def test_its_patch_waits_for_no_word_on_tests(left: Workspace) -> None:
    folder = left.root / ".git" / "selfreview" / "patches"
    store = PatchStore(folder)
    assert store.names()
    assert [store.get(name).manifest.held for name in store.names()] == [()] * len(store.names())


def test_what_a_baseline_knows_does_not_count(left: Workspace) -> None:
    left.git("rm", "--quiet", "--cached", "old.py")
    left.write("old.py", OLD + "\n\ndef older():\n    return 1\n")
    left.git("add", "old.py")
    result = left.review("--no-fix", "--base", left.git("rev-list", "--max-parents=0", "HEAD"))
    of_old = {issue["rule"]: issue["status"] for issue in result["issues"] if issue["file"] == "old.py"}
    assert of_old == {"python-assert-tuple": "baselined", "B006": "baselined", "F631": "duplicate"}


def test_what_was_trusted_runs_and_nothing_else(left: Workspace) -> None:
    assert "check-units" in left.selfreview("run", "--no-fix", "--fail-on", "high").out
    left.write("selfreview.toml", SETTINGS.replace("--version", "version"))
    assert "not trusted" in left.selfreview("run", "--no-fix", "--fail-on", "high").err


def test_what_may_be_sent_is_remembered(left: Workspace) -> None:
    consents = ConsentStore.of_user(os.environ)
    assert consents.answer(left.root / ".git", "https://models.example") is True
    assert consents.answer(left.root / ".git", "https://elsewhere.example") is None


def test_its_hooks_review_and_are_known_as_ours(left: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    path = hook(left, "pre-commit")
    hook(left, "pre-push")
    left.git("add", "--all")
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    with pytest.raises(subprocess.CalledProcessError) as stopped:
        left.git("commit", "--message", "x")
    assert b"selfreview stopped the commit" in stopped.value.stderr
    left.write("app.py", "def check(x):\n    return x\n")
    left.git("add", "--all")
    left.git("commit", "--message", "x")
    assert left.selfreview("hook", "install").code == ExitCode.PASSED
    assert sys.executable in path.read_text()
    assert left.selfreview("hook", "uninstall").code == ExitCode.PASSED
    assert not path.exists()
