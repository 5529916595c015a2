"""The refinement loop on a real workspace: every reason to stop, reverted edits, and whom new issues belong to."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from selfreview.api import Fix, FixAnswer, FixOutcome, FixRequest, Issue, Severity, Side
from selfreview.apply.patches import Manifest, Patch
from selfreview.errors import StoreError
from selfreview.git.workspace import Workspace
from selfreview.git.worktree_files import Entry
from selfreview.guard import Edited, Held
from selfreview.model.refinement import FixerReport, Refinement, Stop
from selfreview.model.result import Iteration, Result, ResultStatus, ReviewerReport, ReviewerStatus
from selfreview.model.session import SessionState as S
from selfreview.model.usage import Usage
from selfreview.plugins.manager import PluginManager
from selfreview.refine.driver import Loop, RefinementLimits, RefinementPorts, blame
from selfreview.refine.fixing import describe_held
from selfreview.refine.recorder import Recorder, new_session
from selfreview.refine.refinement_result import RefinementResult, Scale
from selfreview.refine.resuming import Earlier
from selfreview.refine.stages import FixerStage
from selfreview.review.verdict import Draft, Threshold
from selfreview.testing.context import MemoryConfig
from tests.conftest import Workspace as Person
from tests.refine.issues import issue
from tests.refine.lab import workspace_of
from tests.refine.results import result
from tests.refine.scripted import Deed, Scripted, refiner_of, replace

A, B, C = (issue(name, line, evidence=name) for line, name in enumerate("abc", 1))
CRITICAL = issue("z", 1, severity=Severity.CRITICAL, evidence="z")


def app(text: str) -> Deed:
    """Return the deed of writing the file."""
    return {"app.py": text}


def says(outcome: str, only: str | None = None) -> Deed:
    """Return the deed of editing nothing, and of saying so of all issues or of one."""

    def deed(_: Path, request: FixRequest) -> Fix:
        ids = [issue.id for issue in request.issues if only in (None, issue.id)]
        return Fix(answers=[FixAnswer(issue=one, outcome=FixOutcome(outcome), why="so it is") for one in ids])

    return deed


KEPT = Patch(Path(), Manifest(id="p-1", at="2026-01-01T00:00:00Z", iteration=1, files=()))
HELD = Patch(Path(), Manifest(id="p-held", at="2026-01-01T00:00:00Z", iteration=1, files=()))
Script = Sequence[Result | BaseException] | Callable[[str], Result]


class ScriptedPorts:
    """What the loop does through others, as told beforehand.

    Attributes:
        reviews: Each review's result or error in turn, or what finds it from the text of the files.
        text: Returns that text.
        broken: For each run of the checks, which fail.
        stop: Why plugins stop it, or None.
        spent_out: Says of what was spent whether that is all there is.
        keeps: Whether patches can be kept.
        spent: Where costs are added up.
        kept, held: The trees and iterations of which patches were to be kept, and the edits of the latter.
    """

    no_fixs_fault = ()

    def __init__(self, reviews: Script, text: Callable[[], str], spent: Usage) -> None:
        self.reviews = reviews if callable(reviews) else deque(reviews)
        self.text = text
        self.spent = spent
        self.broken: deque[list[str]] = deque()
        self.stop: str | None = None
        self.spent_out: Callable[[Usage], bool] = lambda _: False
        self.keeps = False
        self.kept: list[tuple[str, int]] = []
        self.held: list[tuple[str, int, list[str]]] = []

    def review(self, iteration: int) -> Result:
        if callable(self.reviews):
            return self.reviews(self.text())
        found = self.reviews.popleft()
        if isinstance(found, BaseException):
            raise found
        return found

    def revise(self, result: Result) -> AbstractContextManager[Draft]:
        return contextlib.nullcontext(cast(Draft, result))  # the loop writes in it, and no verdict is looked at

    def regressions(self) -> list[str]:
        return self.broken.popleft() if self.broken else []

    def excuse(self) -> bool:
        return False

    def keep(self, tree: str, number: int) -> Patch | None:
        self.kept.append((tree, number))
        return KEPT if self.keeps else None

    def hold(
        self, tree: str, number: int, held: Sequence[Held], since: str | None
    ) -> tuple[Patch | None, Patch | None]:
        self.held.append((tree, number, [describe_held(edit) for edit in held]))
        return HELD, KEPT if since else None

    def remember(self, patch: Patch, iteration: Iteration) -> None:
        raise StoreError("an iteration cannot be kept in p-1: No space left on device")

    def should_stop(self, result: Result) -> str | None:
        return self.stop

    def spend(self, usage: Usage) -> None:
        self.spent.add(usage)

    @property
    def is_spent_out(self) -> bool:
        return self.spent_out(self.spent)


@dataclasses.dataclass
class Stage:
    """A workspace with a session, fixers for it, and what became of the last loop there."""

    workspace: Workspace
    recorder: Recorder
    fixers: Sequence[Scripted] = ()
    ports: ScriptedPorts = dataclasses.field(init=False)

    def text(self, path: str) -> str:
        """Return what is in the workspace."""
        there = self.workspace.read(path)
        return "" if there is None else there.data.decode()

    def run(
        self,
        first: Result,
        deeds: Sequence[Deed],
        reviews: Script,
        *,
        iterations: int = 3,
        seconds: float = 60,
        fix: Mapping[str, Any] | None = None,
        earlier: Sequence[Result] = (),
        unproven: Sequence[str] = (),
        **ports: Any,
    ) -> RefinementResult:
        """Run the loop; what else is given is set at its ports."""
        self.fixers = self.fixers or [Scripted("fake", deeds, fix_fields=fix or {})]
        files = [path for path in ("app.py", "lib.py") if self.text(path)]
        refiner, notes = refiner_of(self.workspace, *self.fixers, files=files)
        self.ports = ScriptedPorts(reviews, lambda: self.text("app.py") + self.text("lib.py"), notes.spent)
        for name, value in ports.items():
            assert hasattr(self.ports, name)
            setattr(self.ports, name, deque(value) if name == "broken" else value)
        self.recorder.session.state = S.SELF_REVIEW_FAILED
        limits = RefinementLimits(iterations=iterations, deadline=time.monotonic() + seconds)
        made: RefinementPorts = self.ports
        loop = Loop(refiner, Scale(Threshold("medium"), first, unproven), limits, made, self.recorder)
        return loop.run([Earlier(Iteration(refinement=Refinement(), review=one), KEPT) for one in earlier])


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
    return result(status=ResultStatus.INCOMPLETE, passed=False, incomplete_reasons=["x failed: no connection"])


FULL = StoreError("the disk is full")
IN_THE_FIX = issue("e", 3, evidence="e")

STOPS: dict[str, tuple[Stop, int, int, dict[str, Any]]] = {
    # name: stop, iterations, best, what happens
    "passed": (Stop.PASSED, 1, 1, {"deeds": [app("1\n")], "reviews": [result()]}),
    "passed-late": (Stop.PASSED, 2, 2, {"deeds": [app("1\n"), app("2\n")], "reviews": [result(A), result()]}),
    "nothing-to-do": (Stop.PASSED, 0, 0, {"first": result()}),
    "cap": (Stop.CAP, 1, 1, {"deeds": [app("1\n")], "reviews": [result(A)], "iterations": 1}),
    "no-iterations": (Stop.CAP, 0, 0, {"iterations": 0}),
    "no-edit": (Stop.CAP, 3, 0, {"deeds": [None] * 3}),
    "no-edit-late": (Stop.CAP, 3, 1, {"deeds": [app("1\n"), None, None], "reviews": [result(A)]}),
    "no-edit-at-first": (Stop.PASSED, 2, 2, {"deeds": [None, app("1\n")], "reviews": [result()]}),
    "no-edit-for-a-person": (Stop.NO_CHANGE, 1, 0, {"deeds": [says("needs_person")]}),
    "no-edit-of-what-is-none": (Stop.NO_CHANGE, 1, 0, {"deeds": [says("false_positive")]}),
    "no-edit-for-one-person": (Stop.CAP, 3, 0, {"deeds": [says("needs_person", only="a")] * 3}),
    "no-edit-but-an-error": (Stop.NO_CHANGE, 1, 0, {"deeds": [None], "fix": {"error": "no connection"}}),
    "seen-before": (
        Stop.SEEN_BEFORE, 2, 0, {"deeds": [app("1\n"), app("a\nb\nc\n")], "reviews": [result(A, B), result(A, B)]},
    ),
    "not-shrinking": (Stop.NOT_SHRINKING, 1, 0, {"deeds": [app("a\nb\nC\n")], "reviews": [result(A, IN_THE_FIX)]}),
    "worse": (
        Stop.NOT_SHRINKING, 1, 0, {"deeds": [app("a\nb\nC\n")], "reviews": [result(A, B, IN_THE_FIX)]},
    ),
    "nothing-fixable": (Stop.NOTHING_FIXABLE, 0, 0, {"first": result(issue("n", rule="nobody's"))}),
    "incomplete": (Stop.INCOMPLETE, 1, 0, {"deeds": [app("1\n")], "reviews": [incomplete()]}),
    "budget": (Stop.BUDGET, 0, 0, {"spent_out": lambda _: True}),
    "budget-of-a-fixer": (Stop.BUDGET, 1, 0, {"deeds": [None], "fix": {"over_budget": True}}),
    "budget-of-fixers": (
        Stop.BUDGET, 1, 1,
        {"deeds": [app("1\n")], "reviews": [result(A)], "fix": {"usage": Usage(requests=2)},
         "spent_out": lambda usage: usage.requests >= 2},
    ),
    "deadline": (Stop.DEADLINE, 0, 0, {"seconds": -1}),
    "interrupted": (Stop.INTERRUPTED, 0, 0, {"deeds": [app("1\n")], "reviews": [KeyboardInterrupt()]}),
    "failed": (Stop.FAILED, 1, 1, {"deeds": [app("1\n"), app("2\n")], "reviews": [result(A), FULL]}),
    "plugin": (Stop.PLUGIN, 0, 0, {"stop": "enough"}),
}  # fmt: skip


SHORT = {stop: name for name, (stop, *_) in reversed(STOPS.items())}
"""The first way to each stop, which stands for the others."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (SHORT[STOPS[name][0]] != name)) for name in STOPS]
)
def test_every_reason_to_stop(stage: Stage, name: str) -> None:
    stop, iterations, best, given = STOPS[name]
    given = {"first": result(A, B), "deeds": [], "reviews": [], **given}
    refined = stage.run(given.pop("first"), given.pop("deeds"), given.pop("reviews"), **given)
    assert (refined.stop, len(refined.iterations), refined.best) == (stop, iterations, best)
    assert refined.why
    assert len(refined.patches) == iterations


