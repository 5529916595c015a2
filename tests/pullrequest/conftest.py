"""A pull request for every test here."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from selfreview.testing.isolation import isolate
from tests.conftest import Workspace
from tests.forge import FakeGitHub
from tests.pullrequest.lab import Lab, publish


@pytest.fixture(scope="session")
def _published(selfreview_first_commit: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a clone and its remote, made once."""
    folder = tmp_path_factory.mktemp("published")
    with pytest.MonkeyPatch.context() as patch:
        isolate(patch, folder)
        publish(Workspace.copied(selfreview_first_commit, folder / "repo"), folder / "remote.git")
    for sample in (folder / "remote.git" / "hooks").glob("*.sample"):
        sample.unlink()
    return folder


@pytest.fixture
def lab(request: pytest.FixtureRequest, tmp_path: Path, _published: Path) -> Iterator[Lab]:
    """A clone on a branch that is pushed, and a forge that knows its remote."""
    if "workspace" in request.fixturenames:  # it is the same one
        shutil.rmtree(request.getfixturevalue("workspace").root)
    workspace = Workspace.copied(_published / "repo", tmp_path / "repo")
    shutil.copytree(_published / "remote.git", tmp_path / "remote.git")
    config = workspace.root / ".git" / "config"
    config.write_text(config.read_text().replace(str(_published), str(tmp_path)))
    with FakeGitHub() as forge:
        yield Lab(workspace, forge, tmp_path, here=request.node.get_closest_marker("long") is None)
