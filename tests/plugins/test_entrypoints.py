"""Looking for entry points without importing ``importlib.metadata``, and finding exactly what it would."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from selfreview.plugins import finder

GROUP = "[selfreview]\nacme = acme_review\n"


def dist_info(site: Path, text: str, name: str = "acme-1.0.dist-info") -> None:
    (site / name).mkdir()
    (site / name / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (site / name / "entry_points.txt").write_bytes(text.encode())


def egg_info(site: Path) -> None:
    (site / "acme.egg-info").mkdir()
    (site / "acme.egg-info" / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (site / "acme.egg-info" / "entry_points.txt").write_text(GROUP)


def egg_folder(site: Path) -> None:
    egg = site / "acme.egg"
    (egg / "EGG-INFO").mkdir(parents=True)
    (egg / "EGG-INFO" / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (egg / "EGG-INFO" / "entry_points.txt").write_text(GROUP)
    sys.path.insert(0, str(egg))


def zip_file(site: Path) -> None:
    with zipfile.ZipFile(site / "acme.zip", "w") as archive:
        archive.writestr("acme-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
        archive.writestr("acme-1.0.dist-info/entry_points.txt", GROUP)
    sys.path.insert(0, str(site / "acme.zip"))


def relative_path(site: Path) -> None:
    (site / "below").mkdir()
    dist_info(site / "below", GROUP)
    sys.path.insert(0, "below")


def current_folder(site: Path) -> None:
    dist_info(site, GROUP)
    sys.path.remove(str(site))
    sys.path.insert(0, "")


OFFERED = {
    "plain": lambda site: dist_info(site, GROUP),
    "after other groups": lambda site: dist_info(site, "[console_scripts]\nx = y:z\n\n" + GROUP),
    "with CRLF": lambda site: dist_info(site, GROUP.replace("\n", "\r\n")),
    "indented": lambda site: dist_info(site, GROUP.replace("[", "  [")),
    "in capitals": lambda site: dist_info(site, GROUP, "ACME-1.0.DIST-INFO"),
    "egg-info": egg_info,
    "egg folder": egg_folder,
    "zip": zip_file,
    "relative path": relative_path,
    "current folder": current_folder,
}

NOT_OFFERED = {
    "nothing": lambda site: None,
    "our own script": lambda site: dist_info(site, "[console_scripts]\nselfreview = selfreview.cli.entry:main\n"),
    "another group": lambda site: dist_info(site, "[selfreview.other]\nx = y\n"),
    "no entry points": lambda site: (site / "acme-1.0.dist-info").mkdir(),
    "an egg-info file": lambda site: (site / "acme.egg-info").write_text("Name: acme\n"),
    "a path that is nowhere": lambda site: sys.path.insert(0, str(site / "nowhere")),
}


@pytest.fixture
def place(site: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", [str(site), *(entry for entry in sys.path if entry)])
    monkeypatch.chdir(site)
    return site


@pytest.mark.parametrize("kind", OFFERED)
def test_whatever_is_offered_is_found(place: Path, kind: str) -> None:
    OFFERED[kind](place)
    assert [entry.name for entry in importlib.metadata.entry_points(group="selfreview")] == ["acme"]
    assert [(entry.name, entry.value) for entry in finder.entry_points()] == [("acme", "acme_review")]


@pytest.mark.parametrize("kind", NOT_OFFERED)
def test_where_nothing_is_offered_nothing_is_found(place: Path, kind: str) -> None:
    NOT_OFFERED[kind](place)
    assert not importlib.metadata.entry_points(group="selfreview")
    assert finder.entry_points() == []
    assert finder._surely_none()  # told without the slow import


def test_metadata_that_cannot_be_read_is_not_taken_for_none(place: Path) -> None:
    (place / "acme-1.0.dist-info" / "entry_points.txt").mkdir(parents=True)
    assert not finder._surely_none()


def test_where_an_entry_point_comes_from(place: Path) -> None:
    dist_info(place, GROUP)
    assert [finder.entry_point_source(entry) for entry in finder.entry_points()] == ["entry point acme 1.0"]
    loose = importlib.metadata.EntryPoint(name="x", value="y", group="selfreview")
    assert finder.entry_point_source(loose) == "entry point"


def test_a_finder_of_another_kind_is_asked(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Distribution(importlib.metadata.Distribution):
        def read_text(self, filename: str) -> str | None:
            return {"METADATA": "Metadata-Version: 2.1\nName: odd\nVersion: 3\n", "entry_points.txt": GROUP}.get(
                filename
            )

        def locate_file(self, path: object) -> Path:
            return Path(str(path))

    class Finder:
        @staticmethod
        def find_spec(*_: object) -> None:
            return None

        @staticmethod
        def find_distributions(_context: object = None) -> list[Distribution]:
            return [Distribution()]

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder])
    (entry,) = finder.entry_points()
    assert finder.entry_point_source(entry) == "entry point odd 3"


def test_the_order_does_not_depend_on_the_file_system(place: Path, install: Callable[..., Path]) -> None:
    install("zeta", {"b": "x", "a": "y"})
    install("alpha", {"c": "z", "a": "w"})
    assert [(entry.name, finder.entry_point_source(entry)) for entry in finder.entry_points()] == [
        ("a", "entry point alpha 1.0"),
        ("a", "entry point zeta 1.0"),
        ("b", "entry point zeta 1.0"),
        ("c", "entry point alpha 1.0"),
    ]


HEAVY = (
    "importlib.metadata",
    "difflib",
    "tomllib",
    "platformdirs",
    "json",
    "click",
    "tempfile",
    "asyncio",
)

LIGHT = f"""
import sys
from selfreview.plugins.manager import PluginManager
from selfreview.plugins.builtins import Builtins
manager = PluginManager(arguments=[], environ={{}}, builtins=Builtins(essential={{}}, default={{}}))
manager.load()
print(*(name for name in {HEAVY!r} if name in sys.modules))
"""


def test_without_plugins_the_manager_imports_nothing_heavy(tmp_path: Path) -> None:
    run = subprocess.run([sys.executable, "-c", LIGHT], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert run.stdout.strip() == ""
