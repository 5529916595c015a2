"""Whether models and agents could be asked for a fix, by what they and others said when they failed."""

from __future__ import annotations

from typing import Any

import pytest

from selfreview.app.pr.fix import Unasked, of_fix, of_review
from selfreview.model.refinement import FixerReport, Refinement
from selfreview.model.result import Depth, Iteration, Result, ResultStatus, ReviewerReport, ReviewerStatus
from selfreview.model.usage import Outage
from selfreview.pullrequest.quota import Limit, outage_in

DOWN = "the model's server is not available: status 529, after 5 attempts"
LIMIT = "claude ended with status 1: Claude AI usage limit reached"
OTHER = "claude says that it failed: it could not find the function"
THINKING = ("claude", "agent-codex")


@pytest.mark.parametrize(
    "said",
    [
        DOWN,
        "the model's server could not be used: Connection refused",
        "the model's server does not accept the credentials (status 401)",
        'claude says that it failed: API Error: 529 {"type":"error","error":{"type":"overloaded_error"}}',
        "claude says that it failed: API Error (500 internal)",
        "claude ended with status 1: API Error: Connection error.",
        "claude ended with status 1: Invalid API key · Please run /login",
        "codex ended with status 1: unexpected status 503 Service Unavailable",
        "codex ended with status 1: Not logged in",
        "gemini ended with status 1: The model is overloaded. Please try again later.",
        "gemini ended with status 1: getaddrinfo ENOTFOUND generativelanguage.googleapis.com",
        "gemini ended with status 1: Could not resolve host: api.anthropic.com",
        "claude ended with status 1: ENOSPC: no space left on device, write",
        "claude ended with status 1: Disk quota exceeded",
    ],
)
def test_who_could_not_be_asked_says_so(said: str) -> None:
    assert outage_in([OTHER, said]) == said


@pytest.mark.parametrize(
    "said",
    [
        OTHER,
        "claude says that it failed: the test says could not connect to database",
        "claude says that it failed: mypy ended with status 2: error: 501 files",
        "claude says that it failed: app.py: error: 500 lines are too many",
        "claude says that it failed: the operator + is overloaded for str",
        "claude says that it failed: redirect users who are not logged in to login.html",
        "claude says that it failed: connect ECONNREFUSED 127.0.0.1:5432",
        "claude says that it failed: the retry after connection reset is missing",
        "x" * 2_000 + DOWN,
    ],
)
def test_words_about_the_code_say_nothing_of_that(said: str) -> None:
    assert outage_in([said]) is None


def iteration(*fixers: FixerReport, files: int = 0, review: Result | None = None) -> Iteration:
    refinement = Refinement(fixers=list(fixers), files=files)
    return Iteration(refinement=refinement, review=review or Result(status=ResultStatus.COMPLETE))


def fixer(name: str = "claude", error: str | None = None, **more: Any) -> FixerReport:
    return FixerReport(name=name, error=error, **{"issues": ["sr-1"]} | more)


def of(*fixers: FixerReport) -> Unasked:
    return of_fix([iteration(*fixers)], THINKING, reviews=False)


def test_a_tool_that_fails_is_no_model_that_is_away() -> None:
    assert of(fixer("eslint", LIMIT)) == Unasked()
    assert of(fixer("eslint", DOWN), fixer(error=OTHER)) == Unasked()
    assert of(fixer("eslint", OTHER), fixer(error=DOWN)) == Unasked(None, DOWN)


def test_all_that_think_have_to_be_away() -> None:
    assert of() == Unasked()
    assert of(fixer(error=DOWN)) == Unasked(None, DOWN)
    for other in (fixer("agent-codex", OTHER), fixer("agent-codex", rejected=["app.py: it removes a test"])):
        assert of(fixer(error=DOWN), other) == Unasked()
        assert of(other, fixer(error=LIMIT)) == Unasked()
    assert of(fixer(error=DOWN), fixer("agent-codex", issues=[])) == Unasked(None, DOWN)  # it was not asked
    both = of(fixer(error=DOWN), fixer("agent-codex", LIMIT))
    assert both.limit is not None
    assert both == Unasked(both.limit, DOWN)
    assert both.limit.why == LIMIT


def test_the_last_word_of_each_counts() -> None:
    first, then = iteration(fixer(files=["app.py"])), iteration(fixer(error=DOWN))
    assert of_fix([first, then], THINKING, reviews=False) == Unasked(None, DOWN)
    assert of_fix([then, first], THINKING, reviews=False) == Unasked()


def review(*said: tuple[Depth, str | None], status: ResultStatus = ResultStatus.INCOMPLETE) -> Result:
    reports = [
        ReviewerReport(name=f"r{number}", status=ReviewerStatus.FAILED, depth=depth, error=error)
        for number, (depth, error) in enumerate(said)
    ]
    return Result(status=status, reviewers=reports)


def test_a_review_waits_for_a_model_and_not_for_a_tool() -> None:
    assert of_review(review((Depth.STATIC, LIMIT), (Depth.MODEL, OTHER), (Depth.MODEL, None))) == Unasked()
    found = of_review(review((Depth.STATIC, DOWN), (Depth.MODEL, LIMIT)))
    assert found.limit is not None
    assert found.away is None
    assert of_review(review((Depth.MODEL, LIMIT), status=ResultStatus.COMPLETE)) == Unasked()


def test_a_fix_that_no_model_could_review_waits_for_it() -> None:
    away = review((Depth.MODEL, DOWN))
    done = [iteration(fixer(files=["app.py"]), files=1, review=away)]
    assert of_fix(done, THINKING, reviews=True) == Unasked(None, DOWN)
    assert of_fix(done, THINKING, reviews=False) == Unasked()  # it has a patch
    nothing = [iteration(fixer(error=OTHER), review=away)]
    assert of_fix(nothing, THINKING, reviews=True) == Unasked()  # there was nothing to be reviewed


def test_what_a_model_is_known_for_needs_no_words() -> None:
    quiet = "the model did not answer"
    found = of(fixer(error=quiet, outage=Outage(quota=True, wait_s=600)))
    assert found == Unasked(Limit(quiet, 600), None)
    assert of(fixer(error=quiet, outage=Outage())) == Unasked(None, quiet)
    report = ReviewerReport(
        name="claude", status=ReviewerStatus.FAILED, depth=Depth.MODEL, error=quiet, outage=Outage(wait_s=600)
    )
    assert of_review(Result(status=ResultStatus.INCOMPLETE, reviewers=[report])) == Unasked(None, quiet)
