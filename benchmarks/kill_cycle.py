"""Kill fix cycles at random points: ``python benchmarks/kill_cycle.py [--points N] [--seed N] [--jobs N]``.

Every point is a pull request on a fake forge with a real remote, and one to three processes of ``selfreview pr fix``
that are killed at a random time each, with or without their children, the store lost after some. Then it is run to its
end, twice: there has to be one fix commit, one answer, one request for a review and one summary. Prints the seed and
the counts, and every point where that is not so; exits with 1 if there is any.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import random
import secrets
import sys
import tempfile
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.conftest import Workspace
from tests.forge import FakeGitHub
from tests.pullrequest.killing import Kill, begin, kill, timed
from tests.pullrequest.lab import Lab, publish

from selfreview.testing.isolation import isolate


def points(seed: str, count: int) -> list[tuple[list[Kill], list[str]]]:
    """Kill at some points; return each with what is wrong after it."""
    source, found = random.Random(seed), []
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory(prefix="kill-cycle-") as folder:
        seconds = 0.0
        for number in range(count + 1):
            place = Path(folder, str(number))
            (place / "home").mkdir(parents=True)
            isolate(patch, place / "home")
            workspace = Workspace(place / "repo")
            workspace.start()
            publish(workspace, place / "remote.git")
            with FakeGitHub() as forge:
                lab = Lab(workspace, forge, place)
                pull = begin(lab)
                if not number:
                    seconds = timed(lab, pull)
                    continue
                kills = Kill.some(source)
                wrong = kill(lab, pull, kills, seconds)
            found.append((kills, wrong))
            if wrong:
                print(f"BROKEN {kills}: {'; '.join(wrong)}", flush=True)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--points", type=int, default=100)
    parser.add_argument("--seed", default=secrets.token_hex(4))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    began, each = time.monotonic(), -(-options.points // options.jobs)
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        work = [pool.submit(points, f"{options.seed}-{job}", each) for job in range(options.jobs)]
        done = [item for future in work for item in future.result()]
    killed = sum(len(kills) for kills, _ in done)
    lost = sum(one.lost for kills, _ in done for one in kills)
    broken = sum(bool(wrong) for _, wrong in done)
    print(f"seed {options.seed}, {len(done)} points, {killed} processes killed, the store lost {lost} times, "
          f"{broken} with a broken promise, {time.monotonic() - began:.0f} s")  # fmt: skip
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
