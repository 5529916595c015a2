"""The recipes of CONTRIBUTING.md make plugins that pass this project's own lint, and that work."""

from __future__ import annotations

import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from types import ModuleType

import pytest

from selfreview.api import Fixer, FixOutcome, Registry, Reviewer
from selfreview.testing.context import MemoryContext
from selfreview.testing.fixing import FixBench
from tests.docs import pages

TEXT = (pages.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
REVIEWER, FIXER = (textwrap.dedent(body) for kind, body in pages.blocks(TEXT) if kind == "python")


def loaded(source: str) -> ModuleType:
    module = ModuleType("mytool")
    exec(source, module.__dict__)
    return module


@pytest.mark.parametrize(("source", "folder"), [(REVIEWER, "reviewers"), (FIXER, "fixers")], ids=["reviewer", "fixer"])
def test_a_recipe_passes_the_lint(source: str, folder: str, tmp_path: Path) -> None:
    shutil.copy(pages.ROOT / "pyproject.toml", tmp_path)
    path = tmp_path / "src" / "selfreview" / folder / "mytool.py"
    path.parent.mkdir(parents=True)
    path.write_text(source, encoding="utf-8", newline="\n")
    for command in (["check", "--no-cache"], ["format", "--no-cache", "--diff"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "src"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout


def test_the_reviewer_reviews() -> None:
    registry: Registry[Reviewer] = Registry("reviewer")
    loaded(REVIEWER).selfreview_register_reviewers(registry=registry)
    (reviewer,) = registry
    context = MemoryContext({"a.xyz": ("", "x\n"), "b.py": ("", "x\n")})
    assert [file.path for file in context.change.files if reviewer.selects(file)] == ["a.xyz"]
    assert reviewer.review(context.change.files, context).findings == []


def test_the_fixer_fixes() -> None:
    registry: Registry[Fixer] = Registry("fixer")
    loaded(FIXER).selfreview_register_fixers(registry=registry)
    (fixer,) = registry
    with FixBench({"app.py": "x = missing_name\n"}) as bench:
        issue = bench.issue("app.py", 1, "undefined", rule="F821")
        assert fixer.takes(issue, bench.config)
        fix = fixer.fix(bench.request(issue), bench)
        assert [answer.outcome for answer in fix.answers] == [FixOutcome.ADDRESSED]
        assert bench.text("app.py") == "x = 1\n"
