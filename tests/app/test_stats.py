"""The numbers that are made of summaries, outcomes and calls."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from selfreview.app.stats import Stats, export, since_of, statistics
from selfreview.errors import OutputError, UsageError
from selfreview.model.usage import Usage
from selfreview.store.numbers import Call, Caught, Summary, Tally
from selfreview.store.summaries import RunFigures


def run(at: str = "2026-11-25T10:00:00Z", *, session: str = "s-1", first: bool = False, request: int | None = None,
        opened: bool = False, branch: str = "work", **numbers: object) -> Summary:  # fmt: skip
    kept = RunFigures(**numbers)  # type: ignore[arg-type]
    return Summary("r-1", at, branch, session, first, request, opened, kept)


class Issue(NamedTuple):
    outcome: str = "open"
    rule: str = "eval"
    reviewer: str = "rules"
    category: str = "security"
    severity: str = "high"
    at: str = "2026-11-25T10:00:00Z"
    who: str = ""


def numbers(runs: list[Summary] = [], outcomes: list[Issue] = [], calls: list[Call] = []) -> Stats:  # noqa: B006
    tallies = [Tally(one.reviewer, one.rule, one.outcome, one.who, 1) for one in outcomes]
    caught = [Caught(one.category, one.severity, one.outcome, one.at[:10], 1) for one in outcomes]
    return statistics(runs, tallies, caught, calls, minutes_per_fix=5)


def test_a_store_without_reviews_has_no_numbers() -> None:
    assert numbers() == Stats(minutes_per_fix=5)


def test_the_mean_of_iterations_is_of_those_before_each_pull_request() -> None:
    stats = numbers([
        run(iterations=2, request=7),
        run(iterations=1, request=7),
        run(iterations=9, request=7, opened=True),
        run(session="s-2", branch="other", request=8),
        run(session="s-3", iterations=5),
    ])  # fmt: skip
    assert [(one.branch, one.request, one.reviews, one.iterations) for one in stats.requests] == [
        ("work", 7, 2, 3),
        ("other", 8, 1, 0),
    ]
    assert (stats.mean_iterations, stats.mean_reviews) == (1.5, 1.5)


def test_a_pull_request_whose_reviews_before_are_gone_is_left_out() -> None:
    assert numbers([run(request=7, opened=True)]).requests == []


def test_a_first_review_passed_where_nothing_had_to_be_refined() -> None:
    stats = numbers([
        run(first=True, passed=True),
        run(first=True, passed=True, iterations=1),
        run(first=True),
        run(passed=True),
    ])  # fmt: skip
    assert (stats.first_reviews, stats.first_passed) == (3, 1)


def test_categories_are_ranked_with_their_severities() -> None:
    stats = numbers(outcomes=[
        Issue(category="logic"), Issue(severity="low"), Issue("fixed"), Issue("baseline"), Issue("refuted"),
    ])  # fmt: skip
    assert [(one.category, one.issues, one.severities) for one in stats.issues] == [
        ("security", 2, {"low": 1, "high": 1}),
        ("logic", 1, {"high": 1}),
    ]


def test_issues_are_counted_in_the_week_of_their_first_sight() -> None:
    stats = numbers(
        [run("2026-11-30T00:00:00Z", spent={"claude": Usage(input_tokens=3)}), run("2026-11-29T23:59:59Z")],
        [Issue(at="2026-11-29T23:59:59Z"), Issue(at="2026-11-30T00:00:00Z"), Issue(at="2026-12-06T00:00:00Z")],
    )
    assert [(week.begins, week.reviews, week.issues, week.usage.input_tokens) for week in stats.weeks] == [
        ("2026-11-23", 1, {"security": 1}, 0),
        ("2026-11-30", 1, {"security": 2}, 3),
    ]


def test_a_day_that_is_none_is_a_week_of_its_own() -> None:
    assert [week.begins for week in numbers([run("never")]).weeks] == ["never"]


def test_time_saved_is_what_fixers_fixed_by_the_assumption() -> None:
    stats = numbers(outcomes=[Issue("fixed", who="ruff"), Issue("fixed", who="claude"), Issue("fixed", who="ruff"),
                              Issue("gone"), Issue("accepted", who="Ada")])  # fmt: skip
    assert (stats.fixes, stats.minutes_per_fix, stats.minutes_saved) == ({"ruff": 2, "claude": 1}, 5, 15)


@pytest.mark.parametrize(
    ("outcomes", "noise"),
    [
        (["suppressed", "accepted", "refuted"], True),
        (["suppressed", "accepted"], False),
        (["suppressed", "accepted", "refuted", "fixed", "gone", "fixed"], False),
        (["open", "baseline", "out_of_scope", "open"], False),
    ],
)
def test_a_rule_is_noise_where_most_of_what_is_decided_was_turned_down(outcomes: list[str], noise: bool) -> None:
    (rule,) = numbers(outcomes=[Issue(outcome) for outcome in outcomes]).rules
    assert (rule.noise, rule.issues, rule.selector) == (noise, len(outcomes), "rules/eval")


def test_rules_are_ranked_and_a_reviewer_without_rules_is_one() -> None:
    rules = numbers(outcomes=[Issue(), Issue(rule="", reviewer="claude"), Issue(rule="", reviewer="claude")]).rules
    assert [(rule.selector, rule.issues) for rule in rules] == [("claude", 2), ("rules/eval", 1)]


def test_costs_are_added_up_by_who_asked() -> None:
    spent = {"claude": Usage(input_tokens=5, cost_usd=0.25)}
    stats = numbers([run(spent=spent), run(spent=spent)])
    assert (stats.models["claude"].input_tokens, stats.models["claude"].cost_usd) == (10, 0.5)


def test_half_and_nine_of_ten_reviews_took_at_most_so_long() -> None:
    stats = numbers([run(duration_ms=n) for n in (10, 1, 2, 3, 4, 5, 6, 7, 8, 9)])
    assert (stats.median_ms, stats.slow_ms) == (5, 9)


def test_fix_cycles_and_calls_for_a_person_are_counted() -> None:
    at = "2026-11-25T10:00:00Z"
    stats = numbers(calls=[Call("cycle.ended", at, "work"), Call("cycle.ended", at, "work"),
                           Call("session.escalated", at, "")])  # fmt: skip
    assert (stats.fix_cycles, stats.escalations) == (2, 1)


@pytest.mark.parametrize(
    ("text", "since"),
    [
        ("30d", "2026-10-31T12:00:00Z"),
        ("2w", "2026-11-16T12:00:00Z"),
        ("2026-11-01", "2026-11-01T00:00:00Z"),
    ],
)
def test_a_time_to_begin_at_is_a_span_or_a_date(text: str, since: str) -> None:
    assert since_of(text, "2026-11-30T12:00:00Z") == since


@pytest.mark.parametrize("text", ["", "d", "30", "2026-13-01", "-3d", "yesterday"])
def test_anything_else_is_an_error(text: str) -> None:
    with pytest.raises(UsageError, match=re.escape(repr(text))):
        since_of(text, "2026-11-30T12:00:00Z")


def test_an_export_replaces_the_one_before(tmp_path: Path) -> None:
    export(Stats(reviews=1), tmp_path)
    path = export(Stats(reviews=2), tmp_path)
    assert path == tmp_path / "analytics" / "review-loop.json"
    assert json.loads(path.read_text("utf-8"))["reviews"] == 2
    assert [entry.name for entry in path.parent.iterdir()] == ["review-loop.json"]


def test_an_export_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "analytics" / "review-loop.json").mkdir(parents=True)
    with pytest.raises(OutputError, match="cannot write"):
        export(Stats(), tmp_path)
    assert [entry.name for entry in (tmp_path / "analytics").iterdir()] == ["review-loop.json"]
