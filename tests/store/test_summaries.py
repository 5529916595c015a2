"""Summaries of runs and outcomes of issues: written with the result, kept when it is pruned, bounded."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from selfreview.errors import UsageError
from selfreview.model.event import Event
from selfreview.model.issue import Issue, IssueStatus
from selfreview.model.refinement import FixAnswer, FixerReport, FixOutcome, Refinement
from selfreview.model.result import Iteration, KeptPatch, Result, ResultStatus, ReviewerReport, ReviewerStatus
from selfreview.model.session import Session
from selfreview.model.usage import Usage
from selfreview.store import Store, events, numbers, runs, summaries
from selfreview.store.database import Database
from selfreview.store.numbers import Outcome
from selfreview.store.tables import MIGRATIONS, Migrations

from .builders import make_issue, make_result

LOOP = make_issue("v1:ab12")
OTHER = make_issue("v1:cd34", reviewer="ruff", rule="E711")


def fixed(*issues: Issue, by: str = "ruff", left: tuple[Issue, ...] = (), applied: bool = True) -> Result:
    """A run whose refinement addressed issues; what it leaves to the person's tree is ``left``."""
    reports = [
        FixerReport(name="claude", issues=[issue.id for issue in issues], usage=Usage(input_tokens=7, cost_usd=0.5)),
        FixerReport(
            name=by,
            issues=[issue.id for issue in issues],
            files=["src/app.py"],
            answers=[FixAnswer(issue=issue.id, outcome=FixOutcome.ADDRESSED) for issue in issues],
        ),
    ]
    refinement = Refinement(fixers=reports, addressed_issue_ids=[issue.id for issue in issues])
    result = make_result(*left)
    result.usage = Usage(input_tokens=17, cost_usd=1.5)
    result.reviewers = [ReviewerReport(name="agent-x", status=ReviewerStatus.OK, usage=Usage(input_tokens=1))]
    result.iterations = [Iteration(refinement=refinement, review=make_result(), addressed=list(issues))]
    result.patch = KeptPatch(id="p-1", file="x", iteration=1, files=1, applied=applied)
    return result


def outcomes(store: Store) -> list[Outcome]:
    with closing(sqlite3.connect(store.path)) as connection:
        return sorted(numbers.outcomes_named(connection, "", 99))


def outcome_of(store: Store, issue: Issue = LOOP, branch: str = "main") -> tuple[str, str]:
    (found,) = [one for one in outcomes(store) if one[:2] == (issue.fingerprint, branch)]
    return found.outcome, found.who


def at(session: str) -> object:
    return lambda run: Event(kind="review.completed", at="2026-11-27T21:00:00Z", run_id=run, session=session)


def test_a_result_leaves_a_summary_and_the_outcomes_of_its_issues(store: Store) -> None:
    run = store.add_result(make_result(LOOP))
    (summary,) = store.summaries()
    assert (summary.id, summary.branch, summary.at, summary.first) == (run, "main", "2026-11-27T21:00:00Z", True)
    assert not summary.numbers.passed
    assert outcomes(store) == [
        Outcome("v1:ab12", "main", "sr-ab12", "endless-loop", "rules", "logic", "high", "2026-11-27T21:00:00Z",
                "2026-11-27T21:00:00Z", 1, "open", "")
    ]  # fmt: skip


def test_both_stay_when_the_run_is_pruned(directory: Path) -> None:
    with Store(Database(directory / "store.db"), keep_runs=1) as store:
        store.add_result(make_result(LOOP))
        store.add_result(make_result(OTHER))
        assert len(store.results(9)) == 1
        assert len(store.summaries()) == 2
        assert {outcome.fingerprint for outcome in outcomes(store)} == {"v1:ab12", "v1:cd34"}


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (IssueStatus.OPEN, "open"),
        (IssueStatus.SUPPRESSED, "suppressed"),
        (IssueStatus.BASELINED, "baseline"),
        (IssueStatus.ACCEPTED, "accepted"),
        (IssueStatus.DISMISSED, "refuted"),
        (IssueStatus.UNCONFIRMED, "refuted"),
    ],
)
def test_an_outcome_is_where_the_issue_stands(store: Store, status: IssueStatus, outcome: str) -> None:
    store.add_result(make_result(make_issue("v1:ab12", status=status)))
    assert outcome_of(store) == (outcome, "")


