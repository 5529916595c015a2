"""A refinement held against checks: what breaks one is taken back, and nothing else is."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from selfreview.git.workspace import Workspace
from selfreview.model.refinement import FixerReport
from selfreview.refine.driver import RefinementPorts, attempt
from tests.conftest import Workspace as Person
from tests.refine.issues import issue
from tests.refine.lab import workspace_of
from tests.refine.scripted import Scripted, refiner_of, replace

FILES = {"app.py": "a = 1\nb = 2\n", "lib.py": "c = 3\nd = 4\n"}
A = issue("a", 1, rule="first", evidence="a")
B = issue("b", 2, rule="second", evidence="b")
C = issue("c", 1, rule="third", file="lib.py", evidence="c")
FIXES_A = replace("app.py", "a = 1", "a = 10")
FIXES_B = replace("app.py", "b = 2", "b = 20")
FIXES_C = replace("lib.py", "c = 3", "c = 30")


def scripted(name: str, *deeds: object, mechanical: bool = False) -> Scripted:
    """Return a fixer that takes the issues of one rule."""
    return Scripted(name, deeds, is_mechanical=mechanical, rules=frozenset({name}))  # type: ignore[arg-type]


class Bench:
    """Three issues, and a check that some texts break.

    Args:
        workspace: Where.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.runs = 0

    def text(self, path: str) -> str:
        there = self.workspace.read(path)
        assert there is not None
        return there.data.decode()

    def refine(self, *fixers: Scripted, breaks: Sequence[str]) -> list[FixerReport]:
        """Refine; the check fails where each word of a line of ``breaks`` is there."""
        refiner, _ = refiner_of(self.workspace, *fixers, files=list(FILES))

        def regressions() -> list[str]:
            self.runs += 1
            text = "".join(map(self.text, FILES))
            return [f"the check {words} fails" for words in breaks if all(word in text for word in words.split("&"))]

        checks = cast(RefinementPorts, SimpleNamespace(regressions=regressions, excuse=lambda: False))
        reports = attempt(refiner, checks, [A, B, C], 1, time.monotonic() + 60)
        assert refiner.stages.judged == self.workspace.tree()
        return reports


@pytest.fixture
def bench(workspace: Person, tmp_path: Path) -> Iterator[Bench]:
    for path, text in FILES.items():
        workspace.write(path, text)
    with workspace_of(workspace, tmp_path) as (_, made):
        yield Bench(made)


def kept(reports: Sequence[FixerReport]) -> list[tuple[str, list[str]]]:
    return [(report.name, report.files) for report in reports]


def test_what_breaks_nothing_stays_for_one_run_of_the_checks(bench: Bench) -> None:
    fixers = [scripted("first", FIXES_A), scripted("second", FIXES_B), scripted("third", FIXES_C)]
    reports = bench.refine(*fixers, breaks=[])
    assert kept(reports) == [("first", ["app.py"]), ("second", ["app.py"]), ("third", ["lib.py"])]
    assert bench.runs == 1


def test_only_the_guilty_one_is_taken_back_and_asked_once_more(bench: Bench) -> None:
    first = scripted("first", FIXES_A, replace("app.py", "a = 1", "a = 11"))
    third = scripted("third", FIXES_C)
    reports = bench.refine(first, third, breaks=["a = 10"])
    assert (bench.text("app.py"), bench.text("lib.py")) == ("a = 11\nb = 2\n", "c = 30\nd = 4\n")
    assert kept(reports) == [("first", []), ("third", ["lib.py"]), ("first", ["app.py"])]
    assert reports[0].rejected == ["the check a = 10 fails"]
    assert reports[1].rejected == []
    assert [request.rejected for request in first.requests] == [[], ["the check a = 10 fails"]]
    assert [attempt.what for attempt in first.requests[1].attempts] == [
        "first said addressed: done; nothing was kept; rejected: the check a = 10 fails"
    ]
    assert third.given == [["c"]]


def test_twice_guilty_leaves_what_the_others_did(bench: Bench) -> None:
    first, third = scripted("first", FIXES_A, FIXES_A), scripted("third", FIXES_C)
    reports = bench.refine(third, first, breaks=["a = 10"])
    assert (bench.text("app.py"), bench.text("lib.py")) == (FILES["app.py"], "c = 30\nd = 4\n")
    assert kept(reports) == [("third", ["lib.py"]), ("first", []), ("first", [])]


def test_who_went_on_in_the_same_file_goes_with_it_and_is_asked_again(bench: Bench) -> None:
    known = scripted("second", FIXES_B, FIXES_B, mechanical=True)
    guilty = scripted("first", FIXES_A, mechanical=True)
    reports = bench.refine(guilty, known, scripted("third", FIXES_C), breaks=["a = 10"])
    assert bench.text("app.py") == "a = 1\nb = 20\n"
    assert kept(reports) == [("first", []), ("second", []), ("third", ["lib.py"]), ("second", ["app.py"])]
    assert reports[1].rejected == ["reverted together with what first did in the same files"]
    assert guilty.given == [["a"]]


def test_two_that_break_it_only_together(bench: Bench) -> None:
    first, third = scripted("first", FIXES_A), scripted("third", FIXES_C, FIXES_C)
    reports = bench.refine(first, third, breaks=["a = 10&c = 30"])
    assert (bench.text("app.py"), bench.text("lib.py")) == ("a = 10\nb = 2\n", FILES["lib.py"])
    assert kept(reports) == [("first", ["app.py"]), ("third", []), ("third", [])]


def test_two_that_break_it_each_are_both_taken_back(bench: Bench) -> None:
    first, third = scripted("first", FIXES_A, None), scripted("third", FIXES_C, None)
    bench.refine(first, third, breaks=["a = 10", "c = 30"])
    assert (bench.text("app.py"), bench.text("lib.py")) == (FILES["app.py"], FILES["lib.py"])


def test_files_that_came_and_went_are_as_they_were(bench: Bench) -> None:
    first = scripted("first", {"app.py": "a = 10\nb = 2\n", "new.py": "n = 1\n"}, None)
    third = scripted("third", FIXES_C)
    bench.refine(first, third, breaks=["a = 10"])
    assert bench.workspace.read("new.py") is None
    assert bench.workspace.changed(bench.workspace.start, bench.workspace.tree()) == ["lib.py"]
