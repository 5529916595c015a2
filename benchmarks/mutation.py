"""Break the code in small ways and see which of the breaks no test notices.

Run by hand::

    python -m benchmarks.mutation review/verdict.py [MODULE ...]    # without one: every module of TESTS
    python -m benchmarks.mutation --sample 300 --seed 1 loop/guard  # a folder: each of its modules; 300 of all mutants

For each module, its tests run once on the code as it is, to see which of them run which of its lines; then each
mutant is put in the place of the loaded module, in a fork, and shown to the tests that run its line
(``mutation_quick``). One of what runs while the program is loaded, and that those do not notice, is shown to all tests,
in a process that loads everything anew. All of it happens in a copy of the tree in a temporary folder: the tree itself
is never written to. Those that survive are held against ``mutation_survivors.toml``, which says of each why it may: one
that is not explained there, and an explanation that explains nothing, both fail. A sample says nothing of explanations
of mutants outside of it.

Neither mutmut nor cosmic-ray shows a mutant to tests that are collected already, and loading is most of what a run of
one module's tests takes; hence operators of our own (``mutants``).
"""

from __future__ import annotations

import argparse
import collections
import importlib
import json
import os
import random
import shutil
import sys
import tempfile
import time
import tomllib
import zlib
from pathlib import Path
from typing import NamedTuple

import pytest
from benchmarks.mutants import Mutant, mutants_of
from benchmarks.mutation_passes import Passes, Recorder
from benchmarks.mutation_quick import Quick, Shown, Whole, ended

ROOT = Path(__file__).parent.parent
SURVIVORS = Path(__file__).with_name("mutation_survivors.toml")
LEAST_LIMIT_S = 30.0
"""Seconds after which a mutant's tests are ended at the earliest; it counts as noticed."""


def _tests(pattern: str, *, but: str = "") -> tuple[str, ...]:
    found = (path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "tests").glob(pattern)))
    return tuple(path for path in found if path != but)


GUARD = _tests("loop/guard/test_*.py", but="tests/loop/guard/test_long_lines.py")
"""Those that look at what is rejected; the other one looks at how long it takes."""
BASELINE = _tests("review/test_baseline*.py")
TRUST = ("tests/trust", "tests/test_trust.py")
TESTS: dict[str, tuple[str, ...]] = {
    "review/verdict.py": _tests("review/test_verdict.py"),
    "review/triage.py": _tests("review/test_triage*.py"),
    "review/marks.py": _tests("review/test_marks.py"),
    "review/limits.py": _tests("review/test_limits.py"),
    "review/suppressions.py": _tests("review/test_suppressions.py"),
    "review/baseline.py": BASELINE,
    "review/baselined.py": BASELINE,
    "review/baselinematch.py": BASELINE,
    "review/claims.py": _tests("review/test_claims.py"),
    "trust/canonical.py": TRUST,
    "trust/code.py": TRUST,
    "trust/consent.py": TRUST,
    "trust/folder.py": TRUST,
    "trust/store.py": TRUST,
    "trust/subject.py": TRUST,
    "config/view.py": _tests("config/test_view.py"),
    "cli/gatebase.py": _tests("cli/test_gatebase.py"),
    "reviewers/gate.py": _tests("reviewers/test_gate*.py"),
    **{
        path.relative_to(ROOT / "src" / "selfreview").as_posix(): GUARD
        for path in sorted((ROOT / "src" / "selfreview" / "loop" / "guard").glob("*.py"))
        if path.name != "__init__.py"
    },
}

