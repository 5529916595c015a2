"""Whatever error a command ends with is an event: of the branch, once, with what to do, and without secrets."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from selfreview.cli.main import execute
from selfreview.errors import ExitCode, PluginError, UsageError
from selfreview.store import Store
from tests.conftest import Workspace

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2


@pytest.fixture
def reviewed(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    workspace.write("app.py", "LIMIT = 3\n")
    monkeypatch.chdir(workspace.root)
    assert execute(["run", "--no-fix"]) == ExitCode.PASSED
    return workspace


def errors(workspace: Workspace) -> list[dict[str, Any]]:
    out = workspace.selfreview("events", "--kind", "error", "--format", "json").out
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.parametrize(
    ("arguments", "stage"),
    [
        (("run", "--base", "nowhere"), "run"),
        (("run", "--nonsense"), "run"),
        (("show", "sr-nothing"), "show"),
        (("report", "--run", "r-nothing"), "report"),
        (("skip",), "skip"),
        (("hook", "run", "nonsense"), "hook run"),
        (("pr", "status"), "pr status"),
        (("undo",), "undo"),
        (("events", "--after", "yesterday"), "events"),
        (("nonsense",), ""),
    ],
)
def test_an_error_of_any_command_is_kept_once(reviewed: Workspace, arguments: tuple[str, ...], stage: str) -> None:
    code = execute(arguments)
    assert code not in (ExitCode.PASSED, ExitCode.ISSUES)
    (event,) = errors(reviewed)
    assert (event["data"]["stage"], event["data"]["code"]) == (stage, code)
    assert event["data"]["message"]
    assert event["data"]["hint"]
    assert (event["item"]["branch"], event["item"]["worktree"]) == ("work", str(reviewed.root))
    assert event["session"]


def test_a_defect_is_kept(reviewed: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Store, "results", lambda *_: 1 // 0)
    assert execute(["history"]) == ExitCode.INTERNAL_ERROR
    monkeypatch.undo()
    (event,) = errors(reviewed)
    assert event["data"]["message"].startswith("internal error: ZeroDivisionError")
    assert event["data"]["code"] == ExitCode.INTERNAL_ERROR


def raising(error: Callable[[], BaseException]) -> Callable[..., None]:
    def raise_it(*_: object) -> None:
        raise error()

    return raise_it


def test_no_secret_is_kept(reviewed: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Store, "results", raising(lambda: UsageError(f"no {TOKEN}", hint=f"not {TOKEN}")))
    assert execute(["history"]) == ExitCode.USAGE
    monkeypatch.undo()
    with closing(sqlite3.connect(reviewed.root / ".git" / "selfreview" / "store.db")) as connection:
        bodies = [row[0] for row in connection.execute("SELECT data FROM events WHERE kind = 'error'")]
    assert len(bodies) == 1
    assert TOKEN.encode() not in bodies[0]


def test_what_was_made_of_an_error_that_was_told_is_not_told_again(
    reviewed: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = UsageError("first")
    vars(first)["selfreview_told"] = True
    second = PluginError("second")
    second.__cause__ = first
    monkeypatch.setattr(Store, "results", raising(lambda: second))
    assert execute(["history"]) == ExitCode.USAGE
    assert errors(reviewed) == []


def test_an_interrupt_is_no_error(reviewed: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Store, "results", raising(KeyboardInterrupt))
    assert execute(["history"]) == ExitCode.INTERRUPTED
    assert errors(reviewed) == []


def test_no_store_is_made_for_an_error(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace.root)
    assert execute(["show", "sr-nothing"]) == ExitCode.USAGE
    assert not (workspace.root / ".git" / "selfreview" / "store.db").exists()


def test_a_store_that_cannot_be_written_hides_no_error(
    reviewed: Workspace, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("selfreview.app.crash._BUSY_SECONDS", 0.01)
    with closing(sqlite3.connect(reviewed.root / ".git" / "selfreview" / "store.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert execute(["show", "sr-nothing"]) == ExitCode.USAGE
    assert "no issue 'sr-nothing'" in capfd.readouterr().err
    assert errors(reviewed) == []
