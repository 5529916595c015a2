"""The guard: examines the edits of a fixer, and returns the reasons for which they may not be kept.

Every rule is a pure function of the edits; :mod:`~selfreview.guard.rules` lists them. What no rule can see: a
test that replaces the very thing that it tests by a mock, and code that is wrong in a way that reviews and checks have
to find.
"""

from __future__ import annotations

from selfreview.guard.model import Bounds, Edited, Held, Rejection
from selfreview.guard.rules import examine
from selfreview.guard.surroundings import surroundings
from selfreview.guard.testpolicy import Split, split

__all__ = ["Bounds", "Edited", "Held", "Rejection", "Split", "examine", "split", "surroundings"]