def test_every_stop_is_tried() -> None:
    assert {stop for stop, *_ in STOPS.values()} == set(Stop) - {Stop.HELD}  # see test_held


def test_what_cannot_be_remembered_for_later_is_no_end(stage: Stage) -> None:
    refined = stage.run(result(A, B), [app("1\n"), app("2\n")], [result(A), result()], keeps=True)
    assert (refined.stop, len(refined.iterations), refined.best) == (Stop.PASSED, 2, 2)
    assert refined.patch is not None
    note = "an iteration cannot be kept in p-1: No space left on device; selfreview resume would not know of it"
    assert refined.notes == [note, note]


def test_what_became_of_issues(stage: Stage) -> None:
    refined = stage.run(result(A, B), [app("A\nb\nc\n"), app("x\n")], [result(B, C), result()])
    first, second = (iteration.refinement for iteration in refined.iterations)
    assert (first.addressed_issue_ids, first.unaddressed_issue_ids) == (["a"], ["b"])
    assert first.new_issues_introduced == ["c"]
    assert (first.added_lines, first.removed_lines, first.files) == (1, 1, 1)
    assert second.addressed_issue_ids == ["b", "c"]
    assert [number for _, number in stage.ports.kept] == [1, 2]
    assert second.tree == stage.ports.kept[1][0] == stage.workspace.tree()