def test_an_acceptance_has_its_person(store: Store) -> None:
    store.add_result(
        make_result(make_issue("v1:ab12", status=IssueStatus.ACCEPTED, status_reason="accepted by Ada: as it is"))
    )
    assert outcome_of(store) == ("accepted", "Ada")


def test_what_was_never_in_scope_and_what_is_merged_is_not_counted(store: Store) -> None:
    outside = make_issue("v1:ab12", status=IssueStatus.OUT_OF_SCOPE)
    store.add_result(make_result(outside, make_issue("v1:cd34", status=IssueStatus.DUPLICATE)))
    assert outcomes(store) == []


def test_an_issue_that_leaves_the_change_is_out_of_scope(store: Store) -> None:
    store.add_result(make_result(LOOP))
    store.add_result(make_result(make_issue("v1:ab12", status=IssueStatus.OUT_OF_SCOPE)))
    assert outcome_of(store) == ("out_of_scope", "")


def test_what_a_refinement_addressed_is_fixed_by_who_says_so(store: Store) -> None:
    store.add_result(make_result(LOOP))
    store.add_result(fixed(LOOP, OTHER))
    assert outcome_of(store) == ("fixed", "ruff")
    assert outcome_of(store, OTHER) == ("fixed", "ruff")


def test_what_a_refinement_brought_itself_is_nothing_that_was_fixed(store: Store) -> None:
    result = fixed(LOOP)
    result.iterations[0].refinement.new_issues_introduced = [OTHER.id]
    result.iterations.append(fixed(OTHER).iterations[0])
    store.add_result(result)
    assert [outcome.fingerprint for outcome in outcomes(store)] == ["v1:ab12"]


def test_a_fix_in_a_patch_that_waits_counts_once_a_review_is_without_the_issue(store: Store) -> None:
    store.add_result(fixed(LOOP, left=(LOOP,), applied=False))
    assert outcome_of(store) == ("open", "ruff")
    store.add_result(make_result())
    assert outcome_of(store) == ("fixed", "ruff")


def test_an_open_issue_that_a_later_review_of_the_branch_does_not_hold_is_gone(store: Store) -> None:
    store.add_result(make_result(LOOP))
    store.add_result(make_result(LOOP, branch="other"))
    store.add_result(make_result())
    assert outcome_of(store) == ("gone", "")
    assert outcome_of(store, branch="other") == ("open", "")
    store.add_result(make_result(LOOP))
    assert outcome_of(store) == ("open", "")


@pytest.mark.parametrize("what", ["partial", "incomplete", "without its reviewer", "merged"])
def test_it_is_not_gone_where_nobody_looked(store: Store, what: str) -> None:
    store.add_result(make_result(LOOP))
    later = make_result()
    assert later.scope is not None
    later.scope.partial = what == "partial"
    later.status = ResultStatus.INCOMPLETE if what == "incomplete" else ResultStatus.COMPLETE
    if what == "without its reviewer":
        later.reviewers = [ReviewerReport(name="rules", status=ReviewerStatus.SKIPPED)]
    if what == "merged":
        later.issues = [make_issue("v1:ab12", status=IssueStatus.DUPLICATE)]
    store.add_result(later)
    assert outcome_of(store) == ("open", "")


