"""The main job, end to end through the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Workspace

BAD = "import os\n\n\ndef shout(text):\n    return undefined_name(text)\n"


def test_a_mistake_on_a_changed_line_blocks(workspace: Workspace) -> None:
    workspace.write("app.py", BAD)
    ran = workspace.selfreview("run", "--format", "json")
    assert ran.code == ExitCode.ISSUES
    result = ran.json
    assert (result["verdict"], result["status"], result["passed"]) == ("needs_work", "complete", False)
    (issue,) = [i for i in result["issues"] if i["status"] == "open" and i["severity"] == "high"]
    assert (issue["file"], issue["lineStart"], issue["rule"], issue["reviewer"]) == ("app.py", 5, "F821", "ruff")
    assert issue["evidence"] == "    return undefined_name(text)"
    assert result["scope"]["base"] == "main"
    assert result["scope"]["tree"]
    assert any("No model took part" in note for note in result["notes"])


def test_an_old_mistake_on_an_untouched_line_does_not_block(workspace: Workspace) -> None:
    workspace.git("switch", "--quiet", "main")
    workspace.commit("old sin", **{"app.py": BAD})
    workspace.git("switch", "--quiet", "--create", "later")
    workspace.write("app.py", BAD + "\n\nLIMIT = 3\n")
    result = workspace.review()
    assert result["passed"] is True
    assert [i["status"] for i in result["issues"] if i["rule"] == "F821"] == ["out_of_scope"]


@pytest.mark.parametrize(
    ("old", "new", "status"),
    [
        ("new Promise(async (resolve) => {\n  resolve(await one())\n})\n", ("one()", "two()"), "out_of_scope"),
        (
            "new Promise(async (resolve) => {\n  resolve(await one())\n})\n",
            ("async (resolve)", "async (resolve, _)"),
            "open",
        ),
        ("try {\n  one()\n} catch (error) {\n  log(error)\n}\n", ("  log(error)\n", ""), "open"),
    ],
    ids=["its body", "its head", "a body that was right"],
)
def test_a_change_inside_of_an_old_mistake_does_not_block(
    workspace: Workspace, old: str, new: tuple[str, str], status: str
) -> None:
    workspace.git("switch", "--quiet", "main")
    workspace.commit("old sin", **{"app.js": old})
    workspace.git("switch", "--quiet", "--create", "later")
    workspace.write("app.js", old.replace(*new))
    for _ in range(2):  # the second one from the cache
        result = workspace.review()
        assert [i["status"] for i in result["issues"] if i["reviewer"] == "rules"] == [status]
        assert result["passed"] is (status != "open")


def test_a_clean_change_passes(workspace: Workspace) -> None:
    workspace.write("app.py", "LIMIT = 3\n")
    ran = workspace.selfreview("run")
    assert ran.code == ExitCode.PASSED
    assert "No model took part" in ran.out


def test_nothing_to_review_passes_and_says_so(workspace: Workspace) -> None:
    ran = workspace.selfreview("run", "--format", "json")
    assert ran.code == ExitCode.PASSED
    assert ran.json["status"] == "nothing_to_review"


def test_staged_sees_the_index_and_not_the_working_tree(workspace: Workspace) -> None:
    workspace.write("app.py", BAD)
    workspace.git("add", "app.py")
    workspace.write("app.py", "LIMIT = 3\n")
    assert workspace.review("--staged")["verdict"] == "needs_work"
    assert workspace.review()["verdict"] == "pass"


def test_the_threshold_decides_about_the_exit_code_and_not_about_the_verdict(workspace: Workspace) -> None:
    workspace.write("app.py", BAD)
    ran = workspace.selfreview("run", "--format", "json", "--severity-threshold", "critical")
    assert ran.code == ExitCode.PASSED
    assert (ran.json["verdict"], ran.json["passed"]) == ("needs_work", True)


def test_a_patch_needs_no_repository(workspace: Workspace, tmp_path: Path) -> None:
    workspace.write("app.py", BAD)
    workspace.git("add", "app.py")
    patch = workspace.git("diff", "--cached").encode() + b"\n"
    ran = workspace.selfreview("run", "--diff", "-", "--format", "json", cwd=tmp_path, stdin=patch)
    assert ran.code == ExitCode.ISSUES
    assert ran.json["scope"]["mode"] == "diff"


def test_a_second_run_starts_no_tool(workspace: Workspace) -> None:
    workspace.write("app.py", BAD)
    first, second = workspace.review(), workspace.review()
    assert not all(r["cached"] for r in first["reviewers"] if r["status"] == "ok")
    assert all(r["cached"] for r in second["reviewers"] if r["status"] == "ok")
    drop = ("timestamp", "runId", "durationMs", "reviewers")
    assert {k: v for k, v in first.items() if k not in drop} == {k: v for k, v in second.items() if k not in drop}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "--no-such-flag"], "no such option"),
        (["rnu"], "there is no command 'rnu'"),
        (["run", "--format", "yaml"], "there is no format 'yaml'"),
        (["run", "--collect-only", "--format", "json:file"], "--collect-only prints to standard output"),
        (["run", "--reviewer", "nobody"], "there is no reviewer named 'nobody'"),
        (["run", "--base", "nowhere"], "the base 'nowhere' names no commit"),
        (["run", "--commit", "HEAD", "--staged"], "exclude one another"),
        (["run", "--range", "HEAD"], "is not a range"),
        (["run", "-p", "nothing.here"], "nothing.here"),
        (["run", "-o", "max=3"], "unknown key max"),
        (["run", "missing.py"], "there is no file or folder 'missing.py'"),
        (["run", "--diff", "missing.patch"], "cannot be read"),
        (["run", "--fail-on", "awful"], "awful"),
    ],
)
def test_a_wrong_command_line_is_one_line(workspace: Workspace, arguments: list[str], message: str) -> None:
    ran = workspace.selfreview(*arguments)
    assert ran.code == ExitCode.USAGE
    assert message in ran.err
    assert ran.err.startswith("error: ")
    lines = ran.err.splitlines()
    assert len(lines) <= 2
    assert all(line.startswith("hint: ") for line in lines[1:])
    assert ran.out == ""


FORMATS = ["terminal", "concise", "json", "jsonl"]


def in_each_format(workspace: Workspace, *args: str) -> dict[str, str]:
    """Run once, and return what each format says."""
    files = {name: workspace.root.parent / f"said.{name}" for name in FORMATS[1:]}
    wanted = [word for name, file in files.items() for word in ("--format", f"{name}:{file}")]
    ran = workspace.selfreview("run", *args, "--format", FORMATS[0], *wanted)
    assert ran.code == ExitCode.PASSED, ran
    said = {FORMATS[0]: ran.out, **{name: file.read_text() for name, file in files.items()}}
    return {name: " ".join(text.split()) for name, text in said.items()}


def test_a_partial_review_says_so_and_why_in_every_format(workspace: Workspace) -> None:
    workspace.write("app.py", "LIMIT = 3\n")
    workspace.write("other.py", "LIMIT = 3\n")
    for name, said in in_each_format(workspace, "app.py", "--reviewer", "text", "--reviewer", "ruff").items():
        assert "partial: only the files under the paths given were reviewed" in said, name
        assert "partial: only the reviewers given took part: text, ruff" in said, name
    assert not [name for name, said in in_each_format(workspace).items() if "partial:" in said]


def test_a_review_that_is_switched_off_says_so(workspace: Workspace) -> None:
    workspace.write("app.py", BAD)
    for name, said in in_each_format(workspace, "-o", "enabled=false").items():
        assert "selfreview is switched off by configuration (enabled = false, command line)" in said, name
        assert "no changes" not in said, name
    assert workspace.selfreview("history").out.startswith("no review yet")


def test_only_deletions_are_not_called_no_changes(workspace: Workspace) -> None:
    workspace.git("rm", "--quiet", "README.md")
    said = " ".join(workspace.selfreview("run").out.split())
    assert said.startswith("nothing to review: the change adds no line")


@pytest.mark.parametrize("arguments", [[], ["hook"], ["hook", "run"]])
def test_without_a_command_there_is_help_and_no_pass(workspace: Workspace, arguments: list[str]) -> None:
    ran = workspace.selfreview(*arguments)
    assert ran.code == ExitCode.USAGE
    assert ran.out == ""
    assert ran.err.startswith("Usage: selfreview")
    assert "\nCommands:\n" in ran.err


def test_what_is_not_installed_is_told_before_a_run(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "selfreview.reviewers.tools.program.find_program", lambda name: None
    )  # also beside the interpreter
    workspace.write("run.sh", "#!/bin/sh\nexit 0\n")
    ran = workspace.run_inprocess("run", "--collect-only", "--format", "json")
    tasks = {task["reviewer"]: task["skipped"] for task in ran.json["tasks"]}
    assert tasks["semgrep"] == "semgrep is not installed"
    assert tasks["shellcheck"] == "shellcheck is not installed"
    assert tasks["text"] is None
    shown = workspace.run_inprocess("run", "--collect-only")
    assert "  semgrep: skipped, semgrep is not installed (pip install semgrep)\n" in shown.stdout


def test_a_commit_changes_nothing_about_what_is_known(workspace: Workspace) -> None:
    workspace.write("app.py", BAD)
    first = workspace.review("--no-fix")
    workspace.commit("the same, committed")
    second = workspace.review("--no-fix")
    assert not any(reviewer["cached"] for reviewer in first["reviewers"] if reviewer["status"] == "ok")
    assert all(reviewer["cached"] for reviewer in second["reviewers"] if reviewer["status"] == "ok")


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a privilege there")
def test_a_link_alone_is_listed_and_stops_no_commit(workspace: Workspace) -> None:
    (workspace.root / "CLAUDE.md").symlink_to("AGENTS.md")
    workspace.git("add", "--all")
    ran = workspace.selfreview("run", "--staged", "--no-fix", "--format", "json")
    assert (ran.code, ran.json["status"]) == (ExitCode.PASSED, "nothing_to_review")
    assert ran.json["coverage"]["excluded"] == [{"path": "CLAUDE.md", "why": "a symbolic link", "pathBytes": None}]
    assert workspace.selfreview("hook", "run", "pre-commit").code == ExitCode.PASSED


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell closes it")
def test_a_patch_from_a_closed_standard_input_is_a_mistake_of_use(workspace: Workspace) -> None:
    shell = ["sh", "-c", '"$0" -m selfreview run --diff - <&-', sys.executable]
    done = subprocess.run(shell, cwd=workspace.root, capture_output=True, check=False)
    assert (done.returncode, b"there is none" in done.stderr) == (ExitCode.USAGE, True), done


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only some systems have a device that is always full")
def test_a_full_output_is_not_helped_by_another_folder_for_temporary_files(workspace: Workspace) -> None:
    shell = ["sh", "-c", '"$0" -m selfreview run >/dev/full', sys.executable]
    done = subprocess.run(shell, cwd=workspace.root, capture_output=True, check=False)
    told = (b"the disk is full: writing the output" in done.stderr, b"TMPDIR" in done.stderr)
    assert (done.returncode, told) == (ExitCode.USAGE, (True, False)), done
