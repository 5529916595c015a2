"""The wheel holds everything, and works on its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

from selfreview import resources

ROOT = Path(__file__).parent.parent
PROBE = "from selfreview import resources; print(*(resources.folder(kind) for kind in resources.KINDS), sep='\\n')"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(target)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = target.glob("selfreview-*.whl")
    return built


def test_the_wheel_holds_code_templates_and_hooks(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for kind in resources.KINDS:
        for path in (ROOT / kind).rglob("*"):
            if path.is_file():
                assert f"selfreview/_data/{kind}/{path.relative_to(ROOT / kind).as_posix()}" in names
    for path in (ROOT / "src" / "selfreview").rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            assert f"selfreview/{path.relative_to(ROOT / 'src' / 'selfreview').as_posix()}" in names
    assert not [name for name in names if name.startswith(("tests/", "docs/"))]


def test_the_source_distribution_holds_all_that_the_tests_read(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = tmp_path.glob("selfreview-*.tar.gz")
    with tarfile.open(built) as archive:
        found = {name.split("/")[1] for name in archive.getnames()}
    tests = [path.read_text("utf-8") for path in (ROOT / "tests").rglob("*.py")]
    named = {name for text in tests for name in re.findall(r'\bROOT(?: / |\.joinpath\()"([^"/]+)', text)}
    here = {path.name for path in ROOT.iterdir()}
    assert {"ARCHITECTURE.md", ".ci"} <= named & here <= found


def run_installed(site: Path, *arguments: str, cwd: Path) -> str:
    env = {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run([sys.executable, *arguments], cwd=cwd, env=env, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.long
def test_templates_and_hooks_are_found_from_a_wheel(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    folders = run_installed(site, "-c", PROBE, cwd=tmp_path).splitlines()
    assert [Path(folder) for folder in folders] == [site / "selfreview" / "_data" / kind for kind in resources.KINDS]
    assert "exit code 1" in run_installed(site, "-m", "selfreview", "demo", cwd=tmp_path)


def test_templates_and_hooks_are_found_from_a_checkout(tmp_path: Path) -> None:
    folders = run_installed(ROOT / "src", "-c", PROBE, cwd=tmp_path).splitlines()
    assert [Path(folder) for folder in folders] == [ROOT / kind for kind in resources.KINDS]


@pytest.mark.long
def test_templates_and_hooks_are_found_from_an_editable_install(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel:editable", "--directory", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = tmp_path.glob("selfreview-*.whl")
    site = tmp_path / "site"
    zipfile.ZipFile(built).extractall(site)
    probe = f"import site, sys; sys.path[:] = sys.path[1:]; site.addsitedir({str(site)!r}); {PROBE}"
    folders = run_installed(site, "-S", "-c", probe, cwd=tmp_path).splitlines()
    assert [Path(folder) for folder in folders] == [ROOT / kind for kind in resources.KINDS]


@pytest.mark.long
def test_a_plugin_from_a_wheel_of_its_own_takes_part(wheel: Path, tmp_path: Path) -> None:
    source, venv = tmp_path / "source", tmp_path / "venv"
    shutil.copytree(ROOT / "tests" / "sample_plugin", source)
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (plugin,) = tmp_path.glob("selfreview_sample-*.whl")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    (python,) = [path for path in (venv / "bin" / "python", venv / "Scripts" / "python.exe") if path.exists()]
    ask = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = Path(subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip())
    for built in (wheel, plugin):
        zipfile.ZipFile(built).extractall(site)
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")  # last, and its own .pth files unread

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [python, "-m", "selfreview", *arguments]  # with its own reviewer: ruff's program is elsewhere
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert "entry point selfreview-sample 0.1.0" in run("plugins").stdout
    change = tmp_path / "change.diff"
    change.write_text(f"--- /dev/null\n+++ b/app.py\n@@ -0,0 +1 @@\n+NAME = '{'x' * 60}'\n")
    review = ("run", "--diff", str(change), "--reviewer", "long-lines", "--format", "tally")
    assert run(*review).stdout == "complete pass 0\n"
    strict = run(*review, "-o", "sample.longest=50")
    assert (strict.returncode, strict.stdout) == (1, "complete needs_work 1\n")
    without = run(*review, "-p", "no:sample")
    assert (without.returncode, without.stdout) == (4, "")


def test_a_missing_folder_is_a_defect_that_is_named() -> None:
    with pytest.raises(ValueError, match="no such kind"):
        resources.folder("secrets")
    assert resources.read("templates", "demo/base/shop/orders.py.sample").startswith(b'"""Orders')
