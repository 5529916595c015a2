"""Run first the tests that noticed a mutant before, then the quick ones: what is noticed is noticed soon."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


class Order:
    """A plugin of pytest that keeps in a file what each test took, and how often it failed.

    Args:
        file: JSON, by test: failures and seconds; written where there is none.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._known: dict[str, list[float]] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        self._is_first = not self._known

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items.sort(key=lambda item: self._rank(item.nodeid))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        failures, took = self._known.get(report.nodeid, (0, 0.0))
        if self._is_first:
            took += report.duration
        self._known[report.nodeid] = [failures + report.failed, took]

    def pytest_sessionfinish(self) -> None:
        new = self._file.with_suffix(".new")
        new.write_text(json.dumps(self._known), encoding="utf-8")
        new.replace(self._file)  # whole, also where the run is ended now

    def _rank(self, test: str) -> tuple[float, float]:
        failures, took = self._known.get(test, (0, 0.0))
        return -failures, took
