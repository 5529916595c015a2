"""A patch that waits, for every test here."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfreview.testing.isolation import isolate
from tests.conftest import Workspace

from .scene import Scene, copied, make_scene


@pytest.fixture(scope="session")
def _scene(selfreview_first_commit: Path, tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """The scene that all begin with, made once."""
    folder = tmp_path_factory.mktemp("scene")
    with pytest.MonkeyPatch.context() as patch:
        isolate(patch, folder)
        return make_scene(Workspace.copied(selfreview_first_commit, folder / "repo"), folder)


@pytest.fixture
def scene(_scene: Scene, tmp_path: Path) -> Scene:
    return copied(_scene, tmp_path / "repo")
