"""A repository under pre-commit, which built the environment of its hooks from a clone of this project."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import distribution
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from packaging.requirements import Requirement

from selfreview.testing.isolation import isolate
from tests.conftest import Ran, Workspace
from tests.hooks.hooked import REVIEW
from tests.refine.lab import tree_of

PROJECT = Path(__file__).parents[2]
HOOKS = ("selfreview", "selfreview-push")
PROGRAM = (sys.executable, "-m", "pre_commit")


class Installed(NamedTuple):
    """What all tests of a session share.

    Attributes:
        source: A repository with one commit: this project as it is on this disk.
        home: Where pre-commit keeps its clones and environments.
        template: A repository with a configuration and both of pre-commit's hooks.
        packages: Links to what is needed to build and to run.
    """

    source: Path
    home: Path
    template: Path
    packages: Path


def install(folder: Path) -> None:
    """Make what :class:`Installed` describes; nothing if it is there.

    All that a person's pre-commit does is done, but that the packages which selfreview needs are those of the
    environment that these tests run in: to install them takes longer than all tests here. What it does not say that it
    needs is not there.
    """
    made = installed(folder)
    if made.template.exists():
        return
    commit_project(made.source)
    space = Workspace(folder / "being-made")
    space.start()
    hooks = [{"id": name, "args": ["--format", "json"]} for name in HOOKS]
    config = {"repos": [{"repo": str(made.source), "rev": head_of(made.source), "hooks": hooks}]}
    space.git("switch", "-q", "main")
    space.commit(**{".pre-commit-config.yaml": json.dumps(config)})
    space.git("branch", "--force", "work")
    space.git("switch", "-q", "work")
    env = os.environ | {"PRE_COMMIT_HOME": str(made.home)} | offline(made.packages)
    types = ("--hook-type", "pre-commit", "--hook-type", "pre-push")
    done = subprocess.run(
        [*PROGRAM, "install", "--install-hooks", *types], cwd=space.root, env=env, capture_output=True, check=False
    )
    assert done.returncode == 0, Ran.of(done)
    (site,) = made.home.glob("repo*/py_env-*/lib/python*/site-packages")
    (site / "packages.pth").write_text(f"{made.packages / 'needed'}\n")
    space.root.rename(made.template)  # last: now all is there


def offline(packages: Path) -> dict[str, str]:
    """Return variables with which pip installs this project without a registry, from links that are made now."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = {"needed": project["project"]["dependencies"], "building": project["build-system"]["requires"]}
    for name, requirements in wanted.items():
        if not (packages / name).exists():
            (packages / name).mkdir(parents=True)
            _link(requirements, packages / name)
    return {
        "PYTHONPATH": os.pathsep.join(str(packages / name) for name in wanted),
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # a flag that pip reads the other way round: 0 says not to isolate
        "PIP_NO_COMPILE": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }


def _link(requirements: Iterable[str], target: Path) -> None:
    """Link distributions of this environment, and what they need in turn."""
    todo, seen = [Requirement(text) for text in requirements], set()
    while todo:
        wanted = todo.pop()
        key = (wanted.name, frozenset(wanted.extras))
        if key in seen or not (wanted.marker is None or wanted.marker.evaluate()):
            continue
        seen.add(key)
        found = distribution(wanted.name)
        for top in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
            if not (target / top).exists():
                (target / top).symlink_to(str(found.locate_file(top)))
        for needed in map(Requirement, found.requires or ()):
            extras = [{"extra": extra} for extra in ("", *wanted.extras)]
            if needed.marker is None or any(needed.marker.evaluate(extra) for extra in extras):
                needed.marker = None
                todo.append(needed)


def installed(folder: Path) -> Installed:
    return Installed(folder / "selfreview", folder / "home", folder / "template", folder / "packages")


