"""Plugins are configured before any command asks them anything, and unconfigured last, once each."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from selfreview.app.request import RunRequest
from selfreview.app.run import review_change
from selfreview.app.state import RunScope
from selfreview.errors import ExitCode
from tests.cli.hook_order import HookOrder
from tests.cli.refining.lab import APP, MENDED, Lab
from tests.conftest import Ran, Workspace


@pytest.fixture
def lab(workspace: Workspace) -> Lab:
    return Lab(workspace)


@pytest.fixture
def order(tmp_path: Path) -> HookOrder:
    folder = tmp_path / "recorder"
    folder.mkdir()
    return HookOrder(folder)


def call(lab: Lab, order: HookOrder, *arguments: str, **environment: str) -> Ran:
    """Run a command line with both plugins: the one of the lab, and the one that records."""
    path = os.pathsep.join(given["PYTHONPATH"] for given in (lab.environment, order.environment))
    plugins = f"marks,{order.environment['SELFREVIEW_PLUGINS']}"
    given = {**lab.environment, **order.environment, "PYTHONPATH": path, "SELFREVIEW_PLUGINS": plugins}
    return lab.person.selfreview(*arguments, **{**given, **environment})


RUN = ("run", "--fixer", "agent-mine", "--format", "json")


def asks(lab: Lab, order: HookOrder, arguments: tuple[str, ...], *expected: str) -> None:
    """Run a command, and check that it asks plugins in the right order, and what it asks."""
    ran = call(lab, order, *arguments, SELFREVIEW_NOTIFICATION_CHANNELS="unknown")  # is looked for at the end
    assert "Traceback" not in ran.err, ran
    counted = order.check()
    assert counted, (arguments, ran)
    assert {*expected} <= {hook for hooks in counted for hook in hooks}, (arguments, counted, ran)


def test_every_command_on_a_branch_keeps_the_order(lab: Lab, order: HookOrder) -> None:
    asks(lab, order, ("run", "--collect-only"))
    asks(lab, order, RUN, "review_completed", "should_stop", "state_changed")
    asks(lab, order, ("apply",), "before_apply")
    asks(lab, order, ("undo",))
    asks(lab, order, ("report",))
    asks(lab, order, ("accept", "app.py:1", "--reason", "known"))
    asks(lab, order, ("skip", "--reason", "later"))
    asks(lab, order, ("retry", "--fixer", "agent-mine"), "state_changed")
    asks(lab, order, ("run", "--no-fix"), "review_completed")
    asks(lab, order, ("ready",), "ready_for_human")
    asks(lab, order, ("reset",), "state_changed")
    asks(lab, order, ("gate", "--base", "main"))
    lab.person.git("add", "app.py")
    asks(lab, order, ("hook", "run", "pre-commit"), "review_completed")


def test_a_plugin_can_forbid_an_apply(lab: Lab, order: HookOrder) -> None:
    assert call(lab, order, *RUN).code == ExitCode.ISSUES
    ran = call(lab, order, "apply", HOOK_VETO="not on a Friday")
    assert ran.code == ExitCode.USAGE
    assert "a plugin forbids it: not on a Friday" in ran.err
    assert (lab.person.root / "app.py").read_bytes() == APP
    assert call(lab, order, "apply").code == ExitCode.PASSED
    assert (lab.person.root / "app.py").read_bytes() == MENDED


@pytest.mark.parametrize("command", [("run",), ("skip", "--reason", "later"), ("apply",), ("report",)])
def test_a_plugin_that_refuses_the_configuration_ends_the_command(
    lab: Lab, order: HookOrder, command: tuple[str, ...]
) -> None:
    ran = call(lab, order, *command, HOOK_RAISES="selfreview_configure")
    assert ran.code == ExitCode.USAGE
    assert "recording_hooks" in ran.err
    (hooks,) = order.check()
    assert set(hooks) <= {"register_forges", "register_notifiers", "configure", "error", "unconfigure"}


def test_plugins_are_unconfigured_though_the_run_cannot_be_closed(
    lab: Lab, order: HookOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in order.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.syspath_prepend(order.environment["PYTHONPATH"])
    scope = RunScope()
    scope.whole.callback(lambda: 1 // 0)
    request = RunRequest(folder=lab.person.root, reviewers=("text",), no_fix=True)
    with pytest.raises(ZeroDivisionError):
        review_change(request, scope=scope)
    assert order.check()
