"""Numbers about the reviews of a repository, made of the summaries and outcomes that its store keeps."""

from __future__ import annotations

import contextlib
import datetime
import functools
import math
import os
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from selfreview.errors import OutputError, UsageError
from selfreview.model.usage import Usage
from selfreview.model.wire import document
from selfreview.store.numbers import Call, Caught, Summary, Tally
from selfreview.store.summaries import (
    ACCEPTED,
    BASELINE,
    FIXED,
    GONE,
    OPEN,
    OUT_OF_SCOPE,
    REFUTED,
    SUPPRESSED,
    days_before,
)

_NOT_CAUGHT = (BASELINE, REFUTED)
"""Outcomes of what was known before, or is none: no issues that were caught."""
_NOISE_LEAST = 3
"""Minimum number of issues of a rule that people and checks must have turned down to call it noise."""


class Before(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A branch before its pull request.

    Attributes:
        branch, request: The branch, and the number of the pull request.
        reviews, iterations: Runs and refinements before that was opened.
    """

    branch: str
    request: int
    reviews: int
    iterations: int


class CategoryIssues(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Issues of a category.

    Attributes:
        category: The category.
        issues: How many.
        severities: How many of each severity.
    """

    category: str
    issues: int
    severities: dict[str, int]


class Week(msgspec.Struct, kw_only=True, rename="camel"):
    """A week.

    Attributes:
        begins: Its Monday, in UTC.
        reviews: Reviews in it.
        issues: Issues that were first seen in it, by category.
        usage: What models cost in it.
    """

    begins: str
    reviews: int = 0
    issues: dict[str, int] = {}
    usage: Usage = msgspec.field(default_factory=Usage)


class Rule(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Rule of a reviewer, with what became of its issues.

    Attributes:
        reviewer, rule: The reviewer, and its rule; empty for one without rules.
        issues: How many, on all branches.
        fixed, accepted, suppressed, baseline, refuted, out_of_scope, gone, open: What became of them. ``gone``: edited
            by hand. ``refuted``: turned down by the model that was asked to confirm it.
        noise: Whether most of what is decided was accepted, suppressed or refuted.
    """

    reviewer: str
    rule: str
    issues: int
    fixed: int
    accepted: int
    suppressed: int
    baseline: int
    refuted: int
    out_of_scope: int
    gone: int
    open: int
    noise: bool

    @property
    def selector(self) -> str:
        """Name of it for ``ignore``."""
        return f"{self.reviewer}/{self.rule}" if self.rule else self.reviewer

    @property
    def turned_down(self) -> int:
        """Number of its issues that did not count for somebody."""
        return self.accepted + self.suppressed + self.refuted

    @property
    def decided(self) -> int:
        """Number of its issues of which something became."""
        return self.fixed + self.gone + self.turned_down


class Stats(msgspec.Struct, kw_only=True, rename="camel"):
    """The numbers.

    Attributes:
        since, branch: What they are limited to, or None.
        reviews, branches: Reviews, and branches that were reviewed.
        first_reviews, first_passed: First complete reviews of a change, and those that passed without a refinement.
        requests: Branches with their pull requests.
        mean_iterations, mean_reviews: Refinements and reviews before a pull request, or None without one.
        issues: Issues that were caught, by category, the most first.
        weeks: The same by week, oldest first, with the cost of models.
        rules: Rules with what became of their issues, the most first.
        fixes: Issues that fixers fixed, by fixer.
        minutes_per_fix, minutes_saved: The assumption, and the estimate by it.
        models: What models cost, by who asked them.
        median_ms, slow_ms: How long reviews took: half, and nine of ten, took at most so long; None without one.
        fix_cycles, escalations: Fix cycles, and calls for a person, as far back as the log of events is kept.
    """

    since: str | None = None
    branch: str | None = None
    reviews: int = 0
    branches: int = 0
    first_reviews: int = 0
    first_passed: int = 0
    requests: list[Before] = []
    mean_iterations: float | None = None
    mean_reviews: float | None = None
    issues: list[CategoryIssues] = []
    weeks: list[Week] = []
    rules: list[Rule] = []
    fixes: dict[str, int] = {}
    minutes_per_fix: float = 0.0
    minutes_saved: float = 0.0
    models: dict[str, Usage] = {}
    median_ms: int | None = None
    slow_ms: int | None = None
    fix_cycles: int = 0
    escalations: int = 0


def statistics(
    runs: Sequence[Summary],
    tallies: Sequence[Tally],
    caught: Iterable[Caught],
    calls: Iterable[Call],
    *,
    minutes_per_fix: float,
) -> Stats:
    """Return the numbers of runs, of what became of issues, of when they were caught, and of calls."""
    caught = [one for one in caught if one.outcome not in _NOT_CAUGHT]
    first = [run for run in runs if run.first]
    requests = _requests(runs)
    durations = sorted(run.numbers.duration_ms for run in runs)
    fixes: Counter[str] = Counter()
    for one in tallies:
        if one.outcome == FIXED:
            fixes[one.who] += one.issues
    kinds = Counter(call.kind for call in calls)
    spent = _spent(runs)
    models: defaultdict[str, Usage] = defaultdict(Usage)
    for (_, name), usage in spent.items():
        models[name].add(usage)
    return Stats(
        reviews=len(runs),
        branches=len({run.branch for run in runs}),
        first_reviews=len(first),
        first_passed=sum(run.numbers.passed and not run.numbers.iterations for run in first),
        requests=requests,
        mean_iterations=_mean([one.iterations for one in requests]),
        mean_reviews=_mean([one.reviews for one in requests]),
        issues=_categories(caught),
        weeks=_weeks(runs, caught, spent),
        rules=_rules(tallies),
        fixes=dict(fixes.most_common()),
        minutes_per_fix=minutes_per_fix,
        minutes_saved=fixes.total() * minutes_per_fix,
        models=dict(models),
        median_ms=_at_most(durations, 0.5),
        slow_ms=_at_most(durations, 0.9),
        fix_cycles=kinds["cycle.ended"],
        escalations=kinds["session.escalated"],
    )


def _requests(runs: Iterable[Summary]) -> list[Before]:
    of_session: defaultdict[tuple[str, int], list[Summary]] = defaultdict(list)
    for run in runs:
        if run.request is not None:
            of_session[run.session, run.request].append(run)
    found = []
    for (_, request), its in of_session.items():
        before = [run for run in its if not run.opened]
        if before:  # else that was before the numbers begin
            iterations = sum(run.numbers.iterations for run in before)
            found.append(Before(branch=before[-1].branch, request=request, reviews=len(before), iterations=iterations))
    return found


def _mean(numbers: Sequence[int]) -> float | None:
    return round(sum(numbers) / len(numbers), 2) if numbers else None


def _at_most(ordered: Sequence[int], share: float) -> int | None:
    """Return what that share of the numbers does not exceed."""
    return ordered[math.ceil(len(ordered) * share) - 1] if ordered else None


def _categories(caught: Iterable[Caught]) -> list[CategoryIssues]:
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for one in caught:
        found[one.category][one.severity] += one.issues
    issues = [CategoryIssues(category=name, issues=by.total(), severities=dict(by)) for name, by in found.items()]
    return sorted(issues, key=lambda one: (-one.issues, one.category))


def _spent(runs: Iterable[Summary]) -> Mapping[tuple[str, str], Usage]:
    """Return what models cost, by week and by who asked them."""
    spent: defaultdict[tuple[str, str], Usage] = defaultdict(Usage)
    for run in runs:
        for name, usage in run.numbers.spent.items():
            spent[_monday(run.at[:10]), name].add(usage)
    return spent


def _weeks(runs: Iterable[Summary], caught: Iterable[Caught], spent: Mapping[tuple[str, str], Usage]) -> list[Week]:
    weeks: dict[str, Week] = {}

    def week(day: str) -> Week:
        begins = _monday(day)
        if begins not in weeks:
            weeks[begins] = Week(begins=begins, issues={})
        return weeks[begins]

    for run in runs:
        week(run.at[:10]).reviews += 1
    for (begins, _), usage in spent.items():
        week(begins).usage.add(usage)
    for one in caught:
        issues = week(one.day).issues
        issues[one.category] = issues.get(one.category, 0) + one.issues
    return [weeks[begins] for begins in sorted(weeks)]


@functools.lru_cache(maxsize=1024)
def _monday(day: str) -> str:
    """Return the Monday of a day's week; the day as it is where it is none."""
    try:
        date = datetime.date.fromisoformat(day)
    except ValueError:
        return day
    return (date - datetime.timedelta(days=date.weekday())).isoformat()


def _rules(tallies: Iterable[Tally]) -> list[Rule]:
    found: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for one in tallies:
        found[one.reviewer, one.rule][one.outcome] += one.issues
    rules = []
    for (reviewer, rule), by in found.items():
        turned_down = by[ACCEPTED] + by[SUPPRESSED] + by[REFUTED]
        rules.append(
            Rule(
                reviewer=reviewer,
                rule=rule,
                issues=by.total(),
                fixed=by[FIXED],
                accepted=by[ACCEPTED],
                suppressed=by[SUPPRESSED],
                baseline=by[BASELINE],
                refuted=by[REFUTED],
                out_of_scope=by[OUT_OF_SCOPE],
                gone=by[GONE],
                open=by[OPEN],
                noise=turned_down >= _NOISE_LEAST and turned_down > by[FIXED] + by[GONE],
            )
        )
    return sorted(rules, key=lambda one: (-one.issues, one.reviewer, one.rule))


def since_of(text: str, now: str) -> str:
    """Return the time that ``30d``, ``4w`` or a date such as ``2026-11-01`` stands for, in UTC.

    Raises:
        UsageError: If it is none of these.
    """
    span = re.fullmatch(r"(\d{1,5})([dw])", text)
    if span is not None:
        return days_before(now, int(span[1]) * (7 if span[2] == "w" else 1))
    with contextlib.suppress(ValueError):
        return f"{datetime.date.fromisoformat(text).isoformat()}T00:00:00Z"
    raise UsageError(f"{text!r} is no time to begin at", hint="such as 30d, 4w or 2026-11-01")


EXPORT = ("analytics", "review-loop.json")
"""Folder and file of exported numbers, in the repository's folder for selfreview."""


def export(stats: Stats, folder: Path) -> Path:
    """Write the numbers into a file of the repository's folder for selfreview, whole or not at all; return its path.

    Raises:
        OutputError: If it cannot be written.
    """
    path = folder.joinpath(*EXPORT)
    temporary: str | None = None
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")  # mode 0600
        with os.fdopen(descriptor, "wb") as file:
            file.write(document(stats))
        Path(temporary).replace(path)
    except OSError as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        raise OutputError(f"cannot write {path}: {error.strerror}") from error
    return path
