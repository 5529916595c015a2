"""What every test stands on: no configuration of this machine, no network, a repository that is real."""

from __future__ import annotations

import contextlib
import gc
import importlib
import itertools
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings

from selfreview.testing import workspace as kit
from selfreview.testing.isolation import GIT_ENVIRONMENT, isolate
from selfreview.testing.workspace import RunResult
from tests.nursery import SHARED, read_certificates_once, run_program, shared_address, trust_the_disk
from tests.surroundings import make_surroundings

pytest_plugins = ["selfreview.testing.plugin"]
T = TypeVar("T")
collect_ignore = ["sample_plugin"]  # a project of its own: tests/scripts runs its tests


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what runs the slow harnesses whole."""
    parser.addoption(
        "--long",
        action="store_true",
        help="long stories, whole tables, the whole corpus of git situations, and more random examples",
    )
    parser.addoption("--no-skips", action="store_true", help="fail where a test that is selected is skipped")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only the long form runs; have each worker begin with what may be slow."""
    if not config.getoption("--long"):
        for item in items:
            if item.get_closest_marker("long") is not None:
                item.add_marker(pytest.mark.skip(reason="a long story: --long runs it"))
    if workers := _workers(config):
        slow = [item for item in items if "tmp_path" in getattr(item, "fixturenames", ())]
        slower = set(slow)
        items[:] = slow_first(slow, [item for item in items if item not in slower], workers)


def slow_first(slow: list[T], quick: list[T], workers: int) -> list[T]:
    """Order tests so that no slow one begins while all others are done.

    Each worker is given as many as the others, of those that follow one another, and takes from the end of what others
    have once it has none left. So each share begins with its part of the slow ones.

    Args:
        slow: What has a folder of its own: most of it starts the program or git, often.
        quick: The others.
        workers: How many share them.
    """
    ordered: list[T] = []
    for share in range(1, workers + 1):
        begun, slows = len(ordered), [len(slow) * part // workers for part in (share - 1, share)]
        room = (len(slow) + len(quick)) * share // workers - slows[1]
        ordered += slow[slice(*slows)] + quick[begun - slows[0] : room]
    return ordered


def _workers(config: pytest.Config) -> int:
    """Return how many workers share the tests, in one of them; 0 elsewhere."""
    return int(getattr(config, "workerinput", {}).get("workercount", 0))


def pytest_configure(config: pytest.Config) -> None:
    """Set how many examples a property is tried with that does not say so itself, and let Ctrl-C do what it does."""
    # How long a machine takes to make examples says nothing of the code.
    busy = settings(suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("short", busy, max_examples=40)
    settings.register_profile("long", busy, max_examples=400)
    settings.load_profile("long" if config.getoption("--long") else "short")
    if address := getattr(config, "workerinput", {}).get("nursery"):
        SHARED.append(address)
    # Whoever runs the suite in the background of a shell has it ignore Ctrl-C, and what is started would, too.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Have all workers ask one nursery."""
    node.workerinput["nursery"] = shared_address()


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Look for no garbage while tests are collected, and never again among them: they are there to the end."""
    gc.disable()
    try:
        _compile_share(session.config)
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def _compile_share(config: pytest.Config) -> None:
    """Import some of the tests before the others, where workers share them all.

    What a worker imports it leaves compiled to the others; in the same order, each would compile everything.
    """
    if not (workers := _workers(config)) or config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    modules = sorted(path for path in Path(__file__).parent.rglob("test_*.py") if "sample_plugin" not in path.parts)
    for path in modules[int(config.workerinput["workerid"].removeprefix("gw")) :: workers]:
        with contextlib.suppress(Exception, pytest.skip.Exception):  # collecting it says so again
            importlib.import_module(".".join(path.relative_to(config.rootpath).with_suffix("").parts))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail where a test was skipped that has to run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if session.config.getoption("--no-skips") and reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_xdist_auto_num_workers() -> int:
    """Start two workers more than there are cores: workers mostly wait for the programs that they start."""
    return 2 + (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart() -> None:
    """Leave the machine behind: here, and so in the workers, which start after this."""
    make_surroundings()


@pytest.fixture(scope="session", autouse=True)
def _no_waiting_for_the_disk() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        trust_the_disk(patch)
        read_certificates_once(patch)
        for name, value in GIT_ENVIRONMENT.items():  # once, and not for each test
            patch.setenv(name, value)
        yield


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders that do not exist yet, each for one test."""
    parent = tmp_path_factory.mktemp("homes")
    return (parent / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def _hermetic(monkeypatch: pytest.MonkeyPatch, _homes: Iterator[Path]) -> None:
    home = next(_homes)
    home.mkdir()
    isolate(monkeypatch, home)
    monkeypatch.setenv("GIT_TEST_FSYNC", "0")  # no test cuts the power


class Ran(RunResult):
    """How a command line ended, with shorter names."""

    @property
    def out(self) -> str:
        return self.stdout

    @property
    def err(self) -> str:
        return self.stderr


class Workspace(kit.Workspace):
    """The kit's workspace, whose processes are forks of one that has imported the program already."""

    def selfreview(self, *args: str, cwd: Path | None = None, stdin: bytes = b"", **env: str) -> Ran:
        """Run the program as a process of its own."""
        done = run_program(args, cwd=cwd or self.root, env={**os.environ, **env}, stdin=stdin)
        return Ran.of(done)

    def here(self, *args: str, **env: str) -> Ran:
        """Run the program in this process, which takes half the time, where nothing depends on one of its own."""
        done = self.run_inprocess(*args, **env)
        return Ran(done.code, done.raw, done.stderr.encode())

    def review(self, *args: str, **env: str) -> Any:
        """Run ``selfreview run --format json`` and return the document."""
        return self.selfreview("run", "--format", "json", *args, **env).json


@pytest.fixture
def workspace(tmp_path: Path, selfreview_first_commit: Path) -> Workspace:
    """A repository on ``main`` with one commit, and a branch ``work`` checked out."""
    return Workspace.copied(selfreview_first_commit, tmp_path / "repo")
