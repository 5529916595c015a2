"""What plugins can do to a result, through the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Ran, Workspace

HEAD = "from selfreview.api import *\n\n\n@hookimpl\n"


def with_plugin(workspace: Workspace, tmp_path: Path, code: str, *arguments: str) -> Ran:
    (tmp_path / "deciding.py").write_text(HEAD + code)
    return workspace.selfreview("run", "-p", "deciding", *arguments, PYTHONPATH=str(tmp_path))


def test_a_stricter_verdict_fails_the_run(workspace: Workspace, tmp_path: Path) -> None:
    workspace.write("app.py", "LIMIT = 3\n")
    code = "def selfreview_verdict(result, config): return Verdict.CRITICAL_ISSUES\n"
    ran = with_plugin(workspace, tmp_path, code, "-f", "json")
    assert ran.code == ExitCode.ISSUES
    assert (ran.json["verdict"], ran.json["passed"]) == ("critical_issues", False)


def test_a_laxer_verdict_is_ignored(workspace: Workspace, tmp_path: Path) -> None:
    workspace.write("app.py", "print(undefined_name)\n")
    ran = with_plugin(
        workspace, tmp_path, "def selfreview_verdict(result, config): return Verdict.PASS\n", "-f", "json"
    )
    assert ran.code == ExitCode.ISSUES
    assert ran.json["verdict"] == "needs_work"
    assert sum("laxer" in note for note in ran.json["notes"]) == 1


def test_a_status_from_a_plugin_is_kept_with_its_reason(workspace: Workspace, tmp_path: Path) -> None:
    workspace.write("app.py", "print(undefined_name)\n")
    code = "def selfreview_issue_status(issue, config): return IssueStatus.ACCEPTED, 'known'\n"
    ran = with_plugin(workspace, tmp_path, code, "-f", "json")
    assert ran.code == ExitCode.PASSED
    assert {(i["status"], i["statusReason"]) for i in ran.json["issues"]} == {("accepted", "known")}


def test_a_duplicate_stands_for_itself_once_its_twin_is_dismissed(workspace: Workspace, tmp_path: Path) -> None:
    workspace.write("app.py", "import subprocess\n\n\ndef f(x):\n    subprocess.run(f'ls {x}', shell=True)\n")
    code = (
        "def selfreview_issue_status(issue, config):\n"
        "    return (IssueStatus.DISMISSED, 'no') if issue.reviewer == 'rules' else None\n"
    )
    ran = with_plugin(workspace, tmp_path, code, "-f", "json")
    assert ran.code == ExitCode.ISSUES
    assert [i["status"] for i in ran.json["issues"] if i["rule"] == "S602"] == ["open"]


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("def selfreview_ignore_file(file, config): return False\n", "selfreview_ignore_file"),
        ("def selfreview_issue_status(issue, config): return 'accepted'\n", "selfreview_issue_status"),
        ("def selfreview_modify_issues(issues, change, config): issues.clear()\n", "removed an issue"),
    ],
)
def test_an_answer_that_makes_no_sense_fails_the_run(
    workspace: Workspace, tmp_path: Path, code: str, says: str
) -> None:
    workspace.write("app.py", "print(undefined_name)\n")
    ran = with_plugin(workspace, tmp_path, code)
    assert ran.code == ExitCode.USAGE
    assert says in ran.err


def test_plugins_write_above_and_below_the_terminal_report(workspace: Workspace, tmp_path: Path) -> None:
    workspace.write("app.py", "LIMIT = 3\n")
    code = (
        "def selfreview_report_header(config): return 'above \\x1b[31m'\n\n\n"
        "@hookimpl\ndef selfreview_terminal_summary(terminal, result, config): terminal.line('below')\n"
    )
    lines = with_plugin(workspace, tmp_path, code).out.splitlines()
    assert (lines[0], lines[-1]) == ("above \\x1b[31m", "below")


def test_only_deletions_are_no_failure(workspace: Workspace) -> None:
    workspace.git("rm", "--quiet", "README.md")
    ran = workspace.selfreview("run", "--format", "json")
    assert (ran.code, ran.json["status"]) == (ExitCode.PASSED, "nothing_to_review")


def test_another_revision_is_compared_with_the_default_branch(workspace: Workspace) -> None:
    workspace.commit(**{"app.py": "print(undefined_name)\n"})
    workspace.git("switch", "--quiet", "main")
    ran = workspace.selfreview("run", "--head", "work", "--format", "json")
    assert ran.code == ExitCode.ISSUES
    assert ran.json["scope"]["files"] == 1


SELECTING = """
class Choosy:
    name, depth, default = "choosy", Depth.STATIC, True

    def selects(self, file): raise ValueError("cannot choose")
    def cache_key(self, context): return None
    def review(self, files, context): return Review()


@hookimpl
def selfreview_register_reviewers(registry): registry.add(Choosy())
"""


def test_a_reviewer_that_cannot_choose_its_files_is_no_pass(workspace: Workspace, tmp_path: Path) -> None:
    workspace.write("app.py", "LIMIT = 3\n")
    code = "def selfreview_configure(config): pass\n" + SELECTING
    ran = with_plugin(workspace, tmp_path, code, "-f", "json")
    assert (ran.code, ran.json["status"]) == (ExitCode.INCOMPLETE, "incomplete")
    assert any(
        reason.startswith("choosy failed: crashed: ValueError: cannot choose (")
        for reason in ran.json["incompleteReasons"]
    )
    assert with_plugin(workspace, tmp_path, code, "--collect-only").code == ExitCode.USAGE
