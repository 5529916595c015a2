"""The test kit as a pytest plugin: ``pytest_plugins = ["selfreview.testing.plugin"]``, or ``-p`` with that name.

It brings fixtures, whose names all begin with ``selfreview_``, and has assertions of the contracts explained.
"""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.register_assert_rewrite("selfreview.testing.contracts")

from selfreview.testing.hooks import HookRecorder  # noqa: E402 - after what explains assertions
from selfreview.testing.isolation import isolate  # noqa: E402
from selfreview.testing.workspace import Workspace  # noqa: E402


@pytest.fixture(scope="session")
def selfreview_first_commit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first commit of every repository: made once, because making it takes longer than most tests do."""
    root = tmp_path_factory.mktemp("selfreview-first-commit") / "repo"
    with pytest.MonkeyPatch.context() as patch:
        isolate(patch, root.parent)
        Workspace(root).start()
    return root


@pytest.fixture
def selfreview_isolated(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An isolated environment: an empty home folder, which is returned, no keys, no settings of git."""
    home = tmp_path_factory.mktemp("selfreview-home")
    isolate(monkeypatch, home)
    return home


@pytest.fixture
def selfreview_workspace(
    selfreview_isolated: Path,  # noqa: ARG001 - for what it does
    tmp_path: Path,
    selfreview_first_commit: Path,
) -> Workspace:
    """A repository on ``main`` with one commit, and a branch ``work`` checked out, in an isolated environment."""
    return Workspace.copied(selfreview_first_commit, tmp_path / "repo")


@pytest.fixture
def selfreview_hooks(selfreview_workspace: Workspace) -> HookRecorder:
    """A record of the hooks that ``selfreview_workspace.run_inprocess`` calls, in order."""
    recorder = HookRecorder()
    selfreview_workspace.plugin(recorder, name="hook_recorder")
    return recorder
