"""A program that is killed while it refines, applies or undoes: nothing is lost, and the next command brings order."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from tests.cli.killing import CASES, Killing
from tests.cli.killing_scene import Point
from tests.rows import few

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")


@pytest.mark.parametrize("case", few(CASES, "agent", "apply", "undo"))
def test_killed(case: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """One point, or a few with ``--long``; ``benchmarks/kill_loop.py`` tries hundreds."""
    killing, source = Killing(tmp_path, case), random.Random(case)
    for point in (Point.random(source) for _ in range(4 if request.config.getoption("--long") else 1)):
        outcome = killing.kill(point)
        assert not outcome.broken, (point, outcome)
