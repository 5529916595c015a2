"""The loop on a real workspace, with a refiner and reviews that are scripted: every reason to stop."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from selfreview.api import Issue, Severity
from selfreview.errors import StoreError
from selfreview.git.entry import Entry
from selfreview.git.workspace import Workspace
from selfreview.loop.driver import Effects, Limits, Loop
from selfreview.loop.fixing import Refiner
from selfreview.loop.looped import Looped
from selfreview.loop.recorder import Recorder, new_session
from selfreview.model.refinement import FixerReport, Stop
from selfreview.model.result import Result, ResultStatus
from selfreview.model.session import SessionState as S
from selfreview.model.usage import Usage
from selfreview.plugins.manager import PluginManager
from selfreview.review.verdict import Threshold
from selfreview.testing.context import MemoryConfig
from tests.conftest import Workspace as Person
from tests.loop.issues import issue
from tests.loop.lab import workspace_of
from tests.loop.results import result

A, B, C = (issue(name, line, evidence=name) for line, name in enumerate("abc", 1))
CRITICAL = issue("z", 1, severity=Severity.CRITICAL, evidence="z")


class Fake:
    """Writes what it is told to, one content for each attempt; None writes nothing."""

    def __init__(self, workspace: Workspace, contents: Sequence[bytes | None]) -> None:
        self.workspace = workspace
        self.contents = list(contents)
        self.kept: Mapping[str, Entry | None] = {}
        self.rejected: list[Sequence[str]] = []
        self.given: list[list[str]] = []
        self.report: dict[str, Any] = {}
        self.judged = workspace.start

    def takes(self, issue: Issue) -> bool:
        return issue.rule != "nobody's"

    def was(self, path: str) -> Entry | None:
        return self.kept[path] if path in self.kept else self.workspace.at(self.workspace.start, path)

    def back_to(self, kept: Mapping[str, Entry | None], tree: str) -> None:
        self.kept = dict(kept)
        self.judged = tree

    def refine(
        self, work: Sequence[Issue], iteration: int, deadline: float, rejected: Sequence[str] = ()
    ) -> list[FixerReport]:
        self.rejected.append(rejected)
        self.given.append([one.id for one in work])
        content = self.contents.pop(0)
        if content is not None:
            self.kept = {**self.kept, "app.py": Entry("100644", content)}
            self.workspace.write(self.kept)
        self.judged = self.workspace.tree()
        return [FixerReport(name="fake", issues=self.given[-1], files=["app.py"], **self.report)]


@dataclasses.dataclass
class Stage:
    """A loop, and what became of it."""

    workspace: Workspace
    recorder: Recorder
    refiner: Fake | None = None
    kept: list[tuple[str, int]] = dataclasses.field(default_factory=list)

    def run(
        self,
        first: Result,
        contents: Sequence[bytes | None],
        reviews: Sequence[Result],
        *,
        iterations: int = 3,
        seconds: float = 60,
        spent_out: Callable[[Usage], bool] = lambda _: False,
        should_stop: str | None = None,
        broken: Sequence[list[str]] = (),
        interrupt: bool = False,
        fail: bool = False,
        report: dict[str, Any] | None = None,
    ) -> Looped:
        """Run it."""
        self.refiner = Fake(self.workspace, contents)
        self.refiner.report = report or {}
        left, breaks = list(reviews), list(broken)

        def review(_: int) -> Result:
            if interrupt:
                raise KeyboardInterrupt
            if fail and not left:
                raise StoreError("the disk is full")
            return left.pop(0)

        def keep(tree: str, number: int) -> None:
            self.kept.append((tree, number))

        session = self.recorder.session
        session.state = S.SELF_REVIEW_FAILED
        loop = Loop(
            workspace=self.workspace,
            refiner=cast(Refiner, self.refiner),
            threshold=Threshold("medium"),
            limits=Limits(iterations=iterations, deadline=time.monotonic() + seconds, spent_out=spent_out),
            effects=Effects(
                review=review,
                regressions=lambda: breaks.pop(0) if breaks else [],
                keep=keep,
                conclude=lambda _: None,
                should_stop=lambda _: should_stop,
            ),
            recorder=self.recorder,
        )
        return loop.run(first)


@contextlib.contextmanager
def staged(person: Person, tmp_path: Path) -> Iterator[Stage]:
    person.write("app.py", "a\nb\nc\n")
    config = MemoryConfig()
    with workspace_of(person, tmp_path) as (_, workspace):
        session = new_session("work", str(person.root), 3)
        yield Stage(workspace, Recorder(session, None, PluginManager(), config, lambda *_: None))


@pytest.fixture
def stage(workspace: Person, tmp_path: Path) -> Iterator[Stage]:
    with staged(workspace, tmp_path) as made:
        yield made


def incomplete() -> Result:
    return result(status=ResultStatus.INCOMPLETE, passed=False)


IN_THE_FIX = issue("e", 3, evidence="e")

STOPS: dict[str, tuple[Stop, int, int, dict[str, Any]]] = {
    # name: stop, iterations, best, what happens
    "passed": (Stop.PASSED, 1, 1, {"contents": [b"1\n"], "reviews": [result()]}),
    "passed-late": (Stop.PASSED, 2, 2, {"contents": [b"1\n", b"2\n"], "reviews": [result(A), result()]}),
    "nothing-to-do": (Stop.PASSED, 0, 0, {"first": result()}),
    "cap": (Stop.CAP, 1, 1, {"contents": [b"1\n"], "reviews": [result(A)], "iterations": 1}),
    "no-iterations": (Stop.CAP, 0, 0, {"iterations": 0}),
    "no-change": (Stop.NO_CHANGE, 1, 0, {"contents": [None]}),
    "no-change-late": (Stop.NO_CHANGE, 2, 1, {"contents": [b"1\n", None], "reviews": [result(A)]}),
    "seen-before": (
        Stop.SEEN_BEFORE, 2, 0, {"contents": [b"1\n", b"a\nb\nc\n"], "reviews": [result(A, B), result(A, B)]},
    ),
    "not-shrinking": (Stop.NOT_SHRINKING, 1, 0, {"contents": [b"a\nb\nC\n"], "reviews": [result(A, IN_THE_FIX)]}),
    "worse": (
        Stop.NOT_SHRINKING, 1, 0, {"contents": [b"a\nb\nC\n"], "reviews": [result(A, B, IN_THE_FIX)]},
    ),
    "nothing-fixable": (Stop.NOTHING_FIXABLE, 0, 0, {"first": result(issue("n", rule="nobody's"))}),
    "incomplete": (Stop.INCOMPLETE, 1, 0, {"contents": [b"1\n"], "reviews": [incomplete()]}),
    "budget": (Stop.BUDGET, 0, 0, {"spent_out": lambda _: True}),
    "budget-of-a-fixer": (Stop.BUDGET, 1, 0, {"contents": [None], "report": {"over_budget": True}}),
    "budget-of-fixers": (
        Stop.BUDGET, 1, 1,
        {"contents": [b"1\n"], "reviews": [result(A)], "report": {"usage": Usage(requests=2)},
         "spent_out": lambda usage: usage.requests >= 2},
    ),
    "deadline": (Stop.DEADLINE, 0, 0, {"seconds": -1}),
    "interrupted": (Stop.INTERRUPTED, 0, 0, {"contents": [b"1\n"], "interrupt": True}),
    "failed": (Stop.FAILED, 1, 1, {"contents": [b"1\n", b"2\n"], "reviews": [result(A)], "fail": True}),
    "plugin": (Stop.PLUGIN, 0, 0, {"should_stop": "enough"}),
}  # fmt: skip


@pytest.mark.parametrize("name", STOPS)
def test_every_reason_to_stop(stage: Stage, name: str) -> None:
    stop, iterations, best, given = STOPS[name]
    given = {"first": result(A, B), "contents": [], "reviews": [], **given}
    looped = stage.run(given.pop("first"), given.pop("contents"), given.pop("reviews"), **given)
    assert (looped.stop, len(looped.iterations), looped.best) == (stop, iterations, best)
    assert looped.why
    assert len(looped.patches) == iterations


def test_every_stop_is_tried() -> None:
    assert {stop for stop, *_ in STOPS.values()} == set(Stop)


def test_what_became_of_issues(stage: Stage) -> None:
    looped = stage.run(result(A, B), [b"A\nb\nc\n", b"x\n"], [result(B, C), result()])
    first, second = (iteration.refinement for iteration in looped.iterations)
    assert (first.addressed_issue_ids, first.unaddressed_issue_ids) == (["a"], ["b"])
    assert first.new_issues_introduced == ["c"]
    assert (first.added_lines, first.removed_lines, first.files) == (1, 1, 1)
    assert second.addressed_issue_ids == ["b", "c"]
    assert [number for _, number in stage.kept] == [1, 2]
    assert second.tree == stage.kept[1][0] == stage.workspace.tree()


def test_the_worst_comes_first(stage: Stage) -> None:
    stage.run(result(C, A, issue("low", severity=Severity.LOW), CRITICAL), [None], [])
    assert stage.refiner is not None
    assert stage.refiner.given == [["z", "a", "c"]]


def test_the_best_state_is_the_one_with_the_least_of_the_worst(stage: Stage) -> None:
    looped = stage.run(result(CRITICAL), [b"1\n", b"2\n"], [result(A, B, C), result(A, B)], iterations=2)
    assert looped.best == 2
    assert looped.result is looped.iterations[1].review


def test_what_breaks_a_check_is_tried_once_more_with_its_output(stage: Stage) -> None:
    looped = stage.run(result(A), [b"bad\n", b"good\n"], [result()], broken=[["the check x fails"], []])
    assert stage.refiner is not None
    assert stage.refiner.rejected == [(), ["the check x fails"]]
    assert looped.stop is Stop.PASSED
    entry = stage.workspace.read("app.py")
    assert entry is not None
    assert entry.data == b"good\n"


def test_what_breaks_a_check_twice_is_taken_back(stage: Stage) -> None:
    looped = stage.run(result(A), [b"bad\n", b"worse\n"], [], broken=[["it fails"], ["it fails again"]])
    (iteration,) = looped.iterations
    assert looped.stop is Stop.NO_CHANGE
    assert iteration.refinement.fixers[-1].rejected == ["it fails again"]
    assert iteration.refinement.fixers[-1].files == []
    assert stage.workspace.tree() == stage.workspace.start
    assert stage.kept == []


def test_the_session_moves_with_it(stage: Stage) -> None:
    stage.run(result(A), [b"1\n"], [result()])
    assert (stage.recorder.session.state, stage.recorder.session.iteration) == (S.SELF_REVIEW_PASSED, 1)
