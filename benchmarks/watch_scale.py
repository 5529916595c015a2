"""How a watcher does with many pull requests: requests, points, seconds and memory of each look.

python benchmarks/watch_scale.py [--requests 500] [--news 0.02] [--polls 100] [--latency 0.05]

Memory is counted with more than ten looks, which makes them slower; with up to ten, the seconds are those of a watcher.

The forge is the fake one, on this machine, with a latency for each answer. The cycles that are scheduled are not run:
they are processes of their own, and what they cost is theirs; the figures are those of the watcher alone.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.forge import FakeGitHub

from selfreview.pullrequest.forges.github.plugin import KEYS, GitHubForge
from selfreview.pullrequest.watching.hints import Hints
from selfreview.pullrequest.watching.ports import Done, Job, Settings
from selfreview.pullrequest.watching.schedule import QuotaPause
from selfreview.pullrequest.watching.watcher import Watcher, WatcherParts
from selfreview.store import Store
from selfreview.testing.context import MemoryConfig, default_config

TOKEN = "ghp_benchmark"


class Figures(NamedTuple):
    """Of all looks but the first.

    Attributes:
        requests, points, seconds, cpu: The most that one look took; ``cpu`` are the watcher's own seconds, without
            the forge's.
        scheduled: Cycles, in all.
        grown: Bytes that Python holds more after the last look than after the tenth.
    """

    requests: int
    points: int
    seconds: float
    cpu: float
    scheduled: int
    grown: int


class Instant:
    """A queue whose cycles end at once."""

    def __init__(self) -> None:
        self.active: Mapping[int, Job] = {}
        self.scheduled = 0
        self._over: list[tuple[Job, Done]] = []

    def put(self, job: Job, *, fresh: bool) -> Done | None:  # noqa: ARG002 - a Queue
        self.scheduled += 1
        self._over.append((job, Done("nothing_to_do", 0)))
        return None

    def stop(self, number: int) -> bool:  # noqa: ARG002 - a Queue
        return False

    def ended(self) -> list[tuple[Job, Done]]:
        over, self._over = self._over, []
        return over

    def resize(self, most: int) -> None:  # noqa: ARG002 - a Queue
        return

    def tidy(self) -> list[int]:
        return []

    def close(self, wait_s: float) -> list[tuple[Job, Done]]:  # noqa: ARG002 - a Queue
        return []


def measure(requests: int, news: float, polls: int, latency_s: float) -> Figures:
    """Look at many pull requests many times. The forge is in this process, and the watcher in one of its own."""
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as folder, FakeGitHub() as forge:
        repository = forge.repository("octo/app")
        dev = repository.allow(forge.user("dev"), "write")
        forge.token(TOKEN, dev)
        forge.limits.limit = 10**9
        pulls = [repository.pull(f"topic-{number}", author=dev) for number in range(requests)]
        forge.latency_s = latency_s
        environ = {"GH_TOKEN": TOKEN, "GITHUB_API_URL": forge.api_url, "GITHUB_GRAPHQL_URL": forge.graphql_url}
        looks: list[tuple[int, int, dict[str, Any]]] = []
        with subprocess.Popen(
            [sys.executable, __file__, "--watch", folder],
            env={**os.environ, **environ, "WATCH_SCALE_MEMORY": "1" if polls > 10 else ""},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as child:
            assert child.stdin is not None
            assert child.stdout is not None
            while len(looks) <= polls:
                said = json.loads(child.stdout.readline())
                points = sum(one.points for one in forge.requests if one.path == "/graphql")
                looks.append((len(forge.requests), points, said))
                forge.requests.clear()
                for pull in chance.sample(pulls, int(requests * news)):
                    pull.comments.clear()
                    pull.comment(dev, f"comment {len(looks)}")
                if len(looks) <= polls:
                    child.stdin.write(b"on\n")
                    child.stdin.flush()
            child.stdin.close()
        later = looks[1:]
        return Figures(
            requests=max(one[0] for one in later),
            points=max(one[1] for one in later),
            seconds=max(one[2]["seconds"] for one in later),
            cpu=max(one[2]["cpu"] for one in later),
            scheduled=looks[-1][2]["scheduled"],
            grown=looks[-1][2]["bytes"] - looks[min(10, polls)][2]["bytes"],
        )


def watch(folder: str) -> None:
    """Watch, say what each look took, and go on when told to."""
    config = MemoryConfig({**default_config(), **{key.name: key.default for key in KEYS}})
    github = GitHubForge()
    location = github.locate("https://github.com/octo/app.git", config)
    assert location is not None
    connection = github.connect(location, config, os.environ)
    tasks = Instant()
    began = time.monotonic(), time.process_time()

    def tell(event: str, number: int | None = None, **about: object) -> None:  # noqa: ARG001 - a Tell
        nonlocal began
        if event != "polled":
            return
        seconds, cpu = time.monotonic() - began[0], time.process_time() - began[1]
        gc.collect()
        held = tracemalloc.get_traced_memory()[0]
        print(json.dumps({"seconds": seconds, "cpu": cpu, "scheduled": tasks.scheduled, "bytes": held}), flush=True)
        if not sys.stdin.readline():
            watcher.stop()
        began = time.monotonic(), time.process_time()

    with Store.open(Path(folder)) as store:
        watcher = Watcher(
            connection,
            "github.com/octo/app",
            WatcherParts(
                concerns=list,
                settings=lambda: Settings(auto=True, interval=0.0, max_concurrency=5),
                memory=store.watching,
                tasks=tasks,
                hints=Hints(),
                hold=QuotaPause("github.com/octo/app", store, tell),
                tell=tell,
            ),
        )
        if os.environ.get("WATCH_SCALE_MEMORY"):  # counting it makes all else slower
            tracemalloc.start()
        watcher.run(once=False)
    connection.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=500)
    parser.add_argument("--news", type=float, default=0.02)
    parser.add_argument("--polls", type=int, default=100)
    parser.add_argument("--latency", type=float, default=0.05)
    parser.add_argument("--watch", metavar="FOLDER", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.watch:
        watch(given.watch)
        return
    found = measure(given.requests, given.news, given.polls, given.latency)
    print(f"{given.requests} pull requests, {given.news:.0%} with news, {given.polls} looks, {os.cpu_count()} cores")
    print(f"requests a look: {found.requests} (at most 60)")
    print(f"GraphQL points a look: {found.points} (at most 30)")
    print(f"seconds a look: {found.seconds:.1f} (less than 10)")
    print(f"of them the watcher's own: {found.cpu:.1f}")
    print(f"cycles scheduled: {found.scheduled}")
    print(f"memory grown after the tenth look: {found.grown / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
