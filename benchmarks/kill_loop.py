"""Kill refinements at random points: ``python benchmarks/kill_loop.py [--points N] [--seed N] [--jobs N]``.

Every point is a real repository with files of every kind, a real command line that is ended by a signal at a random
time, most of them while files are written, and then what a person would do next. Prints the outcomes by what the
program was doing, and every promise that was broken; exits with 1 if there is any.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import random
import secrets
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.cli.killing import CASES, Killing, Outcome
from tests.cli.killing_scene import Point


def kill_all(case: str, seed: str, points: int) -> list[tuple[str, Point, Outcome]]:
    source, found = random.Random(seed), []
    with tempfile.TemporaryDirectory(prefix="kill-loop-") as folder:
        killing = Killing(Path(folder), case)
        for _ in range(points):
            point = Point.random(source)
            outcome = killing.kill(point)
            found.append((case, point, outcome))
            if outcome.broken:
                print(f"BROKEN {case}, {point}, in {outcome.phase}: {'; '.join(outcome.broken)}", flush=True)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--points", type=int, default=300)
    parser.add_argument("--seed", default=secrets.token_hex(4))
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    began, each = time.monotonic(), -(-options.points // len(CASES))
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        work = [pool.submit(kill_all, case, f"{options.seed}-{case}", each) for case in CASES]
        done = [item for future in work for item in future.result()]
    counts = collections.Counter((case, outcome.phase, outcome.after) for case, _, outcome in done)
    for (case, phase, after), count in sorted(counts.items()):
        print(f"{case:8} {phase:10} tree {after:8} {count:4}")
    broken = sum(bool(outcome.broken) for _, _, outcome in done)
    took = time.monotonic() - began
    print(f"seed {options.seed}, {len(done)} points, {broken} with a broken promise, {took:.0f} s")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
