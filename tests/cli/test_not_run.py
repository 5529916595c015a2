"""What a review did not run, and which files it did not read, is said where a pass is said."""

from __future__ import annotations

import json
import re

import pytest

from selfreview.errors import ExitCode
from tests.cli.refining.lab import Lab
from tests.conftest import Workspace

CHECKS = """
[checks]
unit = "true"
style = { run = "true", files = ["*.css"] }
[command.mylint]
run = ["true", "{files}"]
files = ["*.py"]
format = "pattern"
pattern = '^(?P<file>[^:]+):(?P<line>\\d+): (?P<message>.+)$'
"""
UNRUN = "mylint, check-unit did not run"


@pytest.fixture
def checked(workspace: Workspace) -> Workspace:
    """A repository with checks and a command that nobody trusts, and a change that they are for."""
    workspace.git("switch", "--quiet", "main")
    workspace.commit("settings", **{"selfreview.toml": CHECKS})
    workspace.git("switch", "--quiet", "work")
    workspace.git("reset", "--quiet", "--hard", "main")
    workspace.commit("clean", **{"app.py": "LIMIT = 3\n"})
    return workspace


@pytest.mark.parametrize("command", ["run", "gate"])
def test_a_pass_without_them_says_so_in_every_format_for_people(checked: Workspace, command: str) -> None:
    files = {name: checked.root.parent / f"report.{name}" for name in ("json", "markdown", "github", "html", "concise")}
    formats = [word for name, file in files.items() for word in ("--format", f"{name}:{file}")]
    ran = checked.selfreview(command, "--base", "main", *formats, "--format", "terminal")
    assert ran.code == ExitCode.PASSED, ran
    last = ran.out.splitlines()[-1]
    assert f" no issues · {UNRUN} · pass" in last
    told = {name: file.read_text(encoding="utf-8") for name, file in files.items()}
    assert json.loads(told["json"])["summary"] == f"No issues in 1 file; {UNRUN}."
    for name in ("github", "html", "concise"):
        assert UNRUN in told[name], name
    assert told["markdown"].startswith("## selfreview: passed, " + UNRUN.replace("-", r"\-"))
    assert re.search(r"^- skipped .*check\\-unit", told["markdown"], re.MULTILINE)


def test_why_several_did_not_run_is_told_once(checked: Workspace) -> None:
    settings = checked.root / "selfreview.toml"
    settings.write_text(settings.read_text().replace('unit = "true"', 'unit = "true"\nslow = "true"\ntypes = "true"'))
    checked.write("app.py", "LIMIT = 4\n")
    said = " ".join(checked.selfreview("run", "--base", "HEAD").out.split())
    assert (
        'check-unit, check-slow, check-types: checks of this repository are not trusted yet (run "selfreview trust")'
        in said
    )
    assert said.count("checks of this repository are not trusted yet") == 1


def test_status_says_so_at_its_beginning_and_at_its_end(checked: Workspace) -> None:
    checked.selfreview("run")
    first, *_, last = checked.selfreview("status").out.replace("\n          ", " ").splitlines()
    assert first == f"On branch work: pass, no issues, {UNRUN}"
    assert last == f"next      nothing: this change has passed, but {UNRUN}"
    assert "checks of this repository are not trusted yet" in checked.selfreview("status").out


def test_where_they_run_nothing_is_said(checked: Workspace) -> None:
    assert checked.selfreview("trust").code == 0
    assert "did not run" not in checked.selfreview("run", "--base", "main").out
    checked.write("app.py", "LIMIT = limti\n")  # blocks, so that no check is called for
    ran = checked.selfreview("run", "--base", "main", "--no-fix")
    assert (ran.code, "did not run" in ran.out) == (ExitCode.ISSUES, False), ran