def test_what_is_still_open_goes_by_the_name_that_it_has_now(stage: Stage) -> None:
    renamed = issue("a-renamed", 1, evidence="a")
    refined = stage.run(result(A, B), [app("a\nX\n")], [result(renamed)], iterations=1)
    refinement = refined.iterations[0].refinement
    assert (refinement.addressed_issue_ids, refinement.unaddressed_issue_ids) == (["b"], ["a-renamed"])
    assert refinement.new_issues_introduced == []


def test_known_edits_that_change_nothing_are_not_made_again(stage: Stage) -> None:
    stage.fixers = [Scripted("fake", [None], is_mechanical=True)]
    assert stage.run(result(A), [], []).stop is Stop.NO_CHANGE
    assert stage.fixers[0].given == [["a"]]


def test_the_worst_comes_first(stage: Stage) -> None:
    stage.run(result(C, A, issue("low", severity=Severity.LOW), CRITICAL), [None], [], iterations=1)
    assert stage.fixers[0].given == [["z", "a", "c"]]


def test_the_best_state_is_the_one_with_the_least_of_the_worst(stage: Stage) -> None:
    refined = stage.run(result(CRITICAL), [app("1\n"), app("2\n")], [result(A, B, C), result(A, B)], iterations=2)
    assert refined.best == 2
    assert refined.result is refined.iterations[1].review


