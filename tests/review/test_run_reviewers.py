"""Running reviewers: each behind its own boundary, within its own time, and none waited for in vain."""

from __future__ import annotations

import _thread
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from selfreview.api import ChangedFile, Review, ReviewContext, ReviewerStatus
from selfreview.errors import ToolError
from selfreview.review import run_reviewers
from selfreview.review.run_reviewers import run_all
from selfreview.review.tasks import Outcome, Settings, assign
from tests.review.builders import MemoryBlobs, Reviewing, make_bench, make_finding


class Quiet:
    """A watcher that says nothing."""

    def started(self, name: str) -> None:
        pass

    def advanced(self, name: str, done: int, of: int) -> None:
        pass

    def finished(self, name: str, status: ReviewerStatus) -> None:
        pass


class Noting(Quiet):
    """A watcher that remembers what it is told."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def started(self, name: str) -> None:
        self.heard.append(f"{name} started")

    def advanced(self, name: str, done: int, of: int) -> None:
        self.heard.append(f"{name} {done} of {of}")

    def finished(self, name: str, status: ReviewerStatus) -> None:
        self.heard.append(f"{name} {status.value}")


class Raising(Quiet):
    """A watcher that fails for one reviewer."""

    def __init__(self, name: str, when: str) -> None:
        self._name, self._when = name, when

    def started(self, name: str) -> None:
        self._fail(name, "started")

    def finished(self, name: str, status: ReviewerStatus) -> None:
        self._fail(name, "finished")

    def _fail(self, name: str, when: str) -> None:
        if (name, when) == (self._name, self._when):
            raise SystemExit(f"{when} failed")


def run(*reviewers: Reviewing, **settings: Any) -> list[Outcome]:
    bench = make_bench(a_py="one\ntwo\n", b_py="one\n")
    given = {"timeout": 60.0, "jobs": 4, "blobs": None, "watcher": Quiet(), "crash_report": lambda _where, _error: None}
    outcomes = run_all(assign(reviewers, bench), bench, Settings(**{**given, **settings}))
    bench.close()
    return outcomes


def statuses(outcomes: Sequence[Outcome]) -> list[str]:
    return [outcome.review.status.value for outcome in outcomes]


def broken(*_: object) -> Review:
    raise ValueError("out of order")


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A reviewer's function that comes back once it is told to, after everybody has given it up."""
    monkeypatch.setattr(run_reviewers, "GRACE_S", 0.0)
    release = threading.Event()
    hang = Reviewing("hanging", lambda *_: (release.wait(), Review())[1], timeout=0.05, release=release)
    yield hang
    release.set()


@pytest.mark.parametrize("when", ["started", "finished"])
def test_a_watcher_that_fails_costs_the_review_and_never_the_run(when: str) -> None:
    outcomes = run(Reviewing("one"), Reviewing("two"), watcher=Raising("one", when), jobs=1)
    assert statuses(outcomes) == ["failed", "ok"]
    assert outcomes[0].review.error == f"crashed: SystemExit: {when} failed"


def test_a_tool_that_is_not_there_is_not_said_to_be_at_work() -> None:
    def skipped(*_: object) -> Review:
        return Review(status=ReviewerStatus.SKIPPED, error="absent is not installed")

    watcher = Noting()
    absent = Reviewing("absent", skipped, unavailable=lambda: ("absent is not installed", "pip install absent"))
    there = Reviewing("there", unavailable=lambda: None)
    assert statuses(run(absent, there, Reviewing("plain"), watcher=watcher, jobs=1)) == ["skipped", "ok", "ok"]
    assert watcher.heard == ["there started", "there ok", "plain started", "plain ok"]


def test_what_fails_without_its_tool_is_still_told() -> None:
    watcher = Noting()
    run(Reviewing("absent", broken, unavailable=lambda: ("absent is not installed", "")), watcher=watcher)
    assert watcher.heard == ["absent failed"]


