"""The list of cases, filled by the themed modules when they are imported."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .expect import Check
from .repo import Lab

Build = Callable[[Lab], Iterator[Check]]

CASES: dict[str, Case] = {}


@dataclass(frozen=True)
class Case:
    """One situation: how to build it, and what it needs of the machine."""

    name: str
    build: Build
    posix: bool

    @property
    def missing(self) -> str | None:
        """Why the case cannot run here."""
        return "needs a POSIX file system" if self.posix and os.name == "nt" else None


def register(name: str, build: Build, *, posix: bool = False) -> None:
    """Add a case; names are unique, because they are the tests' ids."""
    if name in CASES:
        raise ValueError(f"two cases are called {name}")
    CASES[name] = Case(name, build, posix)


def case(*, posix: bool = False) -> Callable[[Build], Build]:
    """Register the decorated generator as `module.function`."""

    def keep(build: Build) -> Build:
        theme = sys.modules[build.__module__].__name__.rpartition(".")[2]
        register(f"{theme}.{build.__name__}", build, posix=posix)
        return build

    return keep
