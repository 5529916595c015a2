"""Heavy imports happen only where they are used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Workspace

PROBE = """
import atexit, json, os, sys
atexit.register(lambda: open(os.environ["MODULES"], "w").write(json.dumps(sorted(sys.modules))))
sys.argv = ["selfreview", *json.loads(os.environ["ARGUMENTS"])]
from selfreview.cli.entry import main
main()
"""

HEAVY = ["anthropic", "httpx2", "jinja2", "rich", "dbos", "pydantic", "asyncio", "yaml"]
REVIEW = ["msgspec", "unidiff", "ast_grep_py", "sqlite3", "selfreview.review.engine", "pathspec"]


def modules(workspace: Workspace, tmp_path: Path, *arguments: str) -> set[str]:
    file = tmp_path / "modules.json"
    env = {**os.environ, "MODULES": str(file), "ARGUMENTS": json.dumps(arguments)}
    subprocess.run([sys.executable, "-c", PROBE], cwd=workspace.root, env=env, check=False, capture_output=True)
    return set(json.loads(file.read_text()))


@pytest.mark.parametrize(
    ("arguments", "absent"),
    [
        (["--version"], [*HEAVY, *REVIEW, "click", "pluggy", "subprocess", "importlib.metadata"]),
        (["--help"], [*HEAVY, *REVIEW, "pluggy"]),
        (["hook", "run", "pre-commit"], [*HEAVY, *REVIEW, "click", "pluggy", "subprocess"]),
        (["run", "--collect-only"], [*HEAVY, "unidiff", "ast_grep_py", "pathspec"]),
        (["run", "--reviewer", "ruff"], [*HEAVY, "unidiff", "ast_grep_py"]),
        (["run"], HEAVY),
    ],
    ids=lambda value: " ".join(value[:4]) if isinstance(value, list) else None,
)
def test_what_is_not_used_is_not_loaded(
    workspace: Workspace, tmp_path: Path, arguments: list[str], absent: list[str]
) -> None:
    if arguments[0] == "run":
        workspace.write("app.py", "LIMIT = 3\n")
    loaded = modules(workspace, tmp_path, *arguments)
    assert "selfreview.cli.entry" in loaded
    assert sorted(loaded & set(absent)) == []


def test_a_review_that_nothing_can_fix_loads_nothing_that_fixes(workspace: Workspace, tmp_path: Path) -> None:
    workspace.write("app.py", "import subprocess\n\n\ndef run(name):\n    subprocess.call('ls ' + name, shell=True)\n")
    loaded = modules(workspace, tmp_path, "run")
    assert "selfreview.app.refine" in loaded
    assert sorted(loaded & {"selfreview.guard", "selfreview.refine.check_runner", "selfreview.refine.driver"}) == []


@pytest.mark.parametrize(
    ("line", "absent"),
    [
        ("selfreview ", [*HEAVY, *REVIEW, "pluggy", "subprocess", "selfreview.app.run"]),
        ("selfreview run --for", [*HEAVY, *REVIEW[1:], "pluggy", "subprocess", "selfreview.app.run"]),
        ("selfreview run --format ", [*HEAVY, *REVIEW[1:], "pluggy", "subprocess", "selfreview.app.run"]),
        ("selfreview run --base ", [*HEAVY, *REVIEW[1:], "pluggy", "selfreview.app.run"]),
        ("selfreview run --reviewer ", [*HEAVY, *REVIEW[1:], "selfreview.app.run"]),
        ("selfreview accept ", [*HEAVY, "unidiff", "ast_grep_py", "selfreview.review.engine"]),
    ],
)
def test_tab_is_quick(
    workspace: Workspace, tmp_path: Path, line: str, absent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_SELFREVIEW_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_LINE", line)
    loaded = modules(workspace, tmp_path)
    assert "selfreview.cli.shell_completion" in loaded
    assert sorted(loaded & set(absent)) == []