def report(name: str, status: ReviewerStatus = ReviewerStatus.FAILED, **more: Any) -> ReviewerReport:
    return ReviewerReport(name=name, status=status, **more)


def lacking(*reports: ReviewerReport, why: str) -> Result:
    reports = tuple(msgspec.structs.replace(one, gap=why) for one in reports)
    return result(status=ResultStatus.INCOMPLETE, passed=False, incomplete_reasons=[why], reviewers=list(reports))


UNIT = report("check-unit", ReviewerStatus.SKIPPED, required=True)


@pytest.mark.parametrize(
    ("before", "after", "unproven", "best"),
    [
        ([], lacking(UNIT, why="check unit could not run: no such program"), ["check-unit"], 1),
        ([], lacking(UNIT, why="check unit could not run: no such program"), ["check-other"], 0),
        ([], lacking(report("lint"), why="lint failed: it broke"), [], 0),
        ([report("lint")], lacking(report("lint"), why="lint failed: it broke in line 7"), [], 1),
        ([report("lint", files=3)], lacking(report("lint", files=2), why="lint timed out: 60 s"), [], 0),
        *(
            pytest.param(*row, marks=pytest.mark.long)
            for row in (
                ([report("lint")], lacking(report("linter"), why="linter failed: it broke"), [], 0),
                ([], lacking(why="a.bin could not be read: it is locked"), [], 0),
                (
                    ["a.bin could not be read: it is locked"],
                    lacking(why="a.bin could not be read: it is locked"),
                    [],
                    1,
                ),
            )
        ),
    ],
)
def test_what_the_beginning_lacked_too_does_not_count(
    stage: Stage, before: list[Any], after: Result, unproven: list[str], best: int
) -> None:
    first = result(CRITICAL)
    first.reviewers = [item for item in before if isinstance(item, ReviewerReport)]
    first.incomplete_reasons = [item for item in before if isinstance(item, str)]
    refined = stage.run(first, [app("1\n")], [after], unproven=unproven, keeps=True)
    assert (refined.stop, refined.best) == (Stop.INCOMPLETE, best)
    assert (refined.spare is None, bool(refined.gaps)) == (bool(best), False)
    lacks = "" if best else f"it is no better than your tree: its review is incomplete: {after.incomplete_reasons[0]}"
    assert refined.spare_why == lacks


