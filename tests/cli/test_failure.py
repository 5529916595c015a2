"""A run that ends in an error leaves no report of an earlier one, and no exit code that means something else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from selfreview.cli.failure import named_formats
from selfreview.errors import ExitCode
from selfreview.model.result import Result
from selfreview.model.wire import document, from_json
from tests.conftest import Ran, Workspace

HOOKIMPL = "from selfreview.api import hookimpl\n@hookimpl\n"
PLUGIN = """
from selfreview.api import hookimpl

class Own:
    name = "own"
    def write(self, result, out, *, context, color, width):
        out.write(b"half a report")
        {then}

@hookimpl
def selfreview_register_reporters(registry):
    registry.add(Own())
"""


@pytest.fixture
def passed(workspace: Workspace) -> Path:
    """The report of a run that passed."""
    workspace.write("app.py", "LIMIT = 3\n")
    file = workspace.root.parent / "result.json"
    assert workspace.selfreview("run", "--format", f"json:{file}").code == ExitCode.PASSED
    assert json.loads(file.read_bytes())["passed"] is True
    return file


def replaced(file: Path, ran: Ran, code: ExitCode) -> None:
    assert ran.code == code, ran
    result = json.loads(file.read_bytes())
    assert (result["status"], result["passed"], result["verdict"]) == ("error", False, None)
    assert result["error"]["exitCode"] == code
    assert f"error: {result['error']['message']}" in ran.err
    assert result["timestamp"].endswith("Z")
    assert [path.name for path in file.parent.iterdir() if path.name.endswith(".tmp")] == []


@pytest.mark.parametrize("spelling", ["--format X", "--format=X", "-f X", "-fX"])
def test_bad_configuration(workspace: Workspace, passed: Path, spelling: str) -> None:
    workspace.write("selfreview.toml", "severity_threshold = 3\n")
    arguments = spelling.replace("X", f"json:{passed}").split()
    replaced(passed, workspace.selfreview("run", *arguments), ExitCode.USAGE)


def test_git_fails(workspace: Workspace, passed: Path) -> None:
    workspace.write(".git/index", b"garbage")
    replaced(passed, workspace.selfreview("run", "--format", f"json:{passed}"), ExitCode.USAGE)


def test_a_command_line_that_cannot_be_parsed(workspace: Workspace, passed: Path) -> None:
    replaced(passed, workspace.selfreview("run", "--format", f"json:{passed}", "--nonsense"), ExitCode.USAGE)


def test_a_hook(workspace: Workspace, passed: Path) -> None:
    workspace.git("add", "--all")
    workspace.write("selfreview.toml", "nonsense = 3\n")
    ran = workspace.selfreview("hook", "run", "pre-commit", "--format", f"json:{passed}")
    replaced(passed, ran, ExitCode.USAGE)


@pytest.mark.parametrize(
    ("raises", "told"),
    [
        ("RuntimeError('a defect')", "RuntimeError: a defect"),
        ("SystemExit(0)", "SystemExit: 0"),
        ("GeneratorExit()", "GeneratorExit"),
        ("PermissionError(13, 'Permission denied', 7)", "PermissionError: [Errno 13] Permission denied: 7"),
    ],
)
def test_a_crash(workspace: Workspace, passed: Path, raises: str, told: str) -> None:
    # By a text of its own: what is raised in the plugin's file is the plugin's.
    code = "import selfreview.app.change as run\n"
    code += f'exec("def open_change(*_, **__): raise {raises}", vars(run))\n'
    (workspace.root.parent / "crashing.py").write_text(f"{code}{HOOKIMPL}def selfreview_configure(config): pass\n")
    ran = workspace.selfreview(
        "run", "-p", "crashing", "--format", f"json:{passed}", PYTHONPATH=str(workspace.root.parent)
    )
    assert f"internal error: {told}" in ran.err
    replaced(passed, ran, ExitCode.INTERNAL_ERROR)


def test_every_format_says_so(workspace: Workspace, tmp_path: Path) -> None:
    names = ("json", "jsonl", "terminal", "concise")
    files = [tmp_path / name for name in names]
    for file in files:
        file.write_text("an earlier report")
    formats = [part for file in files for part in ("--format", f"{file.name}:{file}")]
    assert workspace.selfreview("run", "--base", "nowhere", *formats).code == ExitCode.USAGE
    for file in files:
        text = file.read_text()
        assert "an earlier report" not in text
        assert "the base 'nowhere' names no commit" in text, file.name


def test_a_report_that_nobody_can_write_now_is_removed(workspace: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "report.own"
    file.write_text("passed")
    ran = workspace.selfreview("run", "--format", f"own:{file}")
    assert ran.code == ExitCode.USAGE
    assert not file.exists()
    assert f"note: {file} was removed" in ran.err


@pytest.mark.parametrize("kind", ["folder", "other command", "nothing there"])
def test_what_is_no_report_stays(workspace: Workspace, tmp_path: Path, kind: str) -> None:
    place = tmp_path / "place"
    if kind == "folder":
        place.mkdir()
        assert workspace.selfreview("run", "--format", f"json:{place}").code == ExitCode.USAGE
        assert place.is_dir()
    elif kind == "other command":
        place.write_text("mine")
        assert workspace.selfreview("status", "--format", f"json:{place}").code == ExitCode.USAGE
        assert place.read_text() == "mine"
    else:
        assert "removed" not in workspace.selfreview("run", "--format", f"yaml:{place}").err
        assert not place.exists()


def test_the_other_reports_of_a_run_whose_report_cannot_be_written(workspace: Workspace, passed: Path) -> None:
    (passed.parent / "file").write_text("")
    lines = passed.parent / "file" / "lines"
    ran = workspace.selfreview("run", "-f", "json", "-f", f"json:{passed}", "-f", f"jsonl:{lines}")
    replaced(passed, ran, ExitCode.USAGE)
    assert ran.json["status"] == "error"  # one document, not a passing one and then this


def test_jsonl_on_standard_output_ends_with_the_error(workspace: Workspace) -> None:
    (line,) = workspace.selfreview("run", "--base", "nowhere", "-f", "jsonl").out.splitlines()
    assert (json.loads(line)["type"], json.loads(line)["status"]) == ("result", "error")


def test_json_is_laid_out_as_that_of_a_review(workspace: Workspace) -> None:
    raw = workspace.selfreview("run", "--base", "nowhere", "-f", "json").raw
    assert raw == document(from_json(raw, Result))


@pytest.mark.parametrize("then", ["raise ValueError('no')", "raise KeyboardInterrupt"])
def test_a_reporter_that_fails_leaves_nothing_behind(workspace: Workspace, tmp_path: Path, then: str) -> None:
    folder = tmp_path / "reports"
    folder.mkdir()
    (tmp_path / "own.py").write_text(PLUGIN.replace("{then}", then))
    workspace.write("app.py", "LIMIT = 3\n")
    (folder / "report").write_text("passed")
    ran = workspace.selfreview("run", "-p", "own", "--format", f"own:{folder / 'report'}", PYTHONPATH=str(tmp_path))
    assert ran.code in (ExitCode.USAGE, ExitCode.INTERRUPTED)
    assert list(folder.iterdir()) == []


CRASHES = {
    "the report": "import selfreview.app.crash as c\ndef f(*_): raise MemoryError\nc.write_report = f\n",
    "its words": "import selfreview.app.crash as c\ndef f(*_): raise ValueError\nc.describe = f\n",
    "the error's output": "import selfreview.cli.main as m\ndef f(*_, **__): raise ValueError('twice')\nm.fail = f\n",
}


@pytest.mark.parametrize("place", CRASHES)
def test_a_crash_of_the_crash_report_is_still_one_line_and_no_issue(workspace: Workspace, place: str) -> None:
    first = "import selfreview.app.change as run\ndef fail(*_): raise RuntimeError('first')\nrun.open_change = fail\n"
    code = f"{first}{CRASHES[place]}{HOOKIMPL}def selfreview_configure(config): pass\n"
    (workspace.root.parent / "crashing.py").write_text(code)
    ran = workspace.selfreview("run", "-p", "crashing", PYTHONPATH=str(workspace.root.parent))
    assert ran.code == ExitCode.INTERNAL_ERROR, ran
    errors = [line for line in ran.err.splitlines() if not line.startswith("hint: ")]
    assert len(errors) == 1
    assert errors[0].startswith("error: internal error: ")
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("text", ["broken", "\\udc80\\n\\x1b[2J"])
def test_an_installation_that_is_broken_is_no_issue(tmp_path: Path, text: str) -> None:
    (tmp_path / "click.py").write_text(f"raise ImportError('{text}')\n")
    done = subprocess.run(
        [sys.executable, "-m", "selfreview", "run"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == ExitCode.INTERNAL_ERROR
    assert done.stderr.startswith(b"error: internal error: ImportError: ")
    assert len(done.stderr.splitlines()) == 1
    assert b"\x1b" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["run", "-f", "json:a", "--format=jsonl:b", "-fterminal"], ("json:a", "jsonl:b", "terminal")),
        (["run", "--format"], ("",)),
        (["run", "--", "-f", "json"], ()),
        (["gate", "-f", "json:a"], ("json:a",)),
        (["report", "-f", "html:a"], ("html:a",)),
        (["history", "-f", "json"], ("json",)),
        (["history", "-f", "json:file"], ()),
        ([], ()),
    ],
)
def test_the_formats_of_a_command_line(arguments: list[str], expected: tuple[str, ...]) -> None:
    assert named_formats(arguments) == expected


def test_a_repository_that_lacks_an_object_is_told_with_what_to_do(workspace: Workspace) -> None:
    workspace.git("switch", "--quiet", "main")
    workspace.commit("base", **{"app.py": "a = 1\n"})
    name = workspace.git("rev-parse", "HEAD:app.py")
    workspace.git("switch", "--quiet", "--create", "later")
    workspace.commit("change", **{"app.py": "a = 2\n"})
    (workspace.root / ".git" / "objects" / name[:2] / name[2:]).unlink()
    ran = workspace.selfreview("run")
    assert (ran.code, "git fetch --refetch" in ran.err) == (ExitCode.USAGE, True), ran
