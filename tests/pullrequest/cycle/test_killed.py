"""Killed at random points, with the store lost or not: all of it happens, and once."""

from __future__ import annotations

import random

import pytest

from tests.pullrequest.killing import Kill, begin, kill
from tests.pullrequest.lab import Lab

pytestmark = pytest.mark.long

SECONDS = 1.5
"""About what a cycle takes; ``benchmarks/kill_cycle.py`` measures it."""


@pytest.mark.parametrize("seed", range(4))
def test_whatever_ends_it_all_of_it_happens_once(lab: Lab, seed: int) -> None:
    pull = begin(lab)
    kills = Kill.some(random.Random(seed))
    assert not kill(lab, pull, kills, SECONDS), kills