def test_what_only_an_earlier_run_has_reviewed_is_not_chosen(stage: Stage) -> None:
    refined = stage.run(result(A, B), [], [result(A, CRITICAL)], iterations=2, earlier=[result(), result(A)])
    assert (refined.stop, len(refined.iterations), refined.best) == (Stop.CAP, 2, 0)


@pytest.mark.parametrize("error", [StoreError("the disk is full"), KeyboardInterrupt()])
def test_nor_where_reviewing_it_again_fails(stage: Stage, error: BaseException) -> None:
    refined = stage.run(result(A), [], [error], earlier=[result()])
    assert (len(refined.iterations), refined.best) == (1, 0)


def test_the_state_that_it_goes_on_from_is_chosen_by_its_new_review(stage: Stage) -> None:
    refined = stage.run(result(A, B), [], [result()], earlier=[result(A, CRITICAL)])
    assert (refined.stop, refined.best) == (Stop.PASSED, 1)


def test_one_sum_holds_all_that_was_spent_and_what_an_earlier_run_did(stage: Stage) -> None:
    def cost(requests: int) -> Usage:
        return Usage(requests=requests)

    fix, earlier = {"usage": cost(100)}, [result(A, B, usage=cost(1000))]
    reviews = [result(A, usage=cost(10)), result(usage=cost(10))]
    refined = stage.run(result(A, B, usage=cost(1)), [app("x\n")], reviews, fix=fix, earlier=earlier)
    assert refined.stop is Stop.PASSED
    assert stage.ports.spent.requests == 1121


def test_what_breaks_a_check_is_tried_once_more_with_its_output(stage: Stage) -> None:
    refined = stage.run(result(A), [app("bad\n"), app("good\n")], [result()], broken=[["the check x fails"], []])
    assert [request.rejected for request in stage.fixers[0].requests] == [[], ["the check x fails"]]
    assert refined.stop is Stop.PASSED
    assert stage.text("app.py") == "good\n"


def test_what_breaks_a_check_twice_is_taken_back(stage: Stage) -> None:
    refined = stage.run(result(A), [app("bad\n"), app("worse\n")], [], broken=[["it fails"], ["it fails again"]])
    (iteration,) = refined.iterations
    assert refined.stop is Stop.NO_CHANGE
    assert iteration.refinement.fixers[-1].rejected == ["it fails", "it fails again"]
    assert iteration.refinement.fixers[-1].files == []
    assert stage.workspace.tree() == stage.workspace.start
    assert stage.ports.kept == []


def test_the_session_moves_with_it(stage: Stage) -> None:
    stage.run(result(A), [app("1\n")], [result()])
    assert (stage.recorder.session.state, stage.recorder.session.iteration) == (S.SELF_REVIEW_PASSED, 1)


LIB = "x = 1\ny = 2\n"


def marks(text: str) -> Result:
    """Review: a line ``a`` or ``b`` is an issue, and so is what is in the library for the first time."""
    lines = text.split("\n")
    rules = {"a": "one", "b": "two"}
    found = [issue(name, lines.index(name) + 1, evidence=name, rule=rules[name]) for name in "ab" if name in lines]
    for name, severity in {"oops": Severity.CRITICAL, "ouch": Severity.MEDIUM}.items():
        if name in text:
            found.append(issue(name, 1, file="lib.py", evidence=name, severity=severity))
    return result(*found)


@pytest.fixture
def two(workspace: Person, tmp_path: Path) -> Iterator[Stage]:
    workspace.write("lib.py", LIB)
    with staged(workspace, tmp_path) as made:
        yield made


def fixers(good: Deed, *bad: Deed) -> list[Scripted]:
    """Return one that makes known edits, and takes ``a``, and one that thinks, and takes the others."""
    return [
        Scripted("good", [good], is_mechanical=True, rules=frozenset({"one"})),
        Scripted("bad", bad, rules=frozenset({"two"})),
    ]


