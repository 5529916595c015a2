"""Break the code in small ways and see which of the breaks no test notices.

Run by hand::

    python -m tools.mutation review/verdict.py [MODULE ...]    # without one: every module of TESTS
    python -m tools.mutation --sample 300 --seed 1 guard  # a folder: each of its modules; 300 of all mutants

For each module, its tests run once on the code as it is, to see which of them run which of its lines; then each
mutant is put in the place of the loaded module, in a fork, and shown to the tests that run its line
(``quick``). One of what runs while the program is loaded, and that those do not notice, is shown to all tests,
in a process that loads everything anew. All of it happens in a copy of the tree in a temporary folder: the tree itself
is never written to. Those that survive are held against ``survivors.toml``, which says of each why it may: one
that is not explained there, and an explanation that explains nothing, both fail. A sample says nothing of explanations
of mutants outside of it.

Neither mutmut nor cosmic-ray shows a mutant to tests that are collected already, and loading is most of what a run of
one module's tests takes; hence operators of our own (``mutants``).
"""

from __future__ import annotations

import argparse
import collections
import importlib
import random
import tempfile
import tomllib
from pathlib import Path
from typing import NamedTuple

from tools.mutation.bench import ROOT, Bench
from tools.mutation.mutants import Mutant, mutants_of

SURVIVORS = Path(__file__).with_name("survivors.toml")


def _tests(pattern: str, *, but: str = "") -> tuple[str, ...]:
    found = (path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "tests").glob(pattern)))
    return tuple(path for path in found if path != but)


GUARD = _tests("guard/test_*.py", but="tests/guard/test_long_lines.py")
"""Those that look at what is rejected; the other one looks at how long it takes."""
BASELINE = _tests("review/test_baseline*.py")
TRUST = ("tests/trust",)
TESTS: dict[str, tuple[str, ...]] = {
    "review/verdict.py": _tests("review/test_verdict.py"),
    "review/triage.py": _tests("review/test_triage*.py"),
    "review/marks.py": _tests("review/test_marks.py"),
    "review/selection.py": _tests("review/test_selection.py"),
    "review/rule_names.py": _tests("review/test_rule_names.py"),
    "review/suppressions.py": _tests("review/test_suppressions.py"),
    "review/tool_comments.py": _tests("review/test_tool_comments.py"),
    "review/baseline.py": BASELINE,
    "review/self_exclusions.py": _tests("review/test_self_exclusions.py"),
    "syntax/suppression_comments.py": (*GUARD, "tests/syntax/test_suppression_comments.py"),
    "trust/subject.py": TRUST,
    "trust/folder.py": TRUST,
    "trust/store.py": TRUST,
    "config/view.py": _tests("config/test_view.py") + _tests("config/test_resolve.py"),
    "app/gate/base.py": _tests("app/gate/test_base.py"),
    "reviewers/gate/__init__.py": _tests("reviewers/gate/test_*.py"),
    **{
        path.relative_to(ROOT / "src" / "selfreview").as_posix(): GUARD
        for path in sorted((ROOT / "src" / "selfreview" / "guard").glob("*.py"))
    },
}

IMPORTED = (
    "pytest", "hypothesis.strategies", "hypothesis.extra", "xdist.plugin", "xdist.workermanage", "syrupy",
    "pytest_benchmark.plugin", "pygments", "msgspec", "pluggy", "click", "unidiff", "pathspec",
)  # fmt: skip
"""Modules that every run of tests imports; none of the program."""


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
            ran = bench.run(module, tuple(options.tests or TESTS[module]), some, len(mutants[module]))
            late = {(mutant.where, mutant.change) for mutant in ran.timed_out}
            known = [item for item in explained if item["module"] == module]
            known = [item for item in known if (item["where"], item["change"]) not in late]
            if options.sample is not None:
                inside = {(mutant.where, mutant.change) for mutant in some}
                known = [item for item in known if (item["where"], item["change"]) in inside]
            lives = judge(ran.survivors, known)
            failed |= lives.unexplained + lives.stale > 0
            counts.update(
                killed=len(some) - len(ran.survivors), survive=len(ran.survivors), unexplained=lives.unexplained
            )
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


class Lives(NamedTuple):
    """Count the mutants that live unexplained, and the explanations that explain nothing."""

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
