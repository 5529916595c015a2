"""The wheel holds everything, and works on its own."""

from __future__ import annotations

import os
import subprocess
import sys
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


def run_installed(site: Path, *arguments: str, cwd: Path) -> str:
    env = {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run([sys.executable, *arguments], cwd=cwd, env=env, capture_output=True, text=True, check=True)
    return done.stdout


def test_templates_and_hooks_are_found_from_a_wheel(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    folders = run_installed(site, "-c", PROBE, cwd=tmp_path).splitlines()
    assert [Path(folder) for folder in folders] == [site / "selfreview" / "_data" / kind for kind in resources.KINDS]
    assert "exit code 1" in run_installed(site, "-m", "selfreview", "demo", cwd=tmp_path)


def test_templates_and_hooks_are_found_from_a_checkout(tmp_path: Path) -> None:
    folders = run_installed(ROOT / "src", "-c", PROBE, cwd=tmp_path).splitlines()
    assert [Path(folder) for folder in folders] == [ROOT / kind for kind in resources.KINDS]


def test_templates_and_hooks_are_found_from_an_editable_install(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel:editable", "--directory", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = tmp_path.glob("selfreview-*.whl")
    site = tmp_path / "site"
    zipfile.ZipFile(built).extractall(site)
    probe = f"import site, sys; sys.path[:] = sys.path[1:]; site.addsitedir({str(site)!r}); {PROBE}"
    folders = run_installed(site, "-S", "-c", probe, cwd=tmp_path).splitlines()
    assert [Path(folder) for folder in folders] == [ROOT / kind for kind in resources.KINDS]


def test_a_missing_folder_is_a_defect_that_is_named() -> None:
    with pytest.raises(ValueError, match="no such kind"):
        resources.folder("secrets")
    assert resources.read("templates", "demo/base/shop/orders.py.sample").startswith(b'"""Orders')