def test_only_the_edit_that_brought_an_issue_is_taken_back(two: Stage) -> None:
    two.fixers = fixers(
        replace("app.py", "a\n", "A\n"), replace("lib.py", "x = 1", "oops = 1"), replace("app.py", "b\n", "B\n")
    )
    refined = two.run(marks("a\nb\nc\n"), [], marks)
    first, second = (iteration.refinement for iteration in refined.iterations)
    assert (refined.stop, refined.best) == (Stop.PASSED, 2)
    assert (two.text("app.py"), two.text("lib.py")) == ("A\nB\nc\n", LIB)
    assert (first.addressed_issue_ids, first.new_issues_introduced, first.files) == (["a"], [], 1)
    assert [(report.name, report.files) for report in first.fixers] == [("good", ["app.py"]), ("bad", [])]
    assert first.fixers[1].rejected == ["lib.py:1: new since this edit: oops is wrong"]
    assert first.tree == two.ports.kept[1][0] != two.ports.kept[0][0]
    (attempt,) = two.fixers[1].requests[1].attempts
    assert attempt.what.startswith("bad said addressed: done; nothing was kept; rejected: lib.py:1: new since")
    assert second.addressed_issue_ids == ["b"]


@pytest.mark.parametrize("mends", [False, True])
def test_what_brings_an_issue_goes_also_where_it_got_better(two: Stage, *, mends: bool) -> None:
    """Whether the fix that brings something mends more than that or not: what others did is good without it."""

    def bad(root: Path, _: object) -> None:
        (root / "lib.py").write_text(LIB.replace("x = 1", "ouch = 1"))
        if mends:
            (root / "lib.py").write_text("ouch = 1\n")

    def review(text: str) -> Result:
        return marks(text) if not mends or "ouch" not in text else marks(text.replace("b\n", ""))

    two.fixers = fixers(replace("app.py", "a\n", "A\n"), bad)
    refined = two.run(marks("a\nb\nc\n"), [], review, iterations=1)
    assert refined.iterations[0].refinement.new_issues_introduced == []
    assert [report.files for report in refined.iterations[0].refinement.fixers] == [["app.py"], []]
    assert (refined.best, two.text("app.py"), two.text("lib.py")) == (1, "A\nb\nc\n", LIB)


def test_what_one_fixer_adds_to_what_it_mends_is_work_for_the_next_iteration(two: Stage) -> None:
    two.fixers = fixers(replace("app.py", "a\n", "A\nouch\n"), None)
    refined = two.run(marks("a\nb\nc\n"), [], marks, iterations=1)
    assert refined.iterations[0].refinement.new_issues_introduced == ["ouch"]
    assert refined.best == 1


def test_a_state_that_brings_nothing_goes_before_one_that_mends_more(stage: Stage) -> None:
    new = issue("e", 3, evidence="e", severity=Severity.MEDIUM)
    deeds = [app("a\nb\nC\n"), app("a\nB\ne\n")]
    refined = stage.run(result(A, B, C), deeds, [result(A, B), result(new)], iterations=2)
    assert (refined.best, refined.brought) == (1, {1: 0, 2: 1})


@pytest.mark.parametrize("again", ["a\nb\n", ""], ids=["not better", "better"])
def test_what_a_review_that_is_not_kept_costs_is_told(two: Stage, again: str) -> None:
    two.fixers = fixers(replace("app.py", "a\n", "A\n"), replace("lib.py", "x = 1", "oops = 1"))

    def review(text: str) -> Result:
        new = [issue("new", 1, file="lib.py", severity=Severity.CRITICAL)] if again or "oops" in text else []
        return result(*marks(again or "b\n").issues, *new, usage=Usage(requests=1))

    refined = two.run(marks("a\nb\nc\n"), [], review, iterations=1)
    assert [one.review.usage.requests for one in refined.iterations] == [2]


