"""The benchmark of many pull requests, in short."""

from __future__ import annotations

from benchmarks.watch_scale import measure


def test_a_look_is_a_few_requests_and_nothing_grows() -> None:
    found = measure(60, 0.05, 5, 0.0)
    assert found.requests <= 1 + 1 + 3  # the repository, the list, and 25 a query
    assert found.points <= 3
    assert found.scheduled == 60 + 5 * 3
    assert found.grown < 64 * 1024
