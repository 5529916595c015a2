"""A tool's own fixes as a fixer: which files it gets, and what its exit status means."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from selfreview.api import ConfigView, Fix, Fixer, FixOutcome, Registry, Side
from selfreview.config.tables import check_commands
from selfreview.errors import ExitCode, ToolError, ToolTimeout
from selfreview.fixers import command
from selfreview.fixers.command import CommandFixer
from selfreview.testing.fixing import FixBench
from tests.conftest import Workspace

TOOL = """
import pathlib, sys
for name in sys.argv[1:]:
    path = pathlib.Path(name)
    path.write_text(path.read_text().replace("bad", "good"))
"""
FILES = {"a.txt": "bad\n", "b.txt": "bad\n", "-c.txt": "bad\n", "clean.txt": "fine\n"}


def table(code: str = TOOL, **more: Any) -> dict[str, Any]:
    return {"run": ["tool"], "format": "sarif", "fix": [sys.executable, "-c", code, "{files}"], **more}


def mend(code: str = TOOL, files: tuple[str, ...] = ("a.txt",), bench: FixBench | None = None, **more: Any) -> Fix:
    if bench is None:
        with FixBench(FILES) as own:
            return mend(code, files, own, **more)
    issues = [bench.issue(path, 1, "bad", reviewer="tool") for path in files]
    return CommandFixer("tool", table(code, **more)).fix(bench.request(*issues), bench)


def test_edits_exactly_the_files_with_issues() -> None:
    with FixBench(FILES) as bench:
        fix = mend(files=("b.txt", "-c.txt", "b.txt", "clean.txt"), bench=bench)
        assert bench.changed() == ["-c.txt", "b.txt"]
    outcomes = [answer.outcome for answer in fix.answers]
    assert outcomes == [FixOutcome.ADDRESSED] * 3 + [FixOutcome.NOT_ADDRESSED]


def test_arguments_behind_the_files_stay_there() -> None:
    code = "import sys; open(sys.argv[1], 'w').write(' '.join(sys.argv[1:]))"
    with FixBench(FILES) as bench:
        fixer = CommandFixer("tool", {"fix": [sys.executable, "-c", code, "{files}", "--quiet"]})
        fixer.fix(bench.request(bench.issue("a.txt", 1, "bad", reviewer="tool")), bench)
        assert bench.text("a.txt") == "a.txt --quiet"


@pytest.mark.parametrize(
    ("code", "more", "fails"),
    [
        ("import sys; sys.exit('broken configuration')", {}, True),
        (f"{TOOL}\nsys.exit(1)", {}, False),
        ("import sys; sys.exit(3)", {"fix_ok": [0, 3]}, False),
        ("pass", {"fix_ok": [3]}, True),
        ("pass", {}, False),
    ],
)
def test_a_status_counts_unless_files_changed(code: str, more: dict[str, Any], fails: bool) -> None:
    fix = mend(code, **more)
    assert (fix.error is not None) is fails
    assert len(fix.answers) == (0 if fails else 1)


def test_says_what_the_tool_said() -> None:
    fix = mend("import sys; sys.exit('broken\\nconfiguration')")
    assert fix.error == "tool ended with status 1: broken configuration"
    assert fix.hint is not None
    assert "command.tool.fix_ok" in fix.hint


def test_a_tool_that_hangs_is_killed() -> None:
    with pytest.raises(ToolTimeout, match="did not finish"):
        mend("import threading; threading.Event().wait()", timeout=0.5)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_tool_that_is_killed_has_failed() -> None:
    with pytest.raises(ToolError, match="SIGKILL"):
        mend(f"{TOOL}\nimport os; os.kill(os.getpid(), 9)")


def test_a_file_that_is_gone_is_not_given_to_it() -> None:
    code = "import sys; sys.exit('called')"
    assert mend(code, ("missing.txt",)).answers[0].outcome is FixOutcome.NOT_ADDRESSED


def test_what_is_not_trusted_or_not_installed_does_not_run() -> None:
    fixer = CommandFixer("tool", table("open('ran', 'w')"))
    with FixBench(FILES) as bench:
        issue = bench.issue("a.txt", 1, "bad", reviewer="tool")
        assert fixer.takes(issue, bench.config)
        assert fixer.unavailable(bench.config) is None
        bench.config.trusted = False  # type: ignore[misc] # the test's own configuration
        assert not fixer.takes(issue, bench.config)
        assert "selfreview trust" in (fixer.unavailable(bench.config) or "")
        assert fixer.fix(bench.request(issue), bench).error is not None
        assert not bench.changed()
        bench.config.trusted = True  # type: ignore[misc]
        absent = CommandFixer("tool", {"fix": ["no-such-program", "{files}"]})
        assert absent.unavailable(bench.config) == "no-such-program is not installed"
        assert not fixer.takes(bench.issue("a.txt", 1, "bad", reviewer="other"), bench.config)
        assert not fixer.takes(bench.issue("a.txt", 1, "bad", reviewer="tool", side=Side.OLD), bench.config)


def test_a_table_without_it_makes_no_fixer() -> None:
    registry: Registry[Fixer] = Registry("fixer")
    tables = {"tool": table(), "other": {"run": ["other"], "format": "sarif"}}
    with FixBench({}, config={"command": tables}) as bench:
        config: ConfigView = bench.config
        command.selfreview_register_fixers(registry, config)
    assert registry.names() == ["tool"]
    assert next(iter(registry)).is_mechanical


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"fix": ["tool"]}, "must hold {files}"),
        ({"fix": "tool {files}"}, "must be a list of strings"),
        ({"fix": ["{files}"]}, "must be a program"),
        ({"fix_ok": [256]}, "0 to 255"),
        ({"fix_okay": [0]}, "is not a known key"),
    ],
)
def test_what_a_table_may_hold(wrong: dict[str, Any], said: str) -> None:
    problem = check_commands({"tool": {**table(), **wrong}})
    assert problem is not None
    assert said in problem


def use_tool(workspace: Workspace, tmp_path: Path, fixes: str = TOOL) -> None:
    """Have the base name a tool that finds bad words in texts and code, and its fixes."""
    (tmp_path / "finds.py").write_text(
        "import sys\nfor n in sys.argv[1:]:\n  for i, l in enumerate(open(n), 1):\n"
        "    if 'bad' in l: print(f'{n}:{i}: bad word')\n"
    )
    (tmp_path / "fixes.py").write_text(fixes)
    finds, mends = ([sys.executable, str(tmp_path / name), "{files}"] for name in ("finds.py", "fixes.py"))
    settings = (
        f"[command.words]\nrun = {finds!r}\nfix = {mends!r}\nformat = 'pattern'\nseverity = {{default = 'high'}}\n"
    )
    pattern = "pattern = '^(?P<file>[^:]+):(?P<line>\\d+): (?P<message>.*)$'\nfiles = ['*.txt', '*.py']\n"
    workspace.commit(**{"selfreview.toml": settings + pattern})
    workspace.git("branch", "--force", "main")


def test_a_run_refines_with_it_once_it_is_trusted(workspace: Workspace, tmp_path: Path) -> None:
    use_tool(workspace, tmp_path)
    workspace.write("a.txt", "one\nbad\n")
    workspace.selfreview("run", "--apply")
    assert (workspace.root / "a.txt").read_text() == "one\nbad\n"
    assert workspace.selfreview("trust").code == 0
    ran = workspace.selfreview("run", "--apply", "--format", "json")
    assert (workspace.root / "a.txt").read_text() == "one\ngood\n", ran
    assert ran.code == 0


def test_no_run_applies_a_fix_that_puts_code_into_a_comment(workspace: Workspace, tmp_path: Path) -> None:
    code = "def h(user):\n    verify(user)  # bad\n    return user\n\n\ndef verify(user):\n    print(user)\n"
    use_tool(
        workspace, tmp_path, TOOL.replace('replace("bad", "good")', 'replace("verify(user)  # bad", "# verify(user)")')
    )
    workspace.write("new.py", code)
    workspace.selfreview("trust")
    ran = workspace.selfreview("run", "--apply", "--reviewer", "words", "--format", "json")
    assert (ran.code, (workspace.root / "new.py").read_text()) == (ExitCode.ISSUES, code), ran
    assert "commented-out" in ran.out