def test_where_taking_back_helps_nothing_all_stays(two: Stage) -> None:
    two.fixers = fixers(replace("app.py", "c\n", "C\n"), replace("lib.py", "x = 1", "oops = 1"))
    always = issue("new", 1, file="lib.py", severity=Severity.CRITICAL)
    refined = two.run(marks("a\nb\nc\n"), [], lambda _: result(*marks("a\nb\n").issues, always), iterations=1)
    assert (two.text("app.py"), two.text("lib.py")) == ("a\nb\nC\n", "oops = 1\ny = 2\n")
    assert [report.files for report in refined.iterations[0].refinement.fixers] == [["app.py"], ["lib.py"]]
    assert refined.best == 0


def test_what_breaks_a_check_alone_is_not_left_alone(two: Stage) -> None:
    two.fixers = fixers(replace("app.py", "a\n", "A\n"), replace("lib.py", "x = 1", "oops = 1"))
    refined = two.run(marks("a\nb\nc\n"), [], marks, iterations=1, broken=[[], ["without the other it fails"]])
    assert (two.text("app.py"), two.text("lib.py")) == ("A\nb\nc\n", "oops = 1\ny = 2\n")
    assert refined.best == 0


def test_what_else_is_wrong_with_a_line_that_was_edited_is_neither_mended_nor_new(stage: Stage) -> None:
    """It has other evidence and another fingerprint after the edit; the same is said of the same place."""
    mended = issue("v", 2, rule="verify", evidence="b")
    stays, still = (issue(name, 2, evidence=code, description="it waits") for name, code in (("w", "b"), ("x", "B")))
    deeds = [app("a\nB\nc\n"), None]
    refined = stage.run(result(mended, stays), deeds, [result(still)])
    told = refined.iterations[0].refinement
    assert (told.addressed_issue_ids, told.unaddressed_issue_ids) == (["v"], ["x"])
    assert told.new_issues_introduced == []
    assert refined.brought[1] == 0


def test_to_lead_to_the_same_words_about_the_same_place_is_no_reason_to_stop(stage: Stage) -> None:
    one, other = (issue(name, 2, evidence=code, description="it waits") for name, code in (("w", "b"), ("x", "B")))
    refined = stage.run(result(one), [app("a\nB\nc\n"), app("a\nc\n")], [result(other), result()])
    assert refined.stop is Stop.PASSED


START = "a\nb\nc\nd\n"
FIRST = "a\nB1\nB2\nc\nd\n"
SECOND = "top\na\nB1\nB2\nc\nD\n"


def stage_of(name: str, path: str, old: str, new: str | None) -> FixerStage:
    entries = (Entry("100644", old.encode()), None if new is None else Entry("100644", new.encode()))
    return FixerStage(FixerReport(name=name), {path: Edited(path, *entries)}, frozenset())


STAGES = [stage_of("first", "app.py", START, FIRST), stage_of("second", "app.py", FIRST, SECOND)]
OTHER = stage_of("other", "lib.py", "x\n", "y\n")


@pytest.mark.parametrize(
    ("new", "name"),
    [
        (issue("its-own-line", 1), "second"),
        (issue("moved-by-the-second", 3), "first"),
        (issue("over-both", 4, line_end=6), "second"),
        (issue("of-nobody", 5), "second"),
        (issue("of-the-whole-file", 0), "second"),
        (issue("of-what-is-gone", 3, side=Side.OLD), "second"),
        (issue("elsewhere", 1, file="lib.py"), "other"),
    ],
    ids=lambda value: value.id if isinstance(value, Issue) else value,
)
def test_it_belongs_to_who_wrote_the_line_else_to_who_was_last(new: Issue, name: str) -> None:
    ((guilty, why),) = blame([*STAGES, OTHER], [new]).items()
    assert guilty.report.name == name
    assert why == [f"{new.file}:{new.line_start}: new since this edit: {new.description}"]


def test_what_nobody_edited_is_nobodys_fault() -> None:
    assert blame([OTHER], [issue("new", 1)]) == {}


def test_a_file_that_is_gone_has_no_lines() -> None:
    assert list(blame([stage_of("removes", "app.py", START, None)], [issue("new", 1)])) != []
