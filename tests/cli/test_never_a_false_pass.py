"""A reviewer that fails in any way makes the result incomplete; the others' issues are still shown."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Workspace
from tests.rows import few

PLUGIN = '''
import os, signal, sys, threading, time
import msgspec
from selfreview.api import Category, Depth, Finding, Review, ReviewerStatus, Severity, hookimpl
from selfreview.errors import ToolError


class Panic(BaseException):
    """What native code raises."""


class Faulty:
    name = "faulty"
    depth = Depth.STATIC
    default = True

    def selects(self, file):
        return True

    def cache_key(self, context):
        return None

    def review(self, files, context):
        finding = Finding(file="app.py", line_start=1, severity=Severity.LOW, category=Category.LOGIC, description="x")
        script = [sys.executable, "-c"]
        run = lambda code, **more: context.run([*script, code], cwd=context.workspace(), **more)
        match os.environ["FAULT"]:
            case "raises": raise ValueError("first line\\nsecond line")
            case "panics": raise Panic("native code")
            case "exits": sys.exit(0)
            case "hangs": threading.Event().wait()
            case "tool hangs": run("import threading; threading.Event().wait()")
            case "tool is killed": run("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
            case "tool fails": run("import sys; sys.exit('no such rule')")
            case "tool is missing": context.run(["no-such-program-anywhere"], cwd=context.workspace())
            case "tool says too much": run("while True: print('x' * 100000)")
            case "returns nothing": return None
            case "returns findings with a failure":
                return Review(findings=[finding], status=ReviewerStatus.NOT_APPLICABLE)
            case "leaves files out": return Review(unreviewed={files[0].path: "too deep"})
            case "crashes at a file": return Review(crashes={files[0].path: ValueError("out of order")})
            case "names other files": return Review(unreviewed={"nowhere.py": "too deep"})
            case "says it failed": return Review(status=ReviewerStatus.FAILED, error="no licence")
            case "over budget": return Review(status=ReviewerStatus.OVER_BUDGET, error="it would cost too much")


@hookimpl
def selfreview_register_reviewers(registry, config):
    registry.add(Faulty())
'''

FAULTS = {
    "raises": "crashed: ValueError: first line second line",
    "panics": "crashed: Panic: native code",
    "exits": "crashed: SystemExit",
    "hangs": "did not finish within 1 s",
    "tool hangs": "did not finish within 1 s",
    "tool is killed": "was killed by SIGKILL",
    "tool fails": "no such rule",
    "tool is missing": "cannot be started",
    "tool says too much": "more than 64 MiB",
    "returns nothing": "returned NoneType",
    "returns findings with a failure": "returned findings together with",
    "leaves files out": "too deep",
    "crashes at a file": "crashed: ValueError: out of order (not reviewed: app.py)",
    "names other files": "nowhere.py",
    "says it failed": "no licence",
    "over budget": "it would cost too much",
}
SHOWN = ("terminal", "concise", "jsonl")
"""Each fault is shown in one of them, in turn: they write whatever the reason is in one place."""


@pytest.mark.parametrize(
    ("fault", "reason"),
    few(
        {fault: (fault, reason) for fault, reason in FAULTS.items()},
        *("raises", "exits", "tool hangs", "tool is killed", "tool fails", "tool says too much", "returns nothing"),
        *("leaves files out", "crashes at a file", "says it failed", "over budget"),
    ),
)
def test_a_failing_reviewer_is_never_a_pass(workspace: Workspace, tmp_path: Path, fault: str, reason: str) -> None:
    (tmp_path / "faulty_plugin.py").write_text(PLUGIN)
    workspace.write("app.py", "import pdb\npdb.set_trace()\nprint(undefined_name)\n")
    # Only the reviewers that must be stopped get a short deadline.
    patience = ["-o", "reviewer_timeout=1"] if "hangs" in fault else []
    patience += ["--no-fix"] if fault != "raises" else []  # of one it is enough that no refinement hides it
    ran = workspace.selfreview(
        "run", "-p", "faulty_plugin", *patience, "--format", "json", PYTHONPATH=str(tmp_path), FAULT=fault
    )
    assert ran.code == ExitCode.INCOMPLETE, ran
    result = ran.json
    assert (result["status"], result["passed"], result["verdict"]) == ("incomplete", False, "needs_work")
    assert any("faulty" in note and reason in note for note in result["incompleteReasons"]), result["incompleteReasons"]
    assert any(issue["rule"] == "F821" and issue["status"] == "open" for issue in result["issues"])
    assert "Traceback" not in ran.err + ran.out
    if "hangs" in fault:
        return  # once is enough of waiting
    shown = SHOWN[list(FAULTS).index(fault) % len(SHOWN)]
    text = workspace.selfreview(
        "run", "--no-fix", "-p", "faulty_plugin", "-f", shown, PYTHONPATH=str(tmp_path), FAULT=fault
    )
    assert text.code == ExitCode.INCOMPLETE
    assert "incomplete" in text.out.lower()
    assert reason[:30] in " ".join(text.out.split())


def test_a_file_at_which_the_rules_crash_costs_no_other_file_its_review(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "crashing.py").write_text(
        "from selfreview.api import hookimpl\n"
        "import selfreview.reviewers.rules as rules\n"
        "parseable = rules.parseable\n"
        "def broken(source): return [][0] if 'odd' in source.text else parseable(source)\n"
        "rules.parseable = broken\n"
        "@hookimpl\ndef selfreview_configure(config): pass\n"
    )
    workspace.write("a.py", "odd = 1\n")
    workspace.write("b.py", "import pdb\npdb.set_trace()\n")
    arguments = ("run", "-p", "crashing", "--reviewer", "rules")
    state = tmp_path / "/".join(["a-folder-with-a-long-name"] * 4)
    environment = {"PYTHONPATH": str(tmp_path), "XDG_STATE_HOME": str(state)}
    for _ in range(2):  # the second run knows the other file from the cache
        ran = workspace.selfreview(*arguments, "--format", "json", **environment)
        assert ran.code == ExitCode.INCOMPLETE
        assert ran.json["incompleteReasons"] == [
            "rules failed: crashed: IndexError: list index out of range (not reviewed: a.py)"
        ]
        assert [(issue["file"], issue["rule"]) for issue in ran.json["issues"]] == [("b.py", "python-breakpoint")]
    text = workspace.selfreview(*arguments, "--format", "terminal", **environment).out
    (path,) = [line.strip() for line in text.splitlines() if "/selfreview/crash-" in line]
    assert "IndexError" in Path(path).read_text()
    whole = workspace.selfreview("run", "--reviewer", "rules", "--format", "json")
    assert (whole.json["status"], [one["hint"] for one in whole.json["reviewers"]]) == ("complete", [None])


def test_incomplete_may_only_warn_where_the_person_chose_so(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "faulty_plugin.py").write_text(PLUGIN)
    workspace.write("app.py", "LIMIT = 3\n")
    ran = workspace.selfreview(
        "run", "-p", "faulty_plugin", "-o", "on_incomplete=warn", "--format", "json",
        PYTHONPATH=str(tmp_path), FAULT="says it failed",
    )  # fmt: skip
    assert ran.code == ExitCode.PASSED
    assert (ran.json["status"], ran.json["passed"], ran.json["verdict"]) == ("incomplete", False, None)


def test_a_required_reviewer_that_is_missing_is_no_pass(workspace: Workspace) -> None:
    workspace.write("app.py", "LIMIT = 3\n")
    ran = workspace.selfreview("run", "-o", 'required_reviewers=["eslint"]')
    assert ran.code == ExitCode.USAGE
    assert "there is no reviewer named 'eslint'" in ran.err


def test_files_that_nobody_can_review_are_no_pass(workspace: Workspace) -> None:
    workspace.write("notes.txt", "hello\n")
    ran = workspace.selfreview("run", "--reviewer", "ruff", "--format", "json")
    assert ran.code == ExitCode.INCOMPLETE
    assert ran.json["coverage"]["reviewedFiles"] == 0


@pytest.mark.parametrize("form", ["pattern", "sarif"])
def test_a_tool_that_fails_for_files_of_a_container_is_no_pass(workspace: Workspace, form: str) -> None:
    place = {"physicalLocation": {"artifactLocation": {"uri": "file:///app/b.py"}, "region": {"startLine": 2}}}
    results = [{"message": {"text": "m"}, "locations": [place]}]
    sarif = {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "t"}}, "results": results}]}
    printed = json.dumps(sarif) if form == "sarif" else "/app/b.py:2:m"
    command = [sys.executable, "-c", f"import sys; print({printed!r}); sys.exit(1)"]
    settings = f"[command.tool]\nrun = {json.dumps(command)}\nformat = '{form}'\n"
    if form == "pattern":
        settings += "pattern = '^(?P<file>[^:]+):(?P<line>\\d+):(?P<message>.*)$'\n"
    workspace.commit("settings", **{"selfreview.toml": settings})
    workspace.git("branch", "--force", "main")
    assert workspace.selfreview("trust").code == ExitCode.PASSED
    workspace.write("b.py", "A = 1\nB = 2\n")
    ran = workspace.selfreview("run", "--no-fix")
    assert (ran.code, "no file that it names is there, such as /app/b.py" in " ".join(ran.out.split())) == (5, True), (
        ran
    )


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("Only in B: bad.py", "diff -ruN"),
        ("Submodule lib 1234567..89abcde:", "--submodule=short"),
        ("Submodule lib 0000000...89abcde (new submodule)", "--submodule=short"),
        ("Submodule lib contains modified content", "--submodule=short"),
    ],
)
def test_a_patch_that_names_what_it_does_not_show_is_refused(workspace: Workspace, line: str, hint: str) -> None:
    shown = "--- A/x.py\t2026-01-01\n+++ B/x.py\t2026-01-01\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"
    for patch in (f"{line}\n{shown}", f"{shown}{line}\n"):
        ran = workspace.selfreview("run", "--diff", "-", stdin=patch.encode())
        assert (ran.code, hint in ran.err) == (ExitCode.USAGE, True), ran


@pytest.mark.parametrize("time", ["1970-01-01 00:00:00.000000000 +0000", "1969-12-31 19:00:00.000000000 -0500"])
def test_a_new_file_of_a_plain_diff_is_reviewed_as_one(workspace: Workspace, time: str) -> None:
    written = "2026-01-01 00:00:00.000000000 +0000"
    lines = "+def f(t):\n+    return eval(t)\n"
    new = f"--- A/bad.py\t{time}\n+++ B/bad.py\t{written}\n@@ -0,0 +1,2 @@\n{lines}"
    ran = workspace.selfreview("run", "--diff", "-", "--format", "json", stdin=new.encode())
    assert (ran.code, any("eval" in issue["rule"] for issue in ran.json["issues"])) == (ExitCode.ISSUES, True), ran
    gone = f"--- A/bad.py\t{written}\n+++ B/bad.py\t{time}\n@@ -1,2 +0,0 @@\n{lines.replace('+', '-')}"
    listed = workspace.selfreview("run", "--diff", "-", "--collect-only", stdin=gone.encode())
    assert (listed.code, "deleted" in listed.out) == (ExitCode.PASSED, True), listed
