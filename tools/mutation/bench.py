"""Run the tests of a module on each of its mutants, in a copy of the tree: first quickly, then whole where need be."""

from __future__ import annotations

import collections
import json
import os
import shutil
import sys
import time
import zlib
from pathlib import Path
from typing import NamedTuple

import pytest

from tools.mutation.mutants import Mutant
from tools.mutation.passes import Passes, Recorder
from tools.mutation.quick import TIMED_OUT, Quick, Shown, Whole, ended

ROOT = Path(__file__).parents[2]
LEAST_LIMIT_S = 30.0
"""Seconds after which a mutant's tests are ended at the earliest; it counts as noticed."""


class Outcome(NamedTuple):
    """Result of running the tests of a mutant's line: which one notices it, and whether no other test can."""

    mutant: Mutant
    noticed: str | None
    is_sure: bool


class Ran(NamedTuple):
    """Results of a module's mutants.

    Attributes:
        survivors: Those that no test notices.
        timed_out: Those that have tests take too long. On a quicker machine they may survive.
    """

    survivors: list[Mutant]
    timed_out: list[Mutant]


class Recording(NamedTuple):
    """Which package to record the tests' ways through, and where to keep it: see ``Recorder``."""

    package: Path
    file: Path


class Bench:
    """A copy of the tree, in which code is broken and its tests are run.

    Args:
        copy: Where to make it.
        is_quick: Whether to load nothing anew: more mutants survive then than without it.
    """

    def __init__(self, copy: Path, *, is_quick: bool = False) -> None:
        ignored = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache")
        shutil.copytree(ROOT, copy, symlinks=True, ignore=ignored)
        self._copy = copy
        self._is_quick = is_quick
        self._limits: dict[tuple[str, ...], float] = {}
        self._passes: dict[tuple[str, ...], Passes] = {}
        self._loaded = 0

    def source(self, module: str) -> str:
        return self._path(module).read_text(encoding="utf-8")

    def run(self, module: str, tests: tuple[str, ...], mutants: list[Mutant], there: int) -> Ran:
        """Print the counts of a module, which has so many mutants, and return what came of the given ones."""
        started = time.monotonic()
        counts: collections.Counter[str] = collections.Counter()
        ran = Ran([], [])
        for mutant, noticed, is_sure in self._quick(module, tests, mutants):
            outcome = noticed if noticed or is_sure or self._is_quick else self._whole(module, tests, mutant)
            counts[outcome or "survived"] += 1
            if outcome is None:
                ran.survivors.append(mutant)
            elif outcome == TIMED_OUT:
                ran.timed_out.append(mutant)
        part = f"{len(mutants)}" if len(mutants) == there else f"{len(mutants)} of {there}"
        print(f"{module}: {part} mutants, {dict(counts)}, {time.monotonic() - started:.0f} s", flush=True)
        return ran

    def _quick(self, module: str, tests: tuple[str, ...], mutants: list[Mutant]) -> list[Outcome]:
        """Show mutants to the tests that run their lines; return how each was noticed, and whether no others may."""
        passes, source = self._recorded(module, tests), self.source(module)
        showings = [passes.showing(self._path(module), source, mutant.line) for mutant in mutants]
        shown = [Shown(mutant.source, showing.tests) for mutant, showing in zip(mutants, showings, strict=True)]
        answers = self._copy.with_name("answers.json")
        name = ".".join(("selfreview", *Path(module).with_suffix("").parts))
        quick = Quick(name, self._path(module), shown, passes, answers)
        answers.unlink(missing_ok=True)
        notice(self._copy, tests, 36_000.0, quick)
        if not answers.exists():
            raise SystemExit(f"{module}: its tests ended before its mutants did: look with pytest at what they say")
        said = json.loads(answers.read_text(encoding="utf-8"))
        if isinstance(said, str):
            print(
                f"{module}, put in its own place as it stands, is noticed, so each mutant is loaded anew: {said}",
                flush=True,
            )
            return [Outcome(mutant, None, False) for mutant in mutants]
        return [
            Outcome(mutant, noticed, not showing.at_import)
            for mutant, noticed, showing in zip(mutants, said, showings, strict=True)
        ]

    def _whole(self, module: str, tests: tuple[str, ...], mutant: Mutant) -> str | None:
        """Show a mutant to all tests, everything loaded anew; return how they notice it, or None."""
        limit = self._limit(module, tests)
        target, whole = self._path(module), self.source(module)
        target.write_text(mutant.source, encoding="utf-8")
        self._loaded += 1
        os.utime(target, (self._loaded, self._loaded))  # else what was compiled of the last one may be taken for it
        noticed = self._copy.with_name(f"noticed-{zlib.crc32(repr(tests).encode())}.json")
        outcome = notice(self._copy, tests, limit, Whole(self._recorded(module, tests), noticed))
        target.write_text(whole, encoding="utf-8")
        return outcome

    def _recorded(self, module: str, tests: tuple[str, ...]) -> Passes:
        if tests not in self._passes:
            file = self._copy.with_name(f"passes-{zlib.crc32(repr(tests).encode())}")
            if outcome := notice(self._copy, tests, 3600.0, Recording(self._copy / "src" / "selfreview", file)):
                raise SystemExit(f"{module}: its tests {outcome} on code that is not broken")
            self._passes[tests] = Passes(file)
        return self._passes[tests]

    def _limit(self, module: str, tests: tuple[str, ...]) -> float:
        """Return the seconds that all tests may take, from what they take on code that is not broken."""
        if tests not in self._limits:
            started = time.monotonic()
            if outcome := notice(
                self._copy, tests, 600.0, Whole(self._recorded(module, tests), self._copy.with_name("-"))
            ):
                raise SystemExit(f"{module}: its tests {outcome} on code that is not broken")
            self._limits[tests] = max(LEAST_LIMIT_S, 5 * (time.monotonic() - started))
        return self._limits[tests]

    def _path(self, module: str) -> Path:
        return self._copy / "src" / "selfreview" / module


def notice(copy: Path, tests: tuple[str, ...], limit: float, plugin: Quick | Recording | Whole) -> str | None:
    """Run tests in a fork, with a plugin of pytest; return how they notice that the code is broken, or None."""
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        _run_tests(copy, tests, plugin)
    status = ended(pid, limit)
    if status is None:
        return TIMED_OUT
    return "failed" if status else None


def _run_tests(copy: Path, tests: tuple[str, ...], plugin: object) -> None:
    code = 1
    try:
        os.chdir(copy)
        os.environ["PYTHONPATH"] = str(copy / "src")
        sys.path[:] = [str(copy / "src"), str(copy), *(path for path in sys.path if path not in ("", str(ROOT)))]
        for name in [name for name in sys.modules if name.split(".")[0] in ("tests", "selfreview")]:
            del sys.modules[name]
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        present = [test for test in tests if Path(test).exists()]
        options = ["-x", "-q", "-n", "0", "--assert=plain", "-p", "no:cacheprovider"]
        if isinstance(plugin, Recording):
            plugin = Recorder(plugin.package, plugin.file)
        code = int(pytest.main([*options, *present], plugins=[plugin]))
    finally:
        os._exit(code)