def test_a_hook_says_that_it_waits_for_none(checked: Workspace) -> None:
    checked.selfreview("trust")
    checked.write("app.py", "LIMIT = 4\n")
    checked.git("add", "app.py")
    ran = checked.selfreview("hook", "run", "pre-commit")
    assert (ran.code, "passed, 1 file, check-unit did not run" in ran.out) == (ExitCode.PASSED, True), ran
    checks = CHECKS.replace('unit = "true"', 'unit = { run = "true", required = true }')
    checked.write("selfreview.toml", checks)
    assert checked.selfreview("hook", "run", "pre-commit").code == ExitCode.PASSED


def test_a_patch_is_no_tree_to_run_them_in(checked: Workspace) -> None:
    patch = checked.root.parent / "a.diff"
    patch.write_text(checked.git("diff", "main", "work") + "\n")
    ran = checked.selfreview("run", "--diff", str(patch))
    assert (ran.code, f"· {UNRUN} · pass" in ran.out.splitlines()[-1]) == (ExitCode.PASSED, True), ran


def test_a_program_that_is_not_there_is_named(checked: Workspace) -> None:
    checked.write("selfreview.toml", CHECKS.replace('["true", ', '["no-such-linter", '))
    checked.selfreview("trust")
    ran = checked.selfreview("run", "--base", "main")
    assert (ran.code, "mylint did not run" in ran.out.splitlines()[-1]) == (ExitCode.PASSED, True), ran


def test_a_plugin_of_the_repository_is_named_too(workspace: Workspace) -> None:
    workspace.write("selfreview_conf.py", "LIMIT = 1\n")
    ran = workspace.selfreview("run")
    assert "selfreview_conf.py did not run" in ran.out.splitlines()[-1], ran
    workspace.selfreview("trust")
    assert "did not run" not in workspace.selfreview("run").out


@pytest.mark.parametrize("required", [False, True])
def test_a_refinement_that_leads_to_a_pass_hides_none(workspace: Workspace, *, required: bool) -> None:
    lab = Lab(workspace)
    workspace.write("selfreview.toml", f'[checks]\nunit = {{ run = "true", required = {str(required).lower()} }}\n')
    ran = lab.refine("--apply")
    assert ran.json["patch"]["applied"], ran
    (check,) = [report for report in ran.json["reviewers"] if report["name"] == "check-unit"]
    assert (check["status"], check["required"]) == ("skipped", required)
    assert ran.code == (ExitCode.INCOMPLETE if required else ExitCode.PASSED)
    assert ran.json["summary"].endswith("." if required else "check-unit did not run.")


def test_why_files_are_not_among_the_reviewed_is_one_line(workspace: Workspace) -> None:
    workspace.git("switch", "--quiet", "main")
    notes = {f"notes/{name}.txt": f"{name} {name}\n" * 9 for name in ("a", "b", "c")}
    workspace.commit("notes", **notes, **{"logo.bin": b"\0\1" * 99, "run.sh": "#!/bin/sh\n"})
    workspace.git("switch", "--quiet", "work")
    workspace.git("reset", "--quiet", "--hard", "main")
    workspace.git("rm", "--quiet", "notes/a.txt", "notes/b.txt")
    workspace.commit("less", **{"app.py": "LIMIT = 3\n", "logo.bin": b"\0\2" * 99, "package-lock.json": "{}\n"})
    ran = workspace.selfreview("run", "--format", "json")
    assert ran.json["coverage"]["notReviewed"] == [
        {"why": "deleted", "files": 2}, {"why": "binary", "files": 1}, {"why": "a lock file", "files": 1}
    ]  # fmt: skip
    for name in ("terminal", "markdown", "concise", "github"):
        told = " ".join(workspace.selfreview("run", "--format", name).out.replace("\\", "").split())
        assert "1 of 5 files" in told, name
        assert "4 files not reviewed: 2 deleted, 1 binary, 1 a lock file" in told, name
    assert "2 deleted, 1 binary" in workspace.selfreview("run", "--format", "html").out