IMPORTED = (
    "pytest", "hypothesis.strategies", "hypothesis.extra", "xdist.plugin", "xdist.workermanage", "syrupy",
    "pytest_benchmark.plugin", "pygments", "msgspec", "pluggy", "click", "unidiff", "pathspec",
)  # fmt: skip
"""What every run of tests imports; nothing of the program."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "module", nargs="*", help="below src/selfreview, such as review/verdict.py, or a folder of TESTS"
    )
    parser.add_argument("--tests", action="append", help="run these tests instead of those of TESTS")
    parser.add_argument(
        "--sample", type=int, metavar="N", help="run N mutants of those of all modules, taken at random"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="which N mutants --sample takes (default: 0)")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="show mutants of what runs at import to the tests that run their line alone",
    )
    options = parser.parse_args()
    for name in IMPORTED:
        importlib.import_module(name)
    explained = tomllib.loads(SURVIVORS.read_text(encoding="utf-8")).get("survivor", [])
    modules = named(options.module)
    counts: collections.Counter[str] = collections.Counter()
    failed = False
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        bench = Bench(Path(folder) / "tree", is_quick=options.quick)
        mutants = {module: list(mutants_of(bench.source(module))) for module in modules}
        chosen = mutants if options.sample is None else sample(mutants, options.sample, options.seed)
        for module, some in chosen.items():
            survivors = bench.run(module, tuple(options.tests or TESTS[module]), some, len(mutants[module]))
            known = [item for item in explained if item["module"] == module]
            if options.sample is not None:
                inside = {(mutant.where, mutant.change) for mutant in some}
                known = [item for item in known if (item["where"], item["change"]) in inside]
            lives = judge(survivors, known)
            failed |= lives.unexplained + lives.stale > 0
            counts.update(killed=len(some) - len(survivors), survive=len(survivors), unexplained=lives.unexplained)
    run, there = counts["killed"] + counts["survive"], sum(map(len, mutants.values()))
    which = "" if options.sample is None else f" (seed {options.seed})"
    print(
        f"{run} of {there} mutants of {len(mutants)} modules{which}: {counts['killed']} killed, "
        f"{counts['survive']} survive, {counts['unexplained']} of them unexplained"
    )
    return int(failed)


def named(names: list[str]) -> list[str]:
    """Return the modules of TESTS that names mean, a folder standing for all that are in it; all without a name."""
    modules: dict[str, None] = {}
    for name in names or [""]:
        inside = [module for module in TESTS if not name or module.startswith(f"{name.rstrip('/')}/")]
        modules.update(dict.fromkeys(inside or [name]))
    return list(modules)


def sample(mutants: dict[str, list[Mutant]], size: int, seed: int) -> dict[str, list[Mutant]]:
    """Return a number of mutants by module, each as likely as any other; the same ones for the same seed and source."""
    every = [(module, index) for module, some in mutants.items() for index in range(len(some))]
    taken = sorted(random.Random(seed).sample(range(len(every)), min(size, len(every))))
    chosen: dict[str, list[Mutant]] = {}
    for module, index in (every[number] for number in taken):
        chosen.setdefault(module, []).append(mutants[module][index])
    return chosen


class Outcome(NamedTuple):
    """How the tests that run a mutant's line notice it, if they do, and whether no other test can."""

    mutant: Mutant
    noticed: str | None
    is_sure: bool


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

    def run(self, module: str, tests: tuple[str, ...], mutants: list[Mutant], there: int) -> list[Mutant]:
        """Print the counts of a module, which has so many mutants, and return those of the given ones that survive."""
        started = time.monotonic()
        counts: collections.Counter[str] = collections.Counter()
        survivors = []
        for mutant, noticed, is_sure in self._quick(module, tests, mutants):
            outcome = noticed if noticed or is_sure or self._is_quick else self._whole(module, tests, mutant)
            counts[outcome or "survived"] += 1
            if outcome is None:
                survivors.append(mutant)
        part = f"{len(mutants)}" if len(mutants) == there else f"{len(mutants)} of {there}"
        print(f"{module}: {part} mutants, {dict(counts)}, {time.monotonic() - started:.0f} s", flush=True)
        return survivors

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
        return "timed out"
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


class Lives(NamedTuple):
    """How many mutants live unexplained, and how many explanations explain nothing."""

    unexplained: int
    stale: int


def judge(survivors: list[Mutant], explained: list[dict[str, str]]) -> Lives:
    """Print what is not explained, and which explanations explain nothing."""
    known = {(item["where"], item["change"]): item["why"] for item in explained}
    found = {(mutant.where, mutant.change): mutant for mutant in survivors}
    for key, mutant in found.items():
        if key not in known:
            print(f"  SURVIVES line {mutant.line} in {mutant.where}: {mutant.change}", flush=True)
    for key in known.keys() - found.keys():
        print(f"  EXPLAINS NOTHING in {key[0]}: {key[1]}", flush=True)
    return Lives(len(found.keys() - known.keys()), len(known.keys() - found.keys()))


if __name__ == "__main__":
    raise SystemExit(main())
