"""A plugin that raises is named, wherever that happens, and takes nothing with it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Ran, Workspace

PLUGIN = """
import asyncio
import io

import click

from selfreview.api import *
from selfreview.errors import SelfreviewError


class Shout:
    name = "shout"

    def write(self, result, out, *, context, color, width):
        if {where!r} == "reporter":
            out.write(b"half of it")
            raise {error}
        io.TextIOWrapper(out, encoding="utf-8").write("SHOUT\\n")  # closes it when it goes


class Loud:
    name = "loud"
    is_mechanical = True
    leaves_mark = needs_request = False

    def takes(self, issue, config):
        return False

    def fix(self, request, context):
        return Fix()

    def unavailable(self, config, environ=None):
        if {where!r} == ("fixer" if environ is None else "channel"):
            raise {error}

    def send(self, notice, context):
        if {where!r} == "sending":
            raise {error}
        return []


@hookimpl
def selfreview_register_reporters(registry):
    registry.add(Shout())


@hookimpl
def selfreview_register_fixers(registry):
    registry.add(Loud())


@hookimpl
def selfreview_register_notifiers(registry):
    registry.add(Loud())
"""
ERRORS = [
    "ValueError('it broke')",
    "SystemExit(0)",
    "FileNotFoundError(2, 'it broke', 'template.txt')",
    "click.exceptions.Exit(0)",
    "click.Abort()",
    "click.UsageError('it broke')",
    "BrokenPipeError(32, 'it broke')",
    "EOFError()",
    "asyncio.CancelledError()",
]


def raising(workspace: Workspace, tmp_path: Path, where: str, *command: str, error: str = ERRORS[0]) -> Ran:
    (tmp_path / "loudly.py").write_text(PLUGIN.format(where=where, error=error))
    workspace.write("app.py", "print(undefined_name)\n")
    return workspace.selfreview(*command, "-p", "loudly", PYTHONPATH=str(tmp_path))


def said(ran: Ran, tmp_path: Path) -> None:
    assert ran.code == ExitCode.USAGE
    assert "plugin 'loudly' failed: " in ran.err
    assert f"({tmp_path}/loudly.py:" in ran.err
    assert "-p no:loudly" in ran.err
    assert "defect" not in ran.err
    assert not list(Path(os.environ["HOME"]).rglob("crash-*"))


@pytest.mark.parametrize("error", ERRORS)
def test_a_report_that_cannot_be_written_keeps_no_other_one_back(
    workspace: Workspace, tmp_path: Path, error: str
) -> None:
    formats = ["-f", "shout:shout.txt", "-f", "json:good.json", "-f", "concise"]
    (workspace.root / "shout.txt").write_text("of an earlier run")
    ran = raising(workspace, tmp_path, "reporter", "run", "--no-fix", *formats, error=error)
    said(ran, tmp_path)
    assert "the report shout is not written" in ran.err
    assert json.loads((workspace.root / "good.json").read_text())["verdict"] == "needs_work"
    assert "undefined_name" in ran.out
    assert not (workspace.root / "shout.txt").exists()


def test_half_a_report_is_not_printed(workspace: Workspace, tmp_path: Path) -> None:
    ran = raising(workspace, tmp_path, "reporter", "run", "--no-fix", "-f", "shout", "-f", "json:good.json")
    said(ran, tmp_path)
    assert ran.out == ""
    assert json.loads((workspace.root / "good.json").read_text())["status"] == "complete"
    ran = raising(workspace, tmp_path, "reporter", "report", "-f", "shout", "-f", "json:again.json")
    said(ran, tmp_path)
    assert (workspace.root / "again.json").exists()


def test_a_reporter_that_closes_its_stream_is_read(workspace: Workspace, tmp_path: Path) -> None:
    ran = raising(workspace, tmp_path, "", "run", "--no-fix", "-f", "shout")
    assert (ran.code, ran.out) == (ExitCode.ISSUES, "SHOUT\n")


@pytest.mark.parametrize(
    ("where", "command"),
    [
        ("fixer", ["run"]),
        ("channel", ["notify", "test", "loud"]),
        ("channel", ["notify", "status"]),
        ("sending", ["notify", "test", "loud"]),
        ("channel", ["doctor"]),
    ],
    ids=str,
)
def test_whatever_command_meets_it(workspace: Workspace, tmp_path: Path, where: str, command: list[str]) -> None:
    said(raising(workspace, tmp_path, where, *command), tmp_path)


@pytest.mark.parametrize("error", ERRORS)
def test_whatever_class_it_is_of(workspace: Workspace, tmp_path: Path, error: str) -> None:
    report = workspace.root / "report.json"
    said(raising(workspace, tmp_path, "fixer", "run", "-f", f"json:{report}", error=error), tmp_path)
    assert json.loads(report.read_text())["error"]["exitCode"] == ExitCode.USAGE


def test_what_another_module_of_the_plugin_raises_is_no_pass(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "loudly.py").write_text(PLUGIN.format(where="fixer", error="click.exceptions.Exit(0)"))
    (tmp_path / "outer.py").write_text("from loudly import selfreview_register_fixers\n")
    workspace.write("app.py", "print(undefined_name)\n")
    ran = workspace.selfreview("run", "-p", "outer", PYTHONPATH=str(tmp_path))
    assert ran.code == ExitCode.USAGE
    assert "a plugin ended the program: Exit(0)" in ran.err


def test_an_error_for_a_person_is_never_a_success(workspace: Workspace, tmp_path: Path) -> None:
    error = "type('Fine', (SelfreviewError,), {'exit_code': 0})('all is well')"
    ran = raising(workspace, tmp_path, "fixer", "run", error=error)
    assert ran.code == ExitCode.USAGE
    assert "error: all is well" in ran.err


def test_an_interruption_is_the_persons(workspace: Workspace, tmp_path: Path) -> None:
    ran = raising(workspace, tmp_path, "fixer", "run", error="KeyboardInterrupt()")
    assert ran.code == ExitCode.INTERRUPTED
    assert "loudly" not in ran.err


def test_a_plugin_that_is_a_folder_is_named_by_its_inner_file(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "loudly").mkdir()
    (tmp_path / "loudly" / "__init__.py").write_text("from loudly.inner import *\n")
    (tmp_path / "loudly" / "inner.py").write_text(PLUGIN.format(where="reporter", error=ERRORS[0]))
    workspace.write("app.py", "print(undefined_name)\n")
    ran = workspace.selfreview("run", "--no-fix", "-p", "loudly", "-f", "shout", PYTHONPATH=str(tmp_path))
    assert ran.code == ExitCode.USAGE
    assert f"plugin 'loudly' failed: ValueError: it broke ({tmp_path}/loudly/inner.py:" in ran.err
