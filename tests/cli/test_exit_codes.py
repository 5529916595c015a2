"""Every exit code in every format: what is written, times and ids made stable."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from syrupy.assertion import SnapshotAssertion

from selfreview.errors import ExitCode
from selfreview.plugins.builtins import Builtins
from tests.conftest import Ran, Workspace

FORMATS = [name for name, module in Builtins().modules.items() if module.startswith("selfreview.reporters.")]
BAD = 'def load(items=[]):\n    return f"{itmes}"\n'
PLUGINS = {
    "crashing": """
import selfreview.review.engine as engine

engine.coverage_of = None  # so the engine fails, and no plugin

def selfreview_configure(config): pass
""",
    "stopped": """
from selfreview.api import Depth, Review, ReviewerStatus

class Stops:
    name, depth, default = "stops", Depth.TEXT, True
    def selects(self, file): return True
    def cache_key(self, context): return None
    def review(self, files, context):
        import os, signal, threading
        ended = threading.Event()
        context.on_stop(ended.set)
        os.kill(os.getpid(), signal.SIGINT)
        ended.wait(60)
        return Review(status=ReviewerStatus.FAILED, error="stopped")

def selfreview_register_reviewers(registry, config):
    registry.add(Stops())
""",
}
HEAD = "from selfreview.api import hookimpl\n"


class Case(NamedTuple):
    """One way to end.

    Attributes:
        code: The exit code.
        files: The change.
        args: More of the command line.
        plugin: The plugin that makes it end so.
    """

    code: ExitCode
    files: Mapping[str, str] = {"app.py": BAD}
    args: tuple[str, ...] = ()
    plugin: str | None = None


CASES = {
    "passed": Case(ExitCode.PASSED, {"app.py": "LIMIT = 3\n"}),
    "nothing to review": Case(ExitCode.PASSED, {}),
    "issues": Case(ExitCode.ISSUES),
    "internal error": Case(ExitCode.INTERNAL_ERROR, plugin="crashing"),
    "usage": Case(ExitCode.USAGE, args=("--base", "nowhere")),
    "incomplete": Case(ExitCode.INCOMPLETE, args=("--offline", "-o", 'required_reviewers=["claude"]')),
    "interrupted": Case(ExitCode.INTERRUPTED, plugin="stopped"),
}


def stable(text: str, workspace: Workspace) -> str:
    """Return a report without what differs from run to run."""
    for name in ("HEAD", "main", "HEAD^{tree}"):
        commit = workspace.git("rev-parse", name)
        text = text.replace(commit, f"<{name}>").replace(commit[:12], f"<{name}>").replace(commit[:8], f"<{name}>")
    for pattern, instead in (
        (r"(?s)<style.*?</style>|<script.*?</script>", "<!-- cut out -->"),
        (r"'sha256-[^']*'", "'sha256-…'"),
        (r"\d{4}-\d\d-\d\dT[\d:]+Z?", "<time>"),
        (r'("durationMs": ?)\d+', r"\1<n>"),
        (r'(time=")[\d.]+', r"\1<n>"),
        (r"\b\d+\.\d+ ?s\b", "<n> s"),
        (r"\br-\d{8}-\d{6}-[0-9a-f]{4}\b", "<run>"),
        (r'("(?:tree|semanticVersion|version)": ?")[^"]*', r"\1<…>"),
        (r"/\S*/report\.sarif", "<folder>/report.sarif"),
        (r"(?s)the\s+crash\s+report\s+is\s+in\s.*?\.txt", "the crash report is in <file>"),
    ):
        text = re.sub(pattern, instead, text)
    return text


@pytest.fixture(params=CASES, ids=[name.replace(" ", "-") for name in CASES])
def ended(request: pytest.FixtureRequest, workspace: Workspace, tmp_path: Path) -> tuple[Case, Ran, dict[str, str]]:
    """Run one case with all formats at once; return how it ended and what each wrote."""
    case = CASES[request.param]
    if case.plugin == "stopped" and sys.platform == "win32":
        pytest.skip("POSIX signals")
    for path, content in case.files.items():
        workspace.write(path, content)
    args, env = list(case.args), {}
    if case.plugin is not None:
        source = re.sub(r"^def selfreview_", "@hookimpl\ndef selfreview_", PLUGINS[case.plugin], flags=re.MULTILINE)
        (tmp_path / f"{case.plugin}.py").write_text(HEAD + source)
        args, env = [*args, "-p", case.plugin], {"PYTHONPATH": str(tmp_path)}
    files = {name: tmp_path / f"report.{name}" for name in FORMATS}
    wanted = [word for name, file in files.items() for word in ("--format", f"{name}:{file}")]
    ran = workspace.selfreview("run", "--no-fix", "--color", "never", *args, *wanted, "--format", "json", **env)
    return case, ran, {name: file.read_text(encoding="utf-8") if file.exists() else "" for name, file in files.items()}


def test_every_format(
    ended: tuple[Case, Ran, dict[str, str]], workspace: Workspace, snapshot: SnapshotAssertion
) -> None:
    case, ran, written = ended
    assert ran.code == case.code, ran
    passed = ran.json["passed"]
    assert passed is (case.code is ExitCode.PASSED)
    assert {name: stable(text, workspace) for name, text in written.items()} == snapshot
    assert stable(ran.err, workspace) == snapshot(name="standard error")
