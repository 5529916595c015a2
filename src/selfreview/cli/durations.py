"""The slowest parts of a run, as ``--durations`` of pytest shows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from selfreview.model.result import Result
from selfreview.text.escape import visible


def slowest(result: Result, number: int, reviews: Iterable[Result] = ()) -> Iterator[str]:
    """Yield lines with the slowest parts of a run.

    Args:
        result: The result.
        number: How many to name; 0 stands for all.
        reviews: Further reviews of the same run, before and between refinements.
    """
    each = {id(report): report for one in (result, *reviews) for report in one.reviewers}  # reviews may share them
    taken: Counter[str] = Counter()
    for report in each.values():
        taken[report.name] += report.duration_ms
    fresh = {report.name for report in each.values() if not report.cached}
    shown = sorted(taken, key=lambda name: -taken[name])[: number or None]
    yield f"slowest {len(shown)} of {len(taken)}, {result.duration_ms / 1000:.2f}s in all:"
    for name in shown:
        yield f"{taken[name] / 1000:7.2f}s  {visible(name)}{'' if name in fresh else ' (cached)'}"