def test_the_first_review_is_the_first_complete_one_of_a_session_s_change(store: Store) -> None:
    partial, incomplete = make_result(), make_result()
    assert partial.scope is not None
    partial.scope.partial = True
    incomplete.status = ResultStatus.INCOMPLETE
    for result, session in ((partial, "s-1"), (incomplete, "s-1"), (make_result(), "s-1"), (make_result(), "s-1"),
                            (make_result(), "s-2")):  # fmt: skip
        store.add_result(result, at(session))  # type: ignore[arg-type]
    assert [summary.first for summary in store.summaries()] == [False, False, True, False, True]


def test_a_summary_has_the_pull_request_that_its_session_came_to(store: Store) -> None:
    session = Session(id="s-1", branch="main", worktree="/src/app", created="", updated="")
    store.save_session(session)
    store.add_result(make_result(), at("s-1"))  # type: ignore[arg-type]
    session.request = 7
    store.save_session(session)
    store.add_result(make_result(), at("s-1"))  # type: ignore[arg-type]
    assert [(summary.request, summary.opened) for summary in store.summaries()] == [(7, False), (7, True)]


def test_what_models_cost_is_kept_by_who_asked(store: Store) -> None:
    store.add_result(fixed(LOOP))
    (summary,) = store.summaries()
    spent = {name: (usage.input_tokens, usage.cost_usd) for name, usage in summary.numbers.spent.items()}
    assert spent == {"claude": (7, 0.5), "agent-x": (10, 1.0)}


def test_a_store_of_before_is_filled_from_the_results_that_it_keeps(directory: Path) -> None:
    results = [make_result(LOOP), fixed(LOOP, OTHER)]
    before = Database(directory / "store.db", migrations=Migrations(MIGRATIONS.scripts[:5], frozenset(), {}))
    with closing(before):
        for result in results:
            before.write(lambda c, r=result: runs.add_result(c, r, keep_runs=9, keep_bytes=10**6))  # type: ignore[misc]
        before.write(lambda c: c.execute("INSERT INTO runs (id, at, branch, size) VALUES ('r-x', '', '', 1)"))
        before.write(lambda c: c.execute("INSERT INTO results (seq, body) VALUES (3, x'7b')"))
    with Store.open(directory) as store:
        assert [summary.id for summary in store.summaries()] == [result.run_id for result in results]
        assert outcome_of(store) == ("fixed", "ruff")
        assert store.warnings == ()


def test_both_are_bounded_in_number_and_in_days(directory: Path) -> None:
    with Store.open(directory) as store:
        for day in range(1, 6):
            issue = make_issue(f"v1:ab1{day}")
            store.add_result(make_result(issue, timestamp=f"2026-11-0{day}T21:00:00Z", branch=str(day)))
    with closing(sqlite3.connect(directory / "store.db")) as connection:
        summaries.bound(connection, "2026-11-30T00:00:00Z", keep_summaries=3, keep_outcomes=2)
        connection.commit()
    with Store.open(directory) as store:
        assert [summary.branch for summary in store.summaries()] == ["3", "4", "5"]
        assert [outcome.branch for outcome in outcomes(store)] == ["4", "5"]
    with closing(sqlite3.connect(directory / "store.db")) as connection:
        summaries.bound(connection, "2027-12-10T00:00:00Z")
        connection.commit()
    with Store.open(directory) as store:
        assert [summary.branch for summary in store.summaries()] == ["5"]
        assert [outcome.branch for outcome in outcomes(store)] == ["5"]


def test_they_are_found_by_time_and_branch(store: Store) -> None:
    store.add_result(make_result(LOOP, timestamp="2026-11-01T21:00:00Z"))
    store.add_result(make_result(OTHER, timestamp="2026-11-02T21:00:00Z"))
    store.add_result(make_result(branch="other", timestamp="2026-11-02T22:00:00Z"))
    assert len(store.summaries("2026-11-02T00:00:00Z")) == 2
    assert store.tallies("2026-11-02T00:00:00Z", "main") == [("ruff", "E711", "open", "", 1)]
    assert store.caught("2026-11-02T00:00:00Z", "main") == [("logic", "high", "open", "2026-11-02", 1)]


