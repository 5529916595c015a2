"""The test kit as a pytest plugin: ``pytest_plugins = ["selfreview.testing.plugin"]``, or ``-p`` with that name.

It brings fixtures, whose names all begin with ``selfreview_``, and has assertions of the contracts explained.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytest.register_assert_rewrite("selfreview.testing.contracts")

from selfreview import hookspecs  # noqa: E402 - after what explains assertions
from selfreview.api import PROJECT_NAME, hookimpl  # noqa: E402
from selfreview.testing.isolation import isolate  # noqa: E402
from selfreview.testing.workspace import Workspace  # noqa: E402


class HookCall(NamedTuple):
    """A call of a hook.

    Attributes:
        name: The hook's name without ``selfreview_``.
        arguments: What it was given, by name; a list is the list as it was at the time.
    """

    name: str
    arguments: Mapping[str, Any]


class HookRecorder:
    """A plugin that implements every hook of selfreview, answers none, and is called before the others.

    Attributes:
        calls: What was called, oldest first.
    """

    def __init__(self) -> None:
        self.calls: list[HookCall] = []
        prefix = f"{PROJECT_NAME}_"
        for name, spec in vars(hookspecs).items():
            if name.startswith(prefix):
                setattr(self, name, hookimpl(tryfirst=True)(self._recording(name.removeprefix(prefix), spec)))

    def _recording(self, name: str, spec: Callable[..., Any]) -> Callable[..., None]:
        names = spec.__code__.co_varnames[: spec.__code__.co_argcount]

        @functools.wraps(spec)  # and so with the arguments of the specification
        def record(*values: Any) -> None:
            kept = (list(value) if isinstance(value, list) else value for value in values)
            self.calls.append(HookCall(name, dict(zip(names, kept, strict=True))))

        return record

    @property
    def names(self) -> list[str]:
        """The names of the hooks that were called, in order, as often as they were."""
        return [call.name for call in self.calls]

    def of(self, name: str) -> list[HookCall]:
        """Return the calls of one hook, with or without ``selfreview_`` before its name.

        Raises:
            ValueError: If there is no such hook.
        """
        full = f"{PROJECT_NAME}_{name.removeprefix(f'{PROJECT_NAME}_')}"
        if not hasattr(hookspecs, full):
            raise ValueError(f"there is no hook {full!r}")
        return [call for call in self.calls if call.name == full.removeprefix(f"{PROJECT_NAME}_")]

    def clear(self) -> None:
        """Clear the record."""
        self.calls.clear()

    def __repr__(self) -> str:
        return f"<hooks {' '.join(self.names) or 'none'}>"


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
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    selfreview_first_commit: Path,
) -> Workspace:
    """A repository on ``main`` with one commit, and a branch ``work`` checked out, in an isolated environment.

    Plugins that are installed beside the tests are not loaded, but for those that a test asks for.
    """
    monkeypatch.setenv("SELFREVIEW_DISABLE_PLUGIN_AUTOLOAD", "1")
    return Workspace.copied(selfreview_first_commit, tmp_path / "repo")


@pytest.fixture
def selfreview_hooks(selfreview_workspace: Workspace) -> HookRecorder:
    """A record of the hooks that ``selfreview_workspace.run_inprocess`` calls, in order."""
    recorder = HookRecorder()
    selfreview_workspace.plugin(recorder, name="hook_recorder")
    return recorder
