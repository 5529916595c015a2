"""A program reviews a change without a terminal, in threads, and cancels one of two."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import selfreview
from selfreview.app import run
from selfreview.app.policies import HOOK, PERSON
from selfreview.app.pr.fix import feedback_policy
from selfreview.app.request import RunRequest
from selfreview.app.run import review_change
from selfreview.app.state import RunPolicy, RunScope
from selfreview.app.ui import SilentUi
from selfreview.errors import Interrupted, UsageError
from selfreview.model.result import Result
from tests.conftest import Workspace

SOURCES = Path(selfreview.__file__).parent
PAGE = Path(__file__).parents[2] / "docs/guides/program.md"
BAD = "import os\n\n\ndef run(name):\n    os.system(name)\n"

SLOW = """
import pathlib, time
from selfreview.api import Depth, Review, hookimpl

class Slow:
    name, depth, default = "slow", Depth.STATIC, True

    def selects(self, file):
        return True

    def cache_key(self, context):
        return None

    def review(self, files, context):
        import threading
        gone = threading.Event()
        context.on_stop(gone.set)
        pathlib.Path({began!r}).touch()
        gone.wait(60)
        return Review()

@hookimpl
def selfreview_register_reviewers(registry, config):
    registry.add(Slow())
"""


def test_the_example_of_the_page_reviews(workspace: Workspace, tmp_path: Path) -> None:
    workspace.write("app.py", BAD)
    example = re.search(r'```python title="review.py"\n(.*?)^```$', PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert example is not None
    assert len(example[1].splitlines()) <= 20
    program = tmp_path / "review.py"
    program.write_text(example[1])
    ran = subprocess.run(
        [sys.executable, program, workspace.root], cwd=tmp_path, check=False, capture_output=True, text=True
    )
    assert ran.returncode == 1, ran.stderr
    assert re.search(r"^app\.py:5: \w+: ", ran.stdout, re.MULTILINE)
    assert ran.stderr == ""


def test_a_front_end_is_told_what_a_terminal_is(workspace: Workspace) -> None:
    workspace.write("app.py", "LIMIT = 3\n")
    ui = SilentUi()
    result = review_change(RunRequest(folder=workspace.root, formats=("concise",), durations=0), ui=ui)
    assert result.passed
    assert ui.written.startswith(b"selfreview: reviewed 1 file")
    assert any(note.startswith("slowest ") for note in ui.notes)


def test_a_diff_excludes_other_scopes(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--diff excludes"):
        RunRequest(folder=tmp_path, diff=b"", staged=True)


@pytest.fixture
def second(tmp_path: Path, selfreview_first_commit: Path) -> Workspace:
    """Another repository."""
    return Workspace.copied(selfreview_first_commit, tmp_path / "second")


def findings(result: Result) -> list[tuple[str, int, str]]:
    return [(issue.file, issue.line_start, issue.fingerprint) for issue in result.issues]


def test_two_threads_give_what_two_processes_give(workspace: Workspace, second: Workspace) -> None:
    """Of two reviews at once in one process, one is cancelled."""
    began = workspace.root.parent / "began"
    (workspace.root.parent / "slow_reviewer.py").write_text(SLOW.format(began=str(began)))
    workspace.write("app.py", BAD)
    second.write("other.py", BAD)
    alone = review_change(RunRequest(folder=second.root, no_cache=True))
    scope = RunScope()
    raised: list[BaseException] = []

    def first() -> None:
        try:
            request = RunRequest(folder=workspace.root, plugins=("slow_reviewer",))
            review_change(request, scope=scope)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test says so
            raised.append(error)

    sys.path.insert(0, str(workspace.root.parent))
    try:
        thread = threading.Thread(target=first)
        thread.start()
        together = review_change(RunRequest(folder=second.root, no_cache=True))
        while not began.exists() and thread.is_alive():
            thread.join(0.01)
        scope.cancel()
        thread.join(30)
    finally:
        sys.path.remove(str(workspace.root.parent))
    assert not thread.is_alive()
    assert [type(error) for error in raised] == [Interrupted]
    assert findings(together) == findings(alone) != []
    kept = workspace.selfreview("status", "--format", "json").json
    assert kept["advice"] == "continue where it was interrupted: selfreview resume"
    assert kept["result"] is not None


def test_a_run_within_another_is_cancelled_and_closed_with_it() -> None:
    outer, done = RunScope(), list[str]()
    inner = outer.nested()
    inner.on_cancel(lambda: done.append("cancelled"))
    inner.whole.callback(done.append, "closed")
    outer.cancel()
    with pytest.raises(KeyboardInterrupt):
        inner.check()
    outer.close()
    assert done == ["cancelled", "closed"]


@pytest.mark.parametrize(("policy", "times"), [(PERSON, 1), (feedback_policy(None), 0), (HOOK, 0)])
def test_only_a_run_by_itself_sends_notices(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, policy: RunPolicy, times: int
) -> None:
    """The reviews within a fix cycle send none: the cycle does, when it is over."""
    sent: list[object] = []
    monkeypatch.setattr(run, "send_what_waits", lambda *arguments: sent.append(arguments))
    workspace.write("app.py", "LIMIT = 3\n")
    assert review_change(RunRequest(folder=workspace.root), policy=policy).passed
    assert len(sent) == times


class _WithoutTypes(ast.NodeTransformer):
    """Take out what is imported for the type checker alone."""

    def visit_If(self, node: ast.If) -> ast.AST | None:
        only_types = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        return None if only_types else self.generic_visit(node)


def imported(tree: ast.AST) -> set[str]:
    return {
        name
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }


BANNED = {"sys.argv", "sys.stdin", "sys.stdout", "sys.stderr", "os.getcwd", "os.chdir", "Path.cwd", "signal.signal"}
CALLED, IMPORTED = {"print", "input"}, {"click"}
LAST = {name.partition(".")[2] for name in BANNED}
WORDS = re.compile(rf"\.\s*(?:{'|'.join(LAST)})\b|\b(?:{'|'.join(CALLED)})\s*\(|\b(?:{'|'.join(IMPORTED)})\b")
"""What stands in a file that has any of it; to read all of the others takes seconds."""
ALLOWED = {"confine.py"}
"""A process of its own, in the place of an agent."""


def test_nothing_below_the_command_line_knows_a_terminal() -> None:
    """Nor the current folder, nor how signals are handled: other front ends have none of them."""
    files = [path for path in SOURCES.rglob("*.py") if path.relative_to(SOURCES).parts[0] not in ("cli", "testing")]
    assert len(files) > 100
    found = []
    for path in files:
        text = path.read_text("utf-8")
        if path.relative_to(SOURCES).as_posix() in ALLOWED or WORDS.search(text) is None:
            continue
        tree = _WithoutTypes().visit(ast.parse(text))
        nodes = list(ast.walk(tree))
        used = {ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute) and node.attr in LAST} & BANNED
        used |= {
            node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        } & CALLED
        used |= imported(tree) & IMPORTED
        found += [f"{path.relative_to(SOURCES)}: {name}" for name in sorted(used)]
    assert found == []
