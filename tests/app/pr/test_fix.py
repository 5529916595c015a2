"""Answers of fixers on feedback, and what is told and pushed of a refinement that came to an end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from selfreview.api import FixAnswer, FixOutcome, Occasion, Severity
from selfreview.app.pr.fix import _answers, _Fix, _last_answers
from selfreview.app.state import SessionRun
from selfreview.apply.patches import Manifest, Patch
from selfreview.model.refinement import FixerReport, Refinement, Stop
from selfreview.model.result import Iteration, Result
from selfreview.pullrequest.feedback.issues import REVIEWER
from selfreview.pullrequest.fix_outcome import Fixed
from selfreview.refine.refinement_result import RefinementResult
from selfreview.review.verdict import Threshold
from tests.refine.issues import issue
from tests.refine.results import result

A, B = (issue(name, line, reviewer=REVIEWER, rule=f"key-{name}") for line, name in enumerate("ab", 1))
NEW = issue("new", 3)
ADDRESSED, NOT, PERSON = FixOutcome.ADDRESSED, FixOutcome.NOT_ADDRESSED, FixOutcome.NEEDS_PERSON


def says(name: str, outcome: FixOutcome = ADDRESSED, why: str = "") -> FixAnswer:
    return FixAnswer(issue=name, outcome=outcome, why=why)


def report(*answers: FixAnswer, issues: Sequence[str] = ("a", "b"), name: str = "claude", **more: Any) -> FixerReport:
    return FixerReport(name=name, issues=list(issues), answers=list(answers), **{"files": ["app.py"]} | more)


def step(*reports: FixerReport, review: Result | None = None) -> Iteration:
    return Iteration(refinement=Refinement(fixers=list(reports), files=1), review=review or result())


def patch(name: str = "p-1", held: Sequence[str] = ()) -> Patch:
    manifest = Manifest(id=name, at="2026-01-01T00:00:00Z", iteration=1, files=(), held=tuple(held))
    return Patch(Path(), manifest)


def refined(*steps: Iteration, best: int | None = None, **more: Any) -> RefinementResult:
    values: dict[str, Any] = {"stop": Stop.PASSED, "why": "it passes", "patches": [patch() for _ in steps]}
    best = len(steps) if best is None else best
    return RefinementResult(first=result(A, B), iterations=list(steps), best=best, **{**values, **more})


def judged(
    found: RefinementResult | None, *, complete: bool = True, notes: Sequence[str] = (), own: Sequence[str] = ()
) -> Fixed:
    fix = _Fix([A, B], Occasion(heading="", material="", instructions=""))
    fix._complete = complete
    run = SimpleNamespace(threshold=Threshold("medium"), result=result(notes=list(own)))
    return fix._judge(found, cast(SessionRun, run), notes)


# --- answers ---------------------------------------------------------------------------------------------------------


def test_the_last_report_on_an_issue_counts_and_those_on_others_do_not() -> None:
    reports = [report(says("a", NOT, "how?"), says("other")), report(says("a")), report(says("b", PERSON, "who?"))]
    assert _answers(reports, [A, B]) == {"a": says("a"), "b": says("b", PERSON, "who?")}


def test_who_ends_without_a_report_is_taken_at_what_was_written() -> None:
    wrote = report(issues=["a", "other"])
    assert _answers([wrote], [A, B]) == {"a": says("a")}
    assert _last_answers(refined(step(wrote)), [A, B]) == {"a": says("a")}
    assert _last_answers(refined(step(report(files=[]))), [A, B]) == {}


def test_a_later_word_takes_nothing_back_that_is_addressed() -> None:
    steps = [step(report(says("a"), says("b", NOT, "how?"))), step(report(says("a", NOT, "gone"), says("b")))]
    assert _last_answers(refined(*steps), [A, B]) == {"a": says("a"), "b": says("b")}


def test_what_was_said_after_the_best_state_does_not_count() -> None:
    steps = [step(report(says("a"))), step(report(says("b")))]
    assert _last_answers(refined(*steps, best=1), [A, B]) == {"a": says("a")}
    assert _last_answers(refined(*steps, best=0), [A, B]) == {"a": says("a"), "b": says("b")}


# --- what is told and pushed -----------------------------------------------------------------------------------------


def test_a_fix_whose_review_finds_nothing_new_is_pushed() -> None:
    suggested = report(says("b"), name=REVIEWER)
    found = judged(refined(step(report(says("a", why="renamed")), suggested), notes=["it took long"]))
    assert found.patch is not None
    assert found.answers == {"key-a": says("a", why="renamed"), "key-b": says("b")}
    assert found.applied == {"key-b"}
    assert found.why == ("it took long",)


@pytest.mark.parametrize("best", [1, 0])
def test_a_fix_that_brings_something_that_blocks_is_withheld_in_the_words_of_the_finding(best: int) -> None:
    more = [issue(str(n), 10 + n, severity=Severity.MEDIUM) for n in range(3)]
    review = result(A, NEW, *more)  # A is the feedback itself, which is told otherwise
    found = judged(refined(step(report(says("a"), says("b")), review=review), best=best, brought={1: 4}))
    assert (found.patch, found.applied) == (None, frozenset())
    (why, *_) = found.why
    assert why == (
        "nothing is pushed, because the self-review of the fix finds "
        "app.py:3: new is wrong; app.py:10: 0 is wrong; app.py:11: 1 is wrong; and 1 more"
    )
    assert found.answers["key-a"] == says("a", NOT, why)


def test_what_the_beginning_had_withholds_nothing() -> None:
    assert judged(refined(step(report(says("a")), review=result(NEW)), brought={1: 0})).patch is not None


def test_what_was_brought_and_taken_back_until_the_best_state_withholds_nothing() -> None:
    steps = [step(report(says("a")), review=result(NEW)), step(report(says("a")))]
    assert judged(refined(*steps, brought={1: 1})).patch is not None
    assert judged(refined(*steps, best=1, brought={1: 1})).patch is None


def test_a_review_that_lacks_something_withholds_a_fix_only_where_the_one_before_lacked_nothing() -> None:
    steps = [step(report(says("a")))]
    found = judged(refined(*steps, gaps=["x failed"]))
    assert (found.patch, found.why) == (None, ("the self-review of the fix is incomplete", "x failed"))
    assert judged(refined(*steps, gaps=["x failed"]), complete=False).patch is not None


@pytest.mark.parametrize(("files", "why"), [([], "no fixer changed anything for it"), (["app.py"], "its edit could")])
def test_what_is_called_addressed_and_is_open_is_told_as_not_addressed(files: list[str], why: str) -> None:
    found = judged(refined(step(report(says("a"), says("b"), files=files), review=result(A))))
    assert found.answers["key-a"].outcome is NOT
    assert found.answers["key-a"].why.startswith(why)
    assert found.answers["key-b"] == says("b")


def test_without_a_patch_all_reasons_are_told_once() -> None:
    reports = [
        report(says("a", PERSON, "which name?"), rejected=["app.py: no", "app.py: no"]),
        report(says("b", NOT, "which name?"), name="codex", error="it crashed"),
    ]
    over = refined(step(*reports, review=result(A, B)), best=0, stop=Stop.NO_CHANGE, why="nothing changed")
    told = ("claude: rejected: app.py: no", "codex: it crashed", "which name?")
    assert judged(over).why == (*told, "nothing changed")
    over.stop = Stop.CAP  # that of the refinement within one cycle is none that a person knows
    assert judged(over).why == told


def test_edits_that_wait_for_a_person_are_named_with_the_command_that_applies_them() -> None:
    waits = patch("p-2", ["tests/test_app.py:3: it weakens a test"])
    found = judged(refined(step(report(says("a"))), held=patch("p-9"), held_after=waits))
    assert found.patch is not None
    (why,) = found.why
    assert why.endswith("wait for a person: tests/test_app.py:3: it weakens a test (selfreview apply p-2)")


def test_where_nothing_could_be_tried_the_reasons_are_those_of_the_fixers_and_of_the_review() -> None:
    assert judged(None, notes=["claude is not set up"], own=["no key"]).why == ("claude is not set up", "no key")
    assert judged(None).why == ("no fixer can do what is asked for",)
