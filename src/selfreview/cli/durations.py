"""What took longest, as ``--durations`` of pytest."""

from __future__ import annotations

from collections.abc import Iterator

from selfreview.model.result import Result
from selfreview.text.escape import visible


def slowest(result: Result, number: int) -> Iterator[str]:
    """Yield lines that name what took longest.

    Args:
        result: The result.
        number: How many to name; 0 stands for all.
    """
    reports = sorted(result.reviewers, key=lambda report: -report.duration_ms)
    shown = reports[:number] if number else reports
    yield f"slowest {len(shown)} of {len(reports)}, {result.duration_ms / 1000:.2f}s in all:"
    for report in shown:
        cached = " (cached)" if report.cached else ""
        yield f"{report.duration_ms / 1000:7.2f}s  {visible(report.name)}{cached}"
