"""Which tests run which lines of the program, so that a mutant need be shown to no other."""

from __future__ import annotations

import ast
import collections
import json
import sys
from collections.abc import Generator
from pathlib import Path
from typing import NamedTuple

import pytest
from coverage import Coverage, CoverageData

_STARTS = ("subprocess.Popen", "os.fork", "os.posix_spawn", "os.system", "os.exec")
"""Events of an audit hook: what a test starts runs the program from its files, where no coverage looks."""


class Recorder:
    """A plugin of pytest that keeps which lines each test runs, how long it takes, and whether it starts processes.

    Args:
        package: The folder of the program; nothing else is looked at.
        file: Where to keep it; ``Passes`` reads it.
    """

    def __init__(self, package: Path, file: Path) -> None:
        self._file = file
        self._coverage = Coverage(data_file=str(file), config_file=False, source=[str(package)])
        self._now = ""
        self._starting: set[str] = set()
        self._took: collections.Counter[str] = collections.Counter()
        sys.addaudithook(self._look)
        self._coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self._now = item.nodeid
        self._coverage.switch_context(item.nodeid)
        result = yield
        self._now = ""
        self._coverage.switch_context("")
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._took[report.nodeid] += report.duration  # type: ignore[assignment]  # a Counter adds floats as well

    def pytest_sessionfinish(self) -> None:
        self._coverage.stop()
        self._coverage.save()
        rest = {"starting": sorted(self._starting), "took": self._took}
        self._file.with_suffix(".json").write_text(json.dumps(rest), encoding="utf-8")

    def _look(self, event: str, _: tuple[object, ...]) -> None:
        if self._now and event in _STARTS:
            self._starting.add(self._now)


class Showing(NamedTuple):
    """Which tests a mutant is shown to.

    Attributes:
        tests: Their node ids.
        at_import: Whether its code runs when the tests are loaded, too: then others may notice it as well.
    """

    tests: frozenset[str]
    at_import: bool


class Passes:
    """The record that ``Recorder`` kept.

    Args:
        file: Its file.
    """

    def __init__(self, file: Path) -> None:
        self._data = CoverageData(basename=str(file))
        self._data.read()
        rest = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
        self.took: dict[str, float] = rest["took"]
        self._starting = frozenset(rest["starting"])

    def showing(self, path: Path, source: str, line: int) -> Showing:
        """Return the tests that run the statement at a line of a file, and all that start processes."""
        by_line = self._data.contexts_by_lineno(str(path))
        tree = ast.parse(source)
        found = _of(by_line, _statement(tree, line))
        at_import = "" in found
        if at_import:
            found |= {context for number in _users(tree, line) for context in by_line.get(number, ())}
        if not found - {""}:  # a line that is no statement of its own, or what is used where no name says so
            found |= _of(by_line, (1, sys.maxsize))
        return Showing(frozenset(found - {""}) | self._starting, at_import)


def _of(by_line: dict[int, list[str]], lines: tuple[int, int]) -> set[str]:
    return {context for number, some in by_line.items() if lines[0] <= number <= lines[1] for context in some}


def _users(tree: ast.Module, line: int) -> set[int]:
    """Return the lines inside of functions and classes that use, by way of others or not, what a top statement sets."""
    plain = [statement for statement in tree.body if not hasattr(statement, "body")]
    names = {name for statement in tree.body if _holds(statement, line) for name in _names(statement)}
    while more := {name for one in plain if _uses(one, names) for name in _names(one)} - names:
        names |= more
    return {
        part.lineno
        for top in tree.body
        if hasattr(top, "body")
        for part in ast.walk(top)
        if isinstance(part, ast.stmt) and _uses(part, names)
    }


def _uses(node: ast.AST, names: set[str]) -> bool:
    """Return whether a statement uses a name itself, not in a statement that it holds."""
    if isinstance(node, ast.Name):
        return node.id in names
    inside = (child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt))
    return any(_uses(child, names) for child in inside)


def _names(node: ast.stmt) -> set[str]:
    """Return the names that a statement sets."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}


def _holds(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _statement(tree: ast.AST, line: int) -> tuple[int, int]:
    """Return the first and last line of the smallest statement that holds a line; its head where it has a body."""
    best = (1, sys.maxsize)
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and _holds(node, line):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
            if best[0] <= node.lineno:
                best = (node.lineno, max(node.lineno, last))
    return best
