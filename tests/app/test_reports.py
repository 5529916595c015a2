"""The slowest parts of all reviews of a run."""

from __future__ import annotations

from selfreview.app.reports import slowest
from selfreview.model.result import ReviewerReport, ReviewerStatus
from tests.refine.results import result


def report(name: str, milliseconds: int, *, cached: bool = False) -> ReviewerReport:
    return ReviewerReport(name=name, status=ReviewerStatus.OK, duration_ms=milliseconds, cached=cached)


def test_a_check_that_failed_before_the_refinement_counts() -> None:
    """The review that is shown in the end may not have it."""
    last = result(reviewers=[report("ruff", 40, cached=True)], duration_ms=12_500)
    first = result(reviewers=[report("ruff", 60), report("check:tests", 12_000)])
    assert list(slowest(last, 0, [first])) == [
        "slowest 2 of 2, 12.50s in all:",
        "  12.00s  check:tests",
        "   0.10s  ruff",
    ]


def test_what_two_reviews_share_counts_once_and_only_what_never_ran_is_cached() -> None:
    one = result(reviewers=[report("ruff", 40, cached=True), report("text", 30)], duration_ms=100)
    assert list(slowest(one, 1, [one])) == ["slowest 1 of 2, 0.10s in all:", "   0.04s  ruff (cached)"]
