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

HEAVY = ["anthropic", "httpx2", "jinja2", "rich", "dbos", "pydantic", "asyncio"]
REVIEW = ["msgspec", "unidiff", "ast_grep_py", "betterleaks", "sqlite3", "selfreview.review.engine", "pathspec"]


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
        (["run", "--collect-only"], [*HEAVY, "unidiff", "ast_grep_py", "betterleaks", "pathspec"]),
        (["run", "--reviewer", "ruff"], [*HEAVY, "unidiff", "ast_grep_py", "betterleaks"]),
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
