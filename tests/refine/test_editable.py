"""Editable installs of every style: a check imports what is under review, or is said not to be able to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from selfreview.api import CheckOutcome
from selfreview.git.scope import ScopeRequest
from selfreview.proc import Runner
from selfreview.refine.check_runner import Checker
from selfreview.refine.checks import Check
from selfreview.testing.context import MemoryConfig
from tests.conftest import Workspace as Person
from tests.refine.lab import workspace_of

pytestmark = [pytest.mark.long, pytest.mark.skipif(sys.platform == "win32", reason="a venv's layout")]

SETUPTOOLS = """
import sys
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_file_location
MAPPING = {mapping!r}
class _EditableFinder:
    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        if fullname in MAPPING:
            return spec_from_file_location(fullname, MAPPING[fullname] + "/__init__.py",
                                           submodule_search_locations=[MAPPING[fullname]])
def install():
    sys.meta_path.{how}_EditableFinder)
"""

FIRST = """
import sys
from importlib.machinery import ModuleSpec
class _Finder:
    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        if fullname == {name!r}:
            spec = ModuleSpec(fullname, None, is_package=True)
            spec.submodule_search_locations = [{folder!r}]
            return spec
sys.meta_path.insert(0, _Finder)
"""


class Project:
    """A project with a package ``pkg`` that is installed in place into the virtual environment in its tree."""

    def __init__(self, person: Person, tmp_path: Path, venv: str = ".venv", home: str = "src") -> None:
        self.person, self.tmp_path, self.home = person, tmp_path, home
        folder = f"{home}/" if home else ""
        # The tree has one more edit than what is under review: it shows which of both was imported.
        person.commit(**{".gitignore": f"{venv}/\n_version.py\n", f"{folder}pkg/__init__.py": "where = 'base'\n"})
        person.write(f"{folder}pkg/__init__.py", "where = 'review'\n")
        person.git("add", "--all")
        person.write(f"{folder}pkg/__init__.py", "where = 'tree'\n")
        self.package = person.root / f"{folder}pkg"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", person.root / venv], check=True)
        self.venv = person.root / venv
        self.site = next(self.venv.glob("lib/python*/site-packages"))

    def add_finder(self, mapping: dict[str, str], how: str = "append(") -> None:
        (self.site / "__editable___pkg_finder.py").write_text(SETUPTOOLS.format(mapping=mapping, how=how))
        line = "import __editable___pkg_finder; __editable___pkg_finder.install()\n"
        (self.site / "__editable__.pkg-1.pth").write_text(line)

    def review(self, code: str) -> dict[str, Any]:
        """Return how a check that runs a file of this code fared, through the command line."""
        self.person.write("check.py", code)
        self.person.write("selfreview.toml", '[checks]\ntest = "python check.py"\n')
        self.person.git("add", "check.py", "selfreview.toml")
        self.person.git("commit", "--quiet", "--message", "check", "--", "check.py", "selfreview.toml")
        assert self.person.selfreview("trust").code == 0
        result = self.person.review("--no-fix", "--staged")
        return next(report for report in result["reviewers"] if report["name"] == "check-test")

    def check(
        self, run: str | tuple[str, ...] | None = None, code: str = "import pkg; print(pkg.where)"
    ) -> CheckOutcome:

        with workspace_of(self.person, self.tmp_path, ScopeRequest(staged=True)) as (_, workspace):
            checker = Checker(workspace, self.person.root, MemoryConfig(), Runner())
            outside = f"import os; os.chdir('/'); {code}"
            check = Check(name="test", run=run or ("python", "-c", outside))
            return checker.run(check, time.monotonic() + 60)


def by_path(project: Project) -> None:
    (project.site / "_pkg.pth").write_text(f"{project.person.root / project.home}\n")


def by_finder(project: Project) -> None:
    project.add_finder({"pkg": str(project.package)})


def by_link(project: Project) -> None:
    (project.site / "pkg").symlink_to(project.package)


def by_pip(project: Project) -> None:
    """Install with pip and the hatchling of this environment; neither needs a network."""
    build = '[build-system]\nrequires = []\nbuild-backend = "hatchling.build"\n'
    build += f'[tool.hatch.build]\ndev-mode-dirs = ["{project.home or "."}"]\n'  # else it asks for one more package
    project.person.write("pyproject.toml", f'{build}[project]\nname = "pkg"\nversion = "1"\n')
    python = project.venv / "bin" / "python"
    command = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--editable", "."]
    command += ["--no-build-isolation", "--no-deps", "--no-index"]
    # pip runs the backend with the interpreter that it installs for: that borrows ours.
    paths = os.pathsep.join(entry for entry in sys.path if entry.endswith("site-packages"))
    env = {**os.environ, "PYTHONPATH": paths, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    done = subprocess.run(command, cwd=project.person.root, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    record = json.loads(next(project.site.glob("pkg*.dist-info/direct_url.json")).read_text())
    assert record["dir_info"]["editable"]


@pytest.mark.parametrize("home", ["src", ""])
@pytest.mark.parametrize("install", [by_path, by_finder, by_link, by_pip])
def test_imports_what_is_under_review(
    workspace: Person, tmp_path: Path, install: Callable[[Project], None], home: str
) -> None:
    project = Project(workspace, tmp_path, home=home)
    install(project)
    python = project.venv / "bin" / "python"
    said = subprocess.run([python, "-c", "import pkg; print(pkg.where)"], cwd="/", capture_output=True, check=True)
    assert said.stdout == b"tree\n"  # as without us
    assert project.check() == CheckOutcome("test", True, "review")


@pytest.mark.parametrize("install", [by_path, by_pip])
@pytest.mark.parametrize("place", ["tests", "src/family/member", "family/member"])
def test_a_folder_without_init_is_that_of_the_workspace(
    workspace: Person, tmp_path: Path, install: Callable[[Project], None], place: str
) -> None:
    """Where a tree is on the path as a whole, every such folder is a namespace package with a portion in both trees."""
    project = Project(workspace, tmp_path, home="src" if place.startswith("src/") else "")
    for text in ("review", "tree"):  # one more edit than what is under review
        workspace.write(f"{place}/helper.py", f"where = {text!r}\n")
        if text == "review":
            workspace.git("add", place)
    (project.site / "family" / "stranger").mkdir(parents=True)  # another distribution's portion
    install(project)
    module = place.removeprefix("src/").replace("/", ".")
    code = f"import pkg, {module}.helper as h; assert [pkg.where, h.where] == ['review'] * 2, [pkg.where, h.where]"
    report = project.review(code)
    assert (report["status"], report["issues"]) == ("ok", 0), report


def test_a_namespace_package_that_is_imported_from_the_tree_is_told_of(workspace: Person, tmp_path: Path) -> None:
    project = Project(workspace, tmp_path)
    workspace.write("src/family/helper.py", "where = 'tree'\n")
    workspace.git("add", "src/family")
    finder = FIRST.format(name="family", folder=str(workspace.root / "src" / "family"))
    (project.site / "_first.py").write_text(finder)
    (project.site / "_first.pth").write_text("import _first\n")
    (project.site / "_pkg.pth").write_text(f"{workspace.root / 'src'}\n")
    report = project.review("import family.helper")
    assert report["status"] == "skipped"
    assert "it cannot run: family (" in report["error"]


def test_a_script_of_another_environment_is_looked_at_by_its_first_line(
    workspace: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = Project(workspace, tmp_path)
    by_path(project)
    other = tmp_path / "other"
    project.venv.rename(other)
    script = other / "bin" / "my-test"
    script.write_text(f"#!{other}/bin/python\nimport pkg; print(pkg.where)\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(other / "bin"), prepend=os.pathsep)
    assert project.check("my-test").output == "review"


def test_the_active_environment_goes_before_the_one_in_the_tree(
    workspace: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = Project(workspace, tmp_path)
    by_path(project)
    active = tmp_path / "active"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", active], check=True)
    monkeypatch.setenv("VIRTUAL_ENV", str(active))
    assert project.check(code="import sys; print(sys.prefix)").output == str(active)


def test_an_environment_that_git_tracks_is_not_the_persons(workspace: Person, tmp_path: Path) -> None:
    project = Project(workspace, tmp_path, venv="venv")
    workspace.git("add", "--force", "venv/pyvenv.cfg")
    workspace.git("commit", "--quiet", "--message", "environment", "--", "venv/pyvenv.cfg")
    assert str(project.venv) not in project.check(code="import sys; print(sys.prefix)").output


def test_what_was_built_in_place_comes_along(workspace: Person, tmp_path: Path) -> None:
    project = Project(workspace, tmp_path)
    by_finder(project)
    (project.package / "_version.py").write_text("version = '1.2'\n")
    assert project.check(code="import pkg._version as v; print(v.version)").output == "1.2"


@pytest.mark.parametrize("mapping", ["first", "named otherwise"])
def test_where_it_cannot_be_mended_the_check_cannot_run(workspace: Person, tmp_path: Path, mapping: str) -> None:
    project = Project(workspace, tmp_path)
    if mapping == "first":
        project.add_finder({"pkg": str(project.package)}, how="insert(0, ")
    else:
        project.add_finder({"other": str(project.package)})
    outcome = project.check()
    assert outcome.passed is None
    assert "would be imported from your tree" in outcome.output
    assert "workspace.setup" in outcome.output


def test_what_runs_no_python_runs_all_the_same(workspace: Person, tmp_path: Path) -> None:
    project = Project(workspace, tmp_path)
    project.add_finder({"other": str(project.package)})
    node = project.venv / "bin" / "node"
    node.write_text("#!/bin/sh\necho fine\n")
    node.chmod(0o755)
    assert project.check("node") == CheckOutcome("test", True, "fine")


def test_an_install_of_another_project_is_left_alone(workspace: Person, tmp_path: Path) -> None:
    project = Project(workspace, tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "library.py").write_text("x = 'library'\n")
    (project.site / "library.pth").write_text(f"{elsewhere}\n")
    code = "import os, library; print(library.x, os.environ.get('PYTHONPATH'))"
    assert project.check(code=code).output == "library None"