def commit_project(target: Path) -> None:
    """Make a repository of what this project's folder holds, committed or not."""
    subprocess.run(["git", "init", "-q", str(target)], check=True)
    for command in (("add", "--all"), ("commit", "-q", "-m", "as it is")):
        subprocess.run(["git", f"--git-dir={target / '.git'}", f"--work-tree={PROJECT}", *command], check=True)
    subprocess.run(["git", "reset", "-q", "--hard"], cwd=target, check=True)


def head_of(root: Path) -> str:
    return Workspace(root).git("rev-parse", "HEAD")


@contextlib.contextmanager
def isolated(home: Path) -> Iterator[None]:
    """Isolate what is made for several tests from the machine."""
    home.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        isolate(patch, home)
        yield


class Reviewed(NamedTuple):
    """What git or pre-commit did, and what was reviewed meanwhile."""

    code: int
    said: str
    reviews: list[dict[str, Any]]

    @property
    def files(self) -> list[set[str]]:
        """The reviewed files, per review: all of them are read by the reviewer of texts, and by no other."""
        assert {review["status"] for review in self.reviews} <= {"complete", "nothing_to_review"}, self.said
        assert all(review["coverage"]["files"] == len(review["coverage"]["textOnly"]) for review in self.reviews)
        return [set(review["coverage"]["textOnly"]) for review in self.reviews]

    @property
    def issues(self) -> list[set[str]]:
        """The files with issues, per review."""
        return [{issue["file"] for issue in review["issues"]} for review in self.reviews]


class Precommitted:
    """A repository under pre-commit."""

    def __init__(self, space: Workspace, home: Path) -> None:
        self.space = space
        self.root = space.root
        self.write = space.write
        self.stage = space.stage
        self._env = {"PRE_COMMIT_HOME": str(home)} | REVIEW

    def git(self, *args: str) -> str:
        """Run git without hooks; it must succeed."""
        return self.space.git("-c", f"core.hooksPath={os.devnull}", *args)

    def commit(self, **files: str) -> str:
        """Commit without hooks; return the id."""
        self.stage(**files)
        self.git("commit", "-q", "--allow-empty", "-m", "change")
        return self.git("rev-parse", "HEAD")

    def hooked(self, *args: str, **env: str) -> Reviewed:
        """Run git with hooks."""
        return self._run(["git", *args], env)

    def pre_commit(self, *args: str, **env: str) -> Reviewed:
        """Run pre-commit; nothing of index and tree may change."""
        before = self.state()
        done = self._run([*PROGRAM, *args], env)
        assert self.state() == before
        return done

    def state(self) -> tuple[str, dict[str, tuple[int, bytes]]]:
        """All of index and tree."""
        return self.git("ls-files", "--stage", "-t", "-v"), tree_of(self.root)

    def stopped(self, *args: str, **env: str) -> Reviewed:
        """Run git, which the review stops; nothing changes."""
        before = (self.state(), self.git("for-each-ref"))
        done = self.hooked(*args, **env)
        assert done.code == 1, done.said
        assert "selfreview stopped the " in done.said
        assert (self.state(), self.git("for-each-ref")) == before
        return done

    def passes(self, *args: str, **env: str) -> Reviewed:
        """Run git, which goes on; the tree does not change."""
        before = tree_of(self.root)
        done = self.hooked(*args, **env)
        assert done.code == 0, done.said
        assert tree_of(self.root) == before
        return done

    def _run(self, command: list[str], env: dict[str, str]) -> Reviewed:
        done = subprocess.run(
            command, cwd=self.root, env=os.environ | self._env | env, capture_output=True, check=False, timeout=600
        )
        said = (done.stdout + done.stderr).decode()
        return Reviewed(done.returncode, said, list(_documents(said)))


def _documents(said: str) -> Iterator[dict[str, Any]]:
    end = 0
    while (start := said.find('{\n  "schemaVersion"', end)) >= 0:
        document, end = json.JSONDecoder().raw_decode(said, start)
        yield document
