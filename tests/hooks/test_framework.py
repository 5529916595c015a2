"""Under the real pre-commit, with hooks that have the fields of our manifest."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from selfreview.resources import folder
from tests.conftest import Ran, Workspace
from tests.hooks.hooked import BAD, REVIEW

MANIFEST = Path(__file__).parents[2] / ".pre-commit-hooks.yaml"
DOCUMENTED = folder("hooks") / "README.md"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="entry points found through PATH")


def manifest() -> list[dict[str, Any]]:
    hooks: list[dict[str, Any]] = yaml.safe_load(MANIFEST.read_text())
    return hooks


def documented() -> list[dict[str, Any]]:
    """The hooks of the configuration that our documentation tells people to copy."""
    lines = DOCUMENTED.read_text().splitlines()
    start = lines.index("    repos:")
    block = []
    for line in lines[start:]:
        if line and not line.startswith("    "):
            break
        block.append(line.removeprefix("    "))
    hooks: list[dict[str, Any]] = yaml.safe_load("\n".join(block))["repos"][0]["hooks"]
    return hooks


class Framework:
    """A repository with pre-commit, which finds selfreview beside the interpreter of these tests."""

    def __init__(self, space: Workspace, home: Path) -> None:
        self.space = space
        self.env = {
            **os.environ,
            **REVIEW,
            "PRE_COMMIT_HOME": str(home),
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        }
        local = [hook | {"language": "system"} for hook in manifest()]
        config = {"repos": [{"repo": "local", "hooks": local}]}
        space.commit(**{".pre-commit-config.yaml": yaml.safe_dump(config)})
        space.git("branch", "--force", "main")

    def run(self, *argv: str) -> Ran:
        done = subprocess.run(argv, cwd=self.space.root, env=self.env, capture_output=True, check=False, timeout=600)
        return Ran.of(done)

    def pre_commit(self, *args: str) -> Ran:
        return self.run(sys.executable, "-m", "pre_commit", *args)

    def install(self, stage: str) -> None:
        assert self.pre_commit("install", "--hook-type", stage).code == 0

    def commit(self, name: str, content: str) -> None:
        """Commit without hooks."""
        self.space.write(name, content)
        self.space.git("add", "--all")
        self.space.git("commit", "--quiet", "--no-verify", "--message", name)


@pytest.fixture
def framework(workspace: Workspace, tmp_path: Path) -> Framework:
    return Framework(workspace, tmp_path / "pre-commit")


@pytest.fixture
def remote(framework: Framework, tmp_path: Path) -> Path:
    path = tmp_path / "remote.git"
    framework.space.git("init", "-q", "--bare", str(path))
    framework.space.git("remote", "add", "origin", str(path))
    return path


def test_the_manifest_is_valid(framework: Framework) -> None:
    assert framework.pre_commit("validate-manifest", str(MANIFEST)).code == 0


def test_each_hook_has_its_stage_and_needs_no_file_names() -> None:
    assert [(hook["id"], hook["stages"]) for hook in manifest()] == [
        ("selfreview", ["pre-commit"]),
        ("selfreview-push", ["pre-push"]),
    ]
    for hook in manifest():
        assert hook["pass_filenames"] is False
        assert hook["require_serial"] is True
        assert hook["always_run"] is True
        assert hook["verbose"] is True
        assert hook["language"] == "python"
        assert "types" not in hook


def test_what_is_documented_is_the_manifest() -> None:
    kept = ("id", "name", "entry", "stages", "pass_filenames", "require_serial", "always_run", "verbose")
    expected = [{key: hook[key] for key in kept} | {"language": "system"} for hook in manifest()]
    assert documented() == expected
    written = yaml.safe_load((folder("templates") / "ci" / "pre-commit-local.yaml").read_text())
    assert written["repos"][0]["hooks"] == expected, "what selfreview init writes"


def test_commits(framework: Framework) -> None:
    framework.install("pre-commit")
    space = framework.space
    space.write("bad.txt", BAD)
    space.git("add", "--all")
    ran = framework.run("git", "commit", "-m", "bad")
    assert ran.code == 1
    assert "bad.txt:1" in ran.out + ran.err
    space.write("bad.txt", "fine\n")
    space.git("add", "--all")
    space.write("bad.txt", BAD)
    assert framework.run("git", "commit", "-m", "the clean part").code == 0
    assert (space.root / "bad.txt").read_text() == BAD
    assert framework.run("git", "commit", "--allow-empty", "-m", "empty").code == 0


@pytest.mark.long
@pytest.mark.usefixtures("remote")
def test_pushes(framework: Framework) -> None:
    space = framework.space
    framework.commit("old.txt", BAD)
    framework.install("pre-push")
    ran = framework.run("git", "push", "origin", "work")
    assert ran.code != 0, "the first push of all names no range to the hook"
    assert "old.txt:1" in ran.out + ran.err
    space.git("push", "-q", "--no-verify", "origin", "main", "work")
    framework.commit("new.txt", "fine\n")
    assert framework.run("git", "push", "origin", "work").code == 0
    space.git("switch", "-q", "-c", "topic", "main")
    framework.commit("bad.txt", BAD)
    framework.commit("good.txt", "fine\n")
    ran = framework.run("git", "push", "origin", "topic")
    assert ran.code != 0
    assert "bad.txt:1" in ran.out + ran.err
    assert framework.run("git", "push", "origin", ":work").code == 0


@pytest.mark.parametrize("stage", ["pre-commit", pytest.param("pre-push", marks=pytest.mark.long)])
def test_a_range_in_ci(framework: Framework, stage: str) -> None:
    framework.commit("bad.txt", BAD)
    framework.commit("good.txt", "fine\n")
    wanted = ("run", "--hook-stage", stage, "--to-ref", "HEAD", "--from-ref")
    assert framework.pre_commit(*wanted, "HEAD~1").code == 0
    ran = framework.pre_commit(*wanted, "main")
    assert ran.code == 1
    assert "bad.txt:1" in ran.out


@pytest.mark.usefixtures("remote")
def test_all_files(framework: Framework) -> None:
    framework.commit("bad.txt", BAD)
    ran = framework.pre_commit("run", "--all-files")
    assert ran.code == 0
    assert "nothing is staged, so nothing was reviewed" in ran.out
    framework.space.git("push", "-q", "--no-verify", "origin", "main")
    ran = framework.pre_commit("run", "--all-files", "--hook-stage", "pre-push")
    assert ran.code == 1
    assert "bad.txt:1" in ran.out
