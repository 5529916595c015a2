"""Throw-away plugins and distributions, as real files on a real path."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from selfreview.plugins.builtins import Builtins
from selfreview.plugins.manager import PluginManager

HEADER = """
from selfreview.api import hookimpl

@hookimpl
def selfreview_report_header(config):
    return {name!r}
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on ``sys.path``; modules imported from it are forgotten afterwards."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    before = set(sys.modules)
    yield folder
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(folder)):
            del sys.modules[name]


@pytest.fixture
def write_plugin(site: Path) -> Callable[..., Path]:
    """Write a plugin module; by default one that answers ``selfreview_report_header`` with its name."""

    def write(name: str, source: str | None = None) -> Path:
        path = site.joinpath(*name.split(".")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HEADER.format(name=name) if source is None else source)
        importlib.invalidate_caches()
        return path

    return write


@pytest.fixture
def install(site: Path) -> Callable[..., Path]:
    """Install a distribution's metadata with entry points in the group ``selfreview``."""

    def install(name: str, entry_points: dict[str, str], version: str = "1.0") -> Path:
        folder = site / f"{name}-{version}.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        lines = [f"{key} = {value}" for key, value in entry_points.items()]
        (folder / "entry_points.txt").write_text("\n".join(["[selfreview]", *lines, ""]))
        return folder

    return install


@pytest.fixture
def builtins(write_plugin: Callable[..., Path]) -> Builtins:
    """Four built-ins: one essential, three default."""
    for name in ("own_json", "own_ruff", "own_text", "own_extra"):
        write_plugin(name)
    return Builtins(
        essential={"json": "own_json"},
        default={"ruff": "own_ruff", "text": "own_text", "extra": "own_extra"},
    )


@pytest.fixture
def load(builtins: Builtins) -> Callable[..., PluginManager]:
    """Load a manager with those built-ins and the given values of ``-p``."""

    def load(*arguments: str, **environ: str) -> PluginManager:
        manager = PluginManager(arguments=arguments, environ=environ, builtins=builtins)
        manager.load()
        return manager

    return load
