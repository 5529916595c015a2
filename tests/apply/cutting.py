"""End what applies a patch at any of its lines, in this process."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import pytest

from selfreview.apply import applier, file_swap, journal, patches, staging

# A process that is killed closes its files; this one only drops them.
unclosed = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")


class Killed(BaseException):
    """Stands for a process that is gone: no handler of ours catches it."""


_TRACED = {module.__file__ for module in (applier, journal, patches, file_swap, staging)}


class Killer:
    """Ends what runs at the n-th line of the modules that write."""

    def __init__(self, line: int) -> None:
        self.left = line

    def __call__(self, frame: FrameType, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename not in _TRACED:
            return None
        if event == "line":
            self.left -= 1
            if self.left == 0:
                raise Killed
        return self


def killed_at(line: int, work: Any) -> bool:
    """Run something until a line; return whether it was cut off there."""
    before = sys.gettrace()
    sys.settrace(Killer(line))
    try:
        work()
    except Killed:
        return True
    finally:
        sys.settrace(before)
    return False
