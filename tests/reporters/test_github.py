"""Workflow commands as the runner reads them: within its limits, and none that a text brings along."""

from __future__ import annotations

import re

import pytest

from selfreview.errors import OutputError
from selfreview.model.result import Coverage, DepthLines, ResultStatus
from selfreview.reporters import formats
from selfreview.reporters.github import EACH, SUMMARY_BYTES

from .builders import incomplete, issue, render, result
from .samples import CONTEXT, SAMPLES

COMMAND = re.compile(r"::(?P<kind>[a-z-]+) (?P<properties>[^:]*)::(?P<data>.*)")
HOSTILE = "x\n::set-output name=a::b\r\n##[add-mask]x\x1b[31m%0A::stop-commands::t, a=b:c\u202e"


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    """The files that GitHub names for a step."""
    for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    return tmp_path


def report(outcome):
    return render(formats.github, outcome, CONTEXT)


def commands(text):
    """Return the commands of a log as the runner finds them: where a line begins, or of the old kind anywhere."""
    assert "##[" not in text
    found = []
    for line in re.split(r"\r\n|\r|\n", text):
        if line.lstrip().startswith("::"):
            match = COMMAND.fullmatch(line)
            assert match, line
            found.append((match["kind"], dict(p.split("=", 1) for p in match["properties"].split(",")), match["data"]))
    return found


@pytest.mark.parametrize("name", SAMPLES)
def test_report(name, snapshot):
    assert report(SAMPLES[name]) == snapshot


def test_an_issue_is_an_annotation_at_its_place():
    found = issue(
        "src/a b,c.py", 3, "high", "First: bad.\nSecond 100%.", line_end=5, rule="F821", suggested_fix="Mend it."
    )
    ((kind, properties, data),) = commands(report(result(found)))
    assert kind == "error"
    assert properties == {"file": "src/a b%2Cc.py", "line": "3", "endLine": "5", "title": "ruff/F821"}
    assert data == "First: bad.%0ASecond 100%25.%0AMend it."


def test_kinds_follow_from_the_threshold():
    kinds = [kind for kind, *_ in commands(report(result(*(issue(severity=name) for name in ("high", "low")))))]
    assert kinds == ["error", "notice"]
    lax = result(issue(severity="medium"), severity_threshold="high")
    assert [kind for kind, *_ in commands(report(lax))] == ["warning"]


def test_no_more_of_a_kind_than_the_runner_takes():
    text = report(result(*(issue(f"f{n:02}.py", severity="high") for n in range(EACH + 5))))
    assert len(commands(text)) == EACH
    assert len([line for line in text.splitlines() if line.startswith("selfreview: high: ")]) == 5


def test_what_is_incomplete_is_an_error_of_its_own():
    kinds = commands(report(incomplete(issue(severity="low"))))
    assert [kind for kind, *_ in kinds] == ["error", "notice"]
    assert "not everything was reviewed" in kinds[0][1]["title"].replace("%3A", ":")


def test_no_text_becomes_a_command():
    found = [
        issue(HOSTILE, severity="high", description=HOSTILE, rule=HOSTILE, reviewer=HOSTILE) for _ in range(EACH + 2)
    ]
    text = report(result(*found, summary=HOSTILE, notes=[HOSTILE]))
    assert {kind for kind, *_ in commands(text)} == {"error"}
    assert len(commands(text)) == EACH
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_outputs_and_summary_are_written(files):
    report(result(issue(severity="high")))
    outputs = dict(line.split("=", 1) for line in (files / "github_output").read_text().splitlines())
    assert outputs == {"status": "complete", "verdict": "needs_work", "passed": "false", "open-issues": "1"}
    assert (files / "github_step_summary").read_text().startswith("## selfreview: did not pass\n")


def test_a_summary_is_never_too_large(files):
    report(result(*(issue(description="x" * 20_000) for _ in range(100)), notes=["y" * 500] * 3))
    assert (files / "github_step_summary").stat().st_size <= SUMMARY_BYTES


def test_outside_of_a_workflow_only_the_log_is_written(files, monkeypatch):
    monkeypatch.delenv("GITHUB_OUTPUT")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY")
    assert commands(report(result(issue())))
    assert not list(files.iterdir())


def test_a_file_that_cannot_be_written_is_an_error(files, monkeypatch):
    monkeypatch.setenv("GITHUB_OUTPUT", str(files))
    with pytest.raises(OutputError, match="cannot be written"):
        report(result(issue()))


def test_what_was_looked_at_and_how_deeply_is_said():
    coverage = Coverage(
        files=3, reviewed_files=2, added_lines=9, depth=DepthLines(text=9, static=4), text_only=["a.yml"]
    )
    said = [line for line in report(result(coverage=coverage)).splitlines() if line.startswith("selfreview: reviewed ")]
    assert len(said) == 1
    assert "2 of 3 files, +9 lines (static 4, text 9): ruff, secrets; 1 file had only a text scan: a" in said[0]
    assert "reviewed" not in report(result(status=ResultStatus.NOTHING_TO_REVIEW))