def test_how_far_one_of_many_parts_is_is_told() -> None:
    def parts(files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        for count in range(1, len(files) + 1):
            context.keep(files[:count], Review())
        return Review()

    watcher = Noting()
    run(Reviewing("one", parts), watcher=watcher)
    assert watcher.heard == ["one started", "one 1 of 2", "one 2 of 2", "one ok"]


def test_a_watcher_that_fails_for_a_late_reviewer_keeps_it_incomplete(hanging: Reviewing) -> None:
    outcomes = run(hanging, Reviewing("two"), watcher=_FailingLate())
    assert statuses(outcomes) == ["failed", "ok"]


class _FailingLate(Quiet):
    def finished(self, name: str, status: ReviewerStatus) -> None:
        if status is ReviewerStatus.TIMED_OUT:
            raise ValueError("no")


def test_a_crash_report_that_fails_does_not_hide_the_crash() -> None:
    def crash_report(_where: str, _error: BaseException) -> str:
        raise OSError("no space left")

    (outcome,) = run(Reviewing("one", broken), crash_report=crash_report)
    assert outcome.review.status is ReviewerStatus.FAILED
    assert outcome.review.error == "crashed: ValueError: out of order"
    assert outcome.review.hint == "the crash report cannot be written: OSError: no space left"


def test_a_reviewer_that_cannot_say_what_it_selects_is_a_failed_one() -> None:
    outcomes = run(Reviewing("one", selects=broken), Reviewing("two"))
    assert statuses(outcomes) == ["failed", "ok"]
    assert outcomes[0].review.error == "crashed: ValueError: out of order"


def test_a_place_is_given_on_once(hanging: Reviewing) -> None:
    """One that comes back late must not let two others in at once."""
    at_once, most, lock = [0], [0], threading.Lock()
    came_back = threading.Event()

    def review(_files: Sequence[ChangedFile], _context: ReviewContext) -> Review:
        with lock:
            at_once[0] += 1
            most[0] = max(most[0], at_once[0])
        hanging.release.set()  # type: ignore[attr-defined]
        came_back.wait(0.1)
        with lock:
            at_once[0] -= 1
        return Review()

    outcomes = run(hanging, *(Reviewing(f"r{n}", review) for n in range(4)), jobs=1)
    assert statuses(outcomes) == ["timed_out", "ok", "ok", "ok", "ok"]
    assert most == [1]


def test_what_comes_back_too_late_changes_nothing(hanging: Reviewing) -> None:
    def release(*_: object) -> Review:
        hanging.release.set()  # type: ignore[attr-defined]
        return Review()

    outcomes = run(hanging, Reviewing("two", release), jobs=1)
    assert statuses(outcomes) == ["timed_out", "ok"]
    assert outcomes[0].review.error == "did not finish within 0.05 s"
    assert outcomes[0].review.hint == "raise its timeout, or leave it out with -p no:hanging"


def test_nothing_is_said_to_leave_out_what_a_gate_adds(hanging: Reviewing) -> None:
    hanging.name = "gate"
    (outcome,) = run(hanging)
    assert outcome.review.hint == "raise its timeout"


def test_a_reviewer_has_its_own_time() -> None:
    left: dict[str, float] = {}

    def named(name: str, **more: Any) -> Reviewing:
        def review(_files: Sequence[ChangedFile], context: ReviewContext) -> Review:
            left[name] = context.remaining()
            return Review()

        return Reviewing(name, review, **more)

    run(named("short", timeout=30), named("long", timeout=900.0), named("usual"), named("unset", timeout=None))
    assert left["short"] <= 30 < left["usual"] <= 60 < left["long"] <= 900
    assert 30 < left["unset"] <= 60


def test_a_reviewer_with_more_time_than_others_is_not_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_reviewers, "GRACE_S", 0.0)
    never = threading.Event()
    slow = Reviewing("slow", lambda *_: (never.wait(0.2), Review())[1], timeout=60)
    assert statuses(run(slow, timeout=0.01)) == ["ok"]


@pytest.mark.parametrize("timeout", ["60", True, 0, -1, float("nan"), float("inf")])
def test_a_timeout_that_is_no_time_fails_the_reviewer(timeout: object) -> None:
    (outcome,) = run(Reviewing("one", timeout=timeout))
    assert outcome.review.status is ReviewerStatus.FAILED
    assert "must be a number of seconds above 0" in (outcome.review.error or "")


# --- cached reviews ------------------------------------------------------------------------------------------------


def review_twice(first: dict[str, str], second: dict[str, str], review: Any) -> tuple[Outcome, Outcome]:
    blobs = MemoryBlobs()
    outcomes = []
    for files in (first, second):
        bench = make_bench(**files)
        settings = Settings(60.0, 1, blobs, Quiet(), lambda _where, _error: None)
        (outcome,) = run_all(assign([Reviewing("one", review)], bench), bench, settings)
        blobs.put_many(outcome.entries(lambda review: review))
        outcomes.append(outcome)
        bench.close()
    return outcomes[0], outcomes[1]


def telling(files: Sequence[ChangedFile], _context: ReviewContext) -> Review:
    return Review(hint=f"about {' '.join(file.path for file in files)}", findings=[make_finding(file=files[0].path)])


def test_a_hint_is_there_the_second_time_too() -> None:
    files = {"a_py": "one\n", "b_py": "one\n"}
    first, second = review_twice(files, files, telling)
    assert (first.cached, second.cached) == (False, True)
    assert first.review.hint == second.review.hint == "about a.py b.py"
    assert first.review.findings == second.review.findings


def test_a_hint_about_files_that_have_changed_is_not_repeated() -> None:
    _, second = review_twice({"a_py": "one\n", "b_py": "one\n"}, {"a_py": "one\n", "b_py": "two\n"}, telling)
    assert (second.cached, second.review.hint) == (False, "about a.py b.py")


def test_hints_of_whole_batches_are_all_told() -> None:
    _, second = review_twice({"a_py": "one\n"}, {"a_py": "one\n", "b_py": "one\n"}, telling)
    assert (second.cached, second.review.hint) == (False, "about a.py; about b.py")


def test_a_tool_that_an_interrupt_killed_says_so() -> None:
    """It comes back in time to say that something killed it, and that was the run."""
    stopped = threading.Event()

    def review(_files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        context.on_stop(stopped.set)
        _thread.interrupt_main()
        stopped.wait()
        raise ToolError("it was killed by SIGKILL", hint="give it more memory")

    (outcome,) = run(Reviewing("one", review))
    assert outcome.review.error == "interrupted before it was done"
    assert outcome.review.hint is None


def test_an_interrupt_as_a_task_ends_loses_no_task(monkeypatch: pytest.MonkeyPatch) -> None:
    await_one = run_reviewers._Crew._await

    def interrupted(crew: run_reviewers._Crew) -> None:
        await_one(crew)
        raise KeyboardInterrupt

    monkeypatch.setattr(run_reviewers._Crew, "_await", interrupted)
    outcomes = run(Reviewing("one"), Reviewing("two"), jobs=1)
    assert [outcome.review.error for outcome in outcomes] == ["interrupted before it was done"] * 2
