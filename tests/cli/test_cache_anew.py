"""``--no-cache``: nothing that was kept is used, and what is found now takes its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Workspace
from tests.reviewers.fakes import program

SAYS = r"""
import re
prompt = sys.stdin.read()
words = re.search(r"\AFirst word: (\w+)\n.*\nLast word: (\w+)\n\Z", prompt, re.DOTALL)
said = json.load(open(%r))
print(json.dumps({"firstWord": words[1], "lastWord": words[2], **said}))
"""
ISSUE = {
    "file": "app.py",
    "lineStart": 1,
    "lineEnd": 1,
    "evidence": "x = 1 / n",
    "failure": "n is 0 -> ZeroDivisionError -> 0",
    "description": "Divides by zero.",
    "severity": "high",
    "category": "logic",
    "suggestedFix": "Ask first.",
    "confidence": 0.9,
}
CLEAN = {"issues": [], "summary": "Fine.", "verdict": "pass"}
FOUND = {"issues": [ISSUE], "summary": "One.", "verdict": "needs_work"}


@pytest.fixture
def answer(workspace: Workspace, tmp_path: Path) -> Path:
    answer = tmp_path / "answer.json"
    agent = program(tmp_path, SAYS % str(answer), "agent")
    table = f'[agents.mine]\nrun = ["{agent}"]\n'
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "config.toml").write_text(table)
    workspace.write("app.py", "x = 1 / n\n")
    return answer


def review(workspace: Workspace, answer: Path, says: object, *arguments: str) -> ExitCode:
    answer.write_text(json.dumps(says))
    config = str(answer.parent / "home")
    command = ("run", "--no-fix", "--reviewer", "agent-mine", *arguments)
    return ExitCode(workspace.selfreview(*command, SELFREVIEW_CONFIG_DIR=config).code)


@pytest.mark.parametrize(("before", "now"), [(CLEAN, FOUND), (FOUND, CLEAN)])
def test_what_is_found_anew_takes_the_place_of_what_was_kept(
    workspace: Workspace, answer: Path, before: object, now: object
) -> None:
    first = review(workspace, answer, before)
    assert review(workspace, answer, now) == first  # nothing changed: the agent is not asked
    second = review(workspace, answer, now, "--no-cache")
    assert second != first
    assert review(workspace, answer, before) == second
