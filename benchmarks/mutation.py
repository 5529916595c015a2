"""Break the code in small ways and see which of the breaks no test notices.

Run by hand::

    python -m benchmarks.mutation review/verdict.py [MODULE ...]    # without one: every module of TESTS

For each module, its tests run once for every mutant, in a fork of this process, in a copy of the tree in a temporary
folder: the tree itself is never written to. Those that survive are held against ``mutation_survivors.toml``, which says
of each why it may: one that is not explained there, and an explanation that explains nothing, both fail.

Neither mutmut nor cosmic-ray starts its tests from a process that has imported pytest already, which is most of what a
run of one module's tests takes; hence operators of our own (``mutants``).
"""

from __future__ import annotations

import argparse
import collections
import importlib
import os
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.mutants import Mutant, mutants_of

ROOT = Path(__file__).parent.parent
SURVIVORS = Path(__file__).with_name("mutation_survivors.toml")
LEAST_LIMIT_S = 30.0
"""Seconds after which a mutant's tests are ended at the earliest; it counts as noticed."""

GUARD = tuple(
    f"tests/loop/guard/test_{name}.py"
    for name in (
        "bad_edits",
        "good_edits",
        "places",
        "encodings",
        "texts_defined",
        "python_defined",
        "python_runs",
        "checks",
    )
)
"""Those that look at what is rejected; the others look at how long it takes."""
TRUST = ("tests/trust", "tests/test_trust.py")
TESTS: dict[str, tuple[str, ...]] = {
    "review/verdict.py": ("tests/review/test_verdict.py",),
    "review/triage.py": ("tests/review/test_triage.py",),
    "review/marks.py": ("tests/review/test_marks.py",),
    "review/limits.py": ("tests/review/test_limits.py",),
    "review/suppressions.py": ("tests/review/test_suppressions.py",),
    "review/baseline.py": ("tests/review/test_baseline.py",),
    "review/baselined.py": ("tests/review/test_baseline.py",),
    "review/baselinematch.py": ("tests/review/test_baseline.py",),
    "review/claims.py": ("tests/review/test_claims.py",),
    "trust/canonical.py": TRUST,
    "trust/code.py": TRUST,
    "trust/consent.py": TRUST,
    "trust/folder.py": TRUST,
    "trust/store.py": TRUST,
    "trust/subject.py": TRUST,
    "config/view.py": ("tests/config/test_view.py",),
    "cli/gatebase.py": ("tests/cli/test_gatebase.py",),
    "reviewers/gate.py": ("tests/reviewers/test_gate.py",),
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
    parser.add_argument("module", nargs="*", help="below src/selfreview, such as review/verdict.py")
    parser.add_argument("--tests", action="append", help="run these tests instead of those of TESTS")
    options = parser.parse_args()
    for name in IMPORTED:
        importlib.import_module(name)
    explained = tomllib.loads(SURVIVORS.read_text(encoding="utf-8")).get("survivor", [])
    failed = False
    for module in options.module or TESTS:
        tests = tuple(options.tests or TESTS[module])
        survivors = list(run(module, tests))
        failed |= judge(survivors, [item for item in explained if item["module"] == module])
    return int(failed)


def run(module: str, tests: tuple[str, ...]) -> Iterator[Mutant]:
    """Print the counts of a module and yield the mutants that survive."""
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        copy = Path(folder) / "tree"
        shutil.copytree(
            ROOT, copy, symlinks=True, ignore=shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache")
        )
        target = copy / "src" / "selfreview" / module
        source = target.read_text(encoding="utf-8")
        started = time.monotonic()
        if outcome := notice(copy, tests, 600.0):
            raise SystemExit(f"{module}: its tests {outcome} on code that is not broken")
        limit = max(LEAST_LIMIT_S, 5 * (time.monotonic() - started))
        counts: collections.Counter[str] = collections.Counter()
        for number, mutant in enumerate(mutants_of(source), 1):
            target.write_text(mutant.source, encoding="utf-8")
            os.utime(target, (number, number))  # else what was compiled of the last one may be taken for this one's
            outcome = notice(copy, tests, limit)
            counts[outcome or "survived"] += 1
            if outcome is None:
                yield mutant
        print(f"{module}: {counts.total()} mutants, {dict(counts)}, {time.monotonic() - started:.0f} s", flush=True)


def notice(copy: Path, tests: tuple[str, ...], limit: float) -> str | None:
    """Run tests in a fork; return how they notice that the code is broken, or None."""
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        _run_tests(copy, tests)
    deadline = time.monotonic() + limit
    done = 0
    try:
        while time.monotonic() < deadline:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                return None if status == 0 else "failed"
            time.sleep(0.02)
    finally:  # whoever interrupts this must not leave it behind
        if not done:
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    return "timed out"


def _run_tests(copy: Path, tests: tuple[str, ...]) -> None:
    code = 1
    try:
        os.chdir(copy)
        os.environ["PYTHONPATH"] = str(copy / "src")
        sys.path[:] = [str(copy / "src"), str(copy), *(path for path in sys.path if path not in ("", str(ROOT)))]
        for name in [name for name in sys.modules if name.split(".")[0] in ("benchmarks", "tests", "selfreview")]:
            del sys.modules[name]
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        present = [test for test in tests if Path(test).exists()]
        code = int(pytest.main(["-x", "-q", "-n", "0", "--assert=plain", "-p", "no:cacheprovider", *present]))
    finally:
        os._exit(code)


def judge(survivors: list[Mutant], explained: list[dict[str, str]]) -> bool:
    """Print what is not explained, and which explanations explain nothing; return whether there is either."""
    known = {(item["where"], item["change"]): item["why"] for item in explained}
    found = {(mutant.where, mutant.change): mutant for mutant in survivors}
    for key, mutant in found.items():
        if key not in known:
            print(f"  SURVIVES line {mutant.line} in {mutant.where}: {mutant.change}", flush=True)
    for key in known.keys() - found.keys():
        print(f"  EXPLAINS NOTHING in {key[0]}: {key[1]}")
    return found.keys() != known.keys()


if __name__ == "__main__":
    raise SystemExit(main())
