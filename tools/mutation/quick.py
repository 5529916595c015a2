"""Show many mutants of a module to the tests that run them, all collected once: a fork for each mutant."""

from __future__ import annotations

import functools
import importlib
import inspect
import json
import os
import shutil
import signal
import statistics
import time
from collections.abc import Callable, Set
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

from tools.mutation.passes import Passes
from tools.mutation.patch import put

TIMED_OUT = "timed out"
LEAST_LIMIT_S = 10.0
_LEAST_TEST_S = 3.0
_SLOW = 100
"""Number of times the median of what tests take makes one slow: it is shown only what others do not notice."""


class Shown(NamedTuple):
    """One mutant, and what it is shown to.

    Attributes:
        source: The whole module.
        tests: Node ids.
    """

    source: str
    tests: frozenset[str]


class Quick:
    """A plugin of pytest that runs, in the place of the tests, each mutant's tests in a fork.

    The first run is that of the module as it stands, put in its own place: where a test notices that, nothing that
    comes of this way is to be believed, and it says so.

    Args:
        name: The module, dotted.
        file: Its file, into which each mutant is written, too, for the processes that tests start.
        shown: The mutants.
        passes: What the tests take.
        answers: Where to write what came of each, as JSON: how it was noticed, or null; a text instead of a list, of
            which test it was, where the module as it stands is noticed.
    """

    def __init__(self, name: str, file: Path, shown: list[Shown], passes: Passes, answers: Path) -> None:
        self._name, self._file, self._shown, self._passes, self._answers = name, file, shown, passes, answers
        self._noticed: dict[str, int] = {}
        """Number of mutants that each test has noticed so far: those come first."""

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        module = importlib.import_module(self._name)
        whole = self._file.read_text(encoding="utf-8")
        every = self._quick(frozenset().union(*(one.tests for one in self._shown)) & items.keys())
        if Path("/proc/self/task").exists() and len(list(Path("/proc/self/task").iterdir())) > 1:
            raise RuntimeError("loading the tests has started threads, and a fork would hang: see _STARTING_THREADS")
        show = functools.partial(self._one, session, items, module)
        outcome = show(Shown(whole, every), 0)
        said: list[str | None] | str = f"misled: {outcome} {'; '.join(self._noticed)}"
        if outcome is None:
            said = []
            for number, one in enumerate(self._shown, 1):
                there = one.tests & items.keys()
                quick = self._quick(there)
                noticed = show(Shown(one.source, quick), number)
                said.append(noticed or (show(Shown(one.source, there - quick), number) if there - quick else None))
        self._file.write_text(whole, encoding="utf-8")
        self._answers.write_text(json.dumps(said), encoding="utf-8")
        return True

    def _one(
        self, session: pytest.Session, items: dict[str, pytest.Item], module: ModuleType, one: Shown, number: int
    ) -> str | None:
        self._file.write_text(one.source, encoding="utf-8")
        os.utime(self._file, (number, number))  # else what was compiled of the last one may be taken for this one's
        mine = [items[test] for test in sorted(one.tests, key=self._rank)]
        temporary = self._answers.with_name(f"tests-{number}")
        temporary.mkdir()
        told, tell = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.setpgid(0, 0)
            os.environ["PYTEST_DEBUG_TEMPROOT"] = str(temporary)
            _run(session, mine, self._passes.took, functools.partial(put, one.source, module), tell)
        os.close(tell)
        limit = max(LEAST_LIMIT_S, 3 * sum(self._passes.took.get(item.nodeid, 0.0) for item in mine))
        status = ended(pid, limit)
        test = os.read(told, 65536).decode()
        os.close(told)
        shutil.rmtree(temporary, ignore_errors=True)
        if status == 0:
            return None
        if test:
            self._noticed[test] = self._noticed.get(test, 0) + 1
        return TIMED_OUT if status is None else "failed"

    def _quick(self, tests: Set[str]) -> frozenset[str]:
        """Return the tests that are not slow, or all where all are."""
        limit = _SLOW * statistics.median(self._passes.took.values())
        return frozenset(test for test in tests if self._passes.took.get(test, 0.0) <= limit) or frozenset(tests)

    def _rank(self, test: str) -> tuple[int, float]:
        return -self._noticed.get(test, 0), self._passes.took.get(test, 0.0)


class Whole:
    """A plugin of pytest that runs all tests in the place of the usual way, those first that noticed a mutant before.

    Args:
        passes: What the tests take.
        noticed: A file that says which test has noticed how many, as JSON; one that fails is added.
    """

    def __init__(self, passes: Passes, noticed: Path) -> None:
        self._passes, self._noticed = passes, noticed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        known = json.loads(self._noticed.read_text(encoding="utf-8")) if self._noticed.exists() else {}
        for item in sorted(session.items, key=lambda item: (-known.get(item.nodeid, 0), self._took(item))):
            if _fails(session, item):
                known[item.nodeid] = known.get(item.nodeid, 0) + 1
                self._noticed.write_text(json.dumps(known), encoding="utf-8")
                session.testsfailed = session.testsfailed or 1
                break
        return True

    def _took(self, item: pytest.Item) -> float:
        return self._passes.took.get(item.nodeid, 0.0)


class TooLongError(BaseException):
    """A test takes far longer than it does on code that is not broken."""


def _too_long(*_: object) -> None:
    raise TooLongError


def _run(
    session: pytest.Session, items: list[pytest.Item], took: dict[str, float], put_mutant: Callable[[], None], tell: int
) -> None:
    """Run tests on a mutant until one fails, tell its name and end this process."""
    code = 1
    try:
        put_mutant()
        signal.signal(signal.SIGALRM, _too_long)
        for item in items:
            signal.setitimer(signal.ITIMER_REAL, max(_LEAST_TEST_S, 20 * took.get(item.nodeid, 0.0)))
            if _fails(session, item):
                os.write(tell, item.nodeid.encode()[:60_000])
                break
        else:
            code = 0
    finally:
        os._exit(code)


def _fails(session: pytest.Session, item: pytest.Item) -> bool:
    """Run a test: where it needs no fixture but those of every test, by a call, which is far quicker."""
    if isinstance(item, pytest.Function):
        given = item.callspec.params if hasattr(item, "callspec") else {}
        needed = inspect.signature(item.obj).parameters
        if needed.keys() == given.keys() and item.get_closest_marker("usefixtures") is None:
            try:
                item.obj(**given)
            except pytest.skip.Exception:
                return False
            except (Exception, TooLongError):  # noqa: BLE001 - whatever it is, pytest would call it a failure
                return True
            return False
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
    return bool(session.testsfailed)


def ended(pid: int, limit: float) -> int | None:
    """Wait for a process and kill its group after a limit in seconds; return its status, None where it was killed."""
    deadline = time.monotonic() + limit
    pause, done = 0.002, 0
    try:
        while time.monotonic() < deadline:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                return status
            time.sleep(pause)
            pause = min(0.02, pause * 1.5)
    finally:  # whoever interrupts this must not leave it behind
        if not done:
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    return None
