"""The forge of the guide to pull requests, as it is printed there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from selfreview.config.sources import OTHER_VARIABLES
from selfreview.errors import ExitCode
from tests.conftest import Workspace
from tests.docs.pages import DOCS


def test_a_pull_request_is_opened_commented_and_answered_without_a_forge(workspace: Workspace, tmp_path: Path) -> None:
    guide = (DOCS / "guides" / "pull-request.md").read_text(encoding="utf-8")
    (tmp_path / "trial.py").write_text(re.findall(r"```python\n(.*?)```", guide, re.DOTALL)[0])
    git = workspace.git
    git("switch", "--quiet", "main")
    subprocess.run(["git", "clone", "--quiet", "--bare", str(workspace.root), str(tmp_path / "remote.git")], check=True)
    git("remote", "add", "origin", "https://github.com/octo/app.git")
    git("config", f"url.{tmp_path / 'remote.git'}.insteadOf", "https://github.com/octo/app.git")
    git("switch", "--quiet", "--create", "idea")
    workspace.commit("An idea", **{"app.py": "def one():\n    return 2\n"})
    with subprocess.Popen(
        [sys.executable, "trial.py"], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(DOCS.parent)},
    ) as trial:  # fmt: skip
        assert trial.stdin is not None
        assert trial.stdout is not None
        env = dict(word.split("=", 1) for word in trial.stdout.readline().removeprefix("export ").split())
        try:
            created = workspace.selfreview("pr", "create", "--force", "--reason", "a trial", **env)
            assert created.code == ExitCode.PASSED, created
            trial.stdin.write("app.py 2 ```suggestion|    return 1|```\n")
            trial.stdin.flush()
            assert trial.stdout.readline() == "said\n"
            fixed = workspace.selfreview("pr", "fix", **env)
        finally:
            trial.stdin.write("\n")
            trial.stdin.close()
    assert fixed.code == ExitCode.PASSED, fixed
    assert (workspace.root / "app.py").read_text() == "def one():\n    return 1\n"


def test_every_variable_is_in_the_table() -> None:
    page = (DOCS / "reference" / "configuration.md").read_text(encoding="utf-8")
    table = page.partition("## Environment")[2]
    known = {*OTHER_VARIABLES, "GITHUB_API_URL", "GITHUB_GRAPHQL_URL", "GITHUB_SERVER_URL", "GH_TOKEN"}
    assert {name for name in known if f"`{name}`" not in table} == set()