def test_issues_are_counted_by_rule_and_by_day(store: Store) -> None:
    store.add_result(make_result(LOOP, make_issue("v1:ef"), OTHER))
    assert [(one.rule, one.issues) for one in store.tallies()] == [("E711", 1), ("endless-loop", 2)]
    assert [(one.day, one.issues) for one in store.caught()] == [("2026-11-27", 3)]


def test_a_run_that_was_pruned_says_how_it_ended(directory: Path) -> None:
    with Store(Database(directory / "store.db"), keep_runs=1) as store:
        gone = store.add_result(make_result(LOOP, OTHER))
        store.add_result(make_result(timestamp="2026-11-28T21:00:00Z"))
        for name in (gone, gone[:-1]):
            with pytest.raises(UsageError, match=f"run {gone} of 2026-11-27 was pruned: not passed, 2 open issues"):
                store.result(name)
        with pytest.raises(UsageError, match="there is no run 'r-2025'"):
            store.result("r-2025")
        (pruned,) = store.pruned(9)
        assert (pruned.id, pruned.numbers.counts) == (gone, {"logic": {"high": 2}})
        assert store.pruned(9, "other") == []


def test_an_incomplete_run_that_was_pruned_says_so(directory: Path) -> None:
    with Store(Database(directory / "store.db"), keep_runs=1) as store:
        result = make_result()
        result.status = ResultStatus.INCOMPLETE
        gone = store.add_result(result)
        store.add_result(make_result(timestamp="2026-11-28T21:00:00Z"))
        with pytest.raises(UsageError, match="was pruned: incomplete, 0 open issues"):
            store.result(gone)


def test_several_pruned_runs_are_no_run(directory: Path) -> None:
    with Store(Database(directory / "store.db"), keep_runs=1) as store:
        for _ in range(3):
            store.add_result(make_result())
        with pytest.raises(UsageError, match="there is no run 'r-2026x'"):
            store.result("r-2026x")


def test_an_issue_that_no_review_holds_any_more_says_what_became_of_it(directory: Path) -> None:
    with Store(Database(directory / "store.db"), keep_runs=1) as store:
        store.add_result(make_result(OTHER))
        store.add_result(fixed(LOOP))
        for name, became in (("sr-ab12", "fixed by ruff"), ("v1:ab", "fixed by ruff"), ("sr-cd34", "gone")):
            with pytest.raises(UsageError, match="no review that is kept holds the issue") as caught:
                store.issue(name)
            assert caught.value.message.endswith(f"high, last seen on 2026-11-27 on main: {became})")
        for name in ("sr-", "sr-ef"):
            with pytest.raises(UsageError, match="no issue"):
                store.issue(name)


def test_a_store_of_before_tells_which_runs_came_before_the_pull_request(directory: Path) -> None:
    session = Session(id="s-1", branch="main", worktree="/src/app", created="", updated="", request=7)
    opened = Event(kind="session.state_changed", at="2026-11-28T00:00:00Z", session="s-1", data={"new": "pr_created"})
    before = Database(directory / "store.db", migrations=Migrations(MIGRATIONS.scripts[:5], frozenset()))

    def old(connection: sqlite3.Connection) -> None:
        runs.save_session(connection, session)
        events.add(connection, opened)
        for day in (27, 29):
            result = make_result(timestamp=f"2026-11-{day}T21:00:00Z")
            run = runs.add_result(connection, result, keep_runs=9, keep_bytes=10**6)
            events.add(connection, Event(kind="review.completed", at="", run_id=run, session="s-1"))

    with closing(before):
        before.write(old)
    with Store.open(directory) as store:
        kept = [(summary.session, summary.first, summary.request, summary.opened) for summary in store.summaries()]
    assert kept == [("s-1", True, 7, False), ("s-1", False, 7, True)]
