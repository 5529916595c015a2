"""The list of cases, filled by the themed modules when they are imported."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from .expect import Check
from .repo import Lab

Build = Callable[[Lab], Iterator[Check]]
Needs = Literal["any", "posix", "linux"]

CASES: dict[str, Case] = {}
WHOLE = frozenset({"patch_dialects", "patch_errors", "patches", "refusals"})
"""Themes of which the short form leaves nothing out: they are quick, or say what must be refused."""
EVERY = 25
"""The short form has one situation in so many of the other themes."""


@dataclass(frozen=True)
class Case:
    """One situation: how to build it, and what it needs of the machine."""

    name: str
    build: Build
    needs: Needs

    @property
    def missing(self) -> str | None:
        """Why the case cannot run here."""
        if self.needs == "linux" and not sys.platform.startswith("linux"):
            return "needs a file system where a name is its bytes"
        return "needs a POSIX system" if self.needs == "posix" and os.name == "nt" else None


def register(name: str, build: Build, *, needs: Needs = "any") -> None:
    """Add a case; names are unique, because they are the tests' ids."""
    if name in CASES:
        raise ValueError(f"two cases are called {name}")
    CASES[name] = Case(name, build, needs)


def case(needs: Needs = "any") -> Callable[[Build], Build]:
    """Register the decorated generator as `module.function`."""

    def keep(build: Build) -> Build:
        theme = sys.modules[build.__module__].__name__.rpartition(".")[2]
        register(f"{theme}.{build.__name__}", build, needs=needs)
        return build

    return keep


def theme_of(name: str) -> str:
    """The module that a case is from."""
    return name.partition(".")[0]


LEAST = 3
"""Situations of each theme, at least."""


def short_form(names: Iterable[str]) -> list[str]:
    """What runs where `--long` is not asked for: a part of each theme, by order of name."""
    chosen = []
    for theme, group in groupby(sorted(names), theme_of):
        all_ = list(group)
        part = all_[:: 1 if theme in WHOLE else EVERY]
        chosen += part if len(part) >= LEAST else all_[:LEAST]
    return chosen
