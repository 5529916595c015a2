"""A change with nothing to review that fails all the same: each format, and each exit code, has to say so."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Ran, Workspace

FAILS = ("-o", 'checks.t="false"')
FORMATS = {
    "agent": "selfreview: 1 issue blocks.",
    "concise": ": high: check t failed: false",
    "github": "check t failed: false",
    "gitlab": "check t failed: false",
    "html": "Did not pass",
    "json": '"verdict": "needs_work"',
    "jsonl": '"verdict":"needs_work"',
    "junit": "check t failed: false",
    "markdown": "did not pass",
    "rdjson": "check t failed: false",
    "sarif": "check t failed: false",
    "terminal": "needs_work",
}
NOTHING = ("nothing to do", "nothing to review", "Nothing to review", "nothing_to_review")


@pytest.fixture
def locked(workspace: Workspace) -> Workspace:
    """A repository whose only change is excluded."""
    workspace.write("package-lock.json", "{}\n")
    return workspace


def test_it_passes_by_itself(locked: Workspace) -> None:
    ran = locked.selfreview("run", "-f", "json")
    assert (ran.code, ran.json["status"], ran.json["passed"]) == (ExitCode.PASSED, "nothing_to_review", True)


def test_each_format_shows_a_check_that_fails(locked: Workspace, tmp_path: Path) -> None:
    files = {name: tmp_path / name for name in FORMATS if name != "terminal"}
    wanted = [word for name, file in files.items() for word in ("-f", f"{name}:{file}")]
    ran = locked.selfreview("run", *FAILS, "-f", "terminal", *wanted)
    assert (ran.code, ran.err) == (ExitCode.ISSUES, "")
    for name, said in {"terminal": ran.out, **{name: file.read_text() for name, file in files.items()}}.items():
        assert FORMATS[name] in said, name
        assert not [word for word in NOTHING if word in said], (name, said)


def test_a_failed_check_is_remembered_and_is_no_empty_review(locked: Workspace) -> None:
    assert locked.selfreview("run", *FAILS).code == ExitCode.ISSUES
    assert "needs_work, 1 high" in locked.selfreview("status").out


def test_an_agents_turn_ends_with_the_check_that_failed(workspace: Workspace) -> None:
    folder = Path(os.environ["SELFREVIEW_CONFIG_DIR"])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text('[checks]\nt = "false"\n')
    turn = json.dumps({"session_id": "s1", "stop_hook_active": False}).encode()
    workspace.selfreview("hook", "turn", "begin", stdin=turn)
    workspace.write("package-lock.json", "{}\n")
    ran = workspace.selfreview("hook", "turn", "end", stdin=turn)
    assert (ran.code, "check t failed: false" in ran.err, "nothing to do" in ran.err) == (2, True, False)


DECIDES = "from selfreview.api import *\n\n\n@hookimpl\ndef selfreview_verdict(result, config):\n    return {verdict}\n"
FAULTY = """

class Faulty:
    name, depth, default = "faulty", Depth.STATIC, True

    def selects(self, file): return True
    def cache_key(self, context): return None
    def review(self, files, context): return Review(status=ReviewerStatus.FAILED, error="no licence")


@hookimpl
def selfreview_register_reviewers(registry): registry.add(Faulty())
"""


def decided(workspace: Workspace, folder: Path, verdict: str, *options: str, more: str = "") -> Ran:
    (folder / "deciding.py").write_text(DECIDES.format(verdict=verdict) + more)
    return workspace.selfreview("run", "-p", "deciding", "-f", "json", *options, PYTHONPATH=str(folder))


def test_a_plugins_verdict_fails_it(locked: Workspace, tmp_path: Path) -> None:
    ran = decided(locked, tmp_path, "Verdict.CRITICAL_ISSUES")
    assert (ran.code, ran.json["passed"], ran.json["status"]) == (ExitCode.ISSUES, False, "complete")
    assert (ran.json["verdict"], ran.json["counts"]["critical"]) == ("critical_issues", 0)


def test_a_plugins_verdict_fails_an_incomplete_review_that_only_warns(workspace: Workspace, tmp_path: Path) -> None:
    workspace.write("app.py", "LIMIT = 3\n")
    warns = ("-o", "on_incomplete=warn")
    assert decided(workspace, tmp_path, "None", *warns, more=FAULTY).code == ExitCode.PASSED
    ran = decided(workspace, tmp_path, "Verdict.CRITICAL_ISSUES", *warns, more=FAULTY)
    assert (ran.code, ran.json["status"], ran.json["passed"]) == (ExitCode.ISSUES, "incomplete", False)
    assert ran.json["notPassedReasons"] == ["a plugin made the verdict critical_issues"]


@pytest.mark.parametrize("verdict", ["NEEDS_WORK", "CRITICAL_ISSUES"])
def test_a_plugins_verdict_fails_what_the_threshold_lets_pass(
    workspace: Workspace, tmp_path: Path, verdict: str
) -> None:
    workspace.write("app.py", "print(undefined_name)\n")
    lenient = ("--severity-threshold", "critical")
    assert decided(workspace, tmp_path, "None", *lenient).json["verdict"] == "needs_work"
    ran = decided(workspace, tmp_path, f"Verdict.{verdict}", *lenient)
    assert (ran.code, ran.json["passed"], ran.json["verdict"]) == (ExitCode.ISSUES, False, verdict.lower())
    assert ran.json["notPassedReasons"] == [f"a plugin made the verdict {verdict.lower()}"]
