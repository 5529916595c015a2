"""A workspace made of strings, to try a fixer without a change of one's own::

with FixBench({"app.py": "x = 1\n"}) as bench:
    fix = MyFixer(bench.config).fix(bench.request(bench.issue("app.py", 1, "wrong")), bench)
    assert bench.text("app.py") == "x = 2\n"
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from selfreview.api import Category, CheckOutcome, ConfigView, FixRequest, Issue, Severity, Side
from selfreview.config.keys import OWN_KEYS
from selfreview.errors import ToolTimeout
from selfreview.git.run import Git, git_environment
from selfreview.git.worktree_files import Entry, read_file, write_file
from selfreview.proc import Runner
from selfreview.review.fingerprint import MARK, id_of
from selfreview.testing.context import MemoryConfig, make_change
from selfreview.testing.isolation import GIT_ENVIRONMENT


class FixBench:
    """A :class:`~selfreview.api.FixContext` over a scratch repository with one commit.

    Args:
        files: Content by path; all of it is in the workspace.
        change: Paths that the change under review adds; by default all.
        config: Configuration values by key; the program's own have their defaults.
        checks: By name: what a check says of the workspace.
        timeout: Seconds until the fixer's deadline.
        clock: The time in seconds, such as :class:`selfreview.testing.fakes.Clock`.
    """

    def __init__(
        self,
        files: Mapping[str, str | bytes],
        *,
        change: Iterable[str] | None = None,
        config: Mapping[str, Any] | None = None,
        checks: Mapping[str, Callable[[Path], CheckOutcome]] | None = None,
        timeout: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        paths = set(files if change is None else change)
        self.change = make_change({path: (None, content) for path, content in files.items() if path in paths})
        defaults = {key.name: key.default for key in OWN_KEYS}
        self.config: ConfigView = MemoryConfig({**defaults, **(config or {})})
        self._files = {path: data if isinstance(data, bytes) else data.encode() for path, data in files.items()}
        self._checks = dict(checks or {})
        self._runner = Runner()
        self.clock = clock
        self._deadline = clock() + timeout
        self._stops: list[Callable[[], None]] = []
        self._folder = tempfile.TemporaryDirectory(prefix="selfreview-test-", ignore_cleanup_errors=True)
        self.root = Path(self._folder.name).resolve()

    def __enter__(self) -> Self:
        git = self._git()
        git.run(["init", "--quiet"])
        for path, data in self._files.items():
            write_file(self.root, path, Entry("100644", data))
        git.run(["add", "--all"])
        who = ["-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgSign=false"]
        git.run([*who, "commit", "--quiet", "--allow-empty", "-m", "start"])
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        self._folder.cleanup()

    def edited(self) -> list[str]:
        """Return the paths of files that are new or edited."""
        return self.changed()

    @property
    def checks(self) -> Sequence[str]:
        """Names of checks."""
        return list(self._checks)

    def run_check(self, name: str) -> CheckOutcome:
        """Return the scripted outcome of a check."""
        return self._checks[name](self.root)

    def run(
        self,
        argv: Sequence[str],
        *,
        cwd: Path | None = None,
        stdin: bytes | None = None,
        ok: Iterable[int] = (0,),
        env: dict[str, str] | None = None,
        timeout: float | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a real program."""
        seconds = self.remaining()
        if seconds <= 0:
            raise ToolTimeout("the fixer's time is over")
        return self._runner.run(
            argv,
            cwd=self.root if cwd is None else cwd,
            stdin=stdin,
            ok=ok,
            env=env,
            timeout=seconds if timeout is None else min(timeout, seconds),
        )

    def on_stop(self, callback: Callable[[], None]) -> None:
        """Register a function to call when the bench is stopped or left."""
        self._stops.append(callback)

    def stop(self) -> None:
        """Simulate an interrupt."""
        self._runner.kill_all()
        stops, self._stops = self._stops, []
        for callback in stops:
            callback()

    def remaining(self) -> float:
        """Return the remaining seconds."""
        return self._deadline - self.clock()

    def data(self, path: str) -> bytes | None:
        """Return the current bytes of a file of the workspace; None where there is no file."""
        entry = read_file(self.root, path)
        return None if entry is None else entry.data

    def text(self, path: str) -> str:
        """Return the text of a file of the workspace as it is now."""
        return (self.root / path).read_bytes().decode("utf-8", "surrogateescape")

    def changed(self) -> list[str]:
        """Return the paths that differ from the beginning, new files among them."""
        git = self._git()
        git.run(["add", "--all"])
        return git.run(["diff", "--cached", "--name-only", "--no-renames", "HEAD"]).decode().split()

    def _git(self) -> Git:
        own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        return Git(self.root, git_environment({**own, **GIT_ENVIRONMENT}))

    def issue(self, path: str, line: int, description: str, severity: Severity = Severity.HIGH, **more: Any) -> Issue:
        """Make an open issue; its id depends on the place and the description."""
        digits = zlib.crc32(f"{path}:{line}:{description}".encode())
        fingerprint = f"{MARK}{digits:08x}{'0' * 24}"
        values: dict[str, Any] = {
            "id": id_of(fingerprint),
            "severity": severity,
            "category": Category.LOGIC,
            "file": path,
            "line_start": line,
            "line_end": line,
            "side": Side.NEW,
            "description": description,
            "reviewer": "test",
            "fingerprint": fingerprint,
        }
        return Issue(**{**values, **more})

    @staticmethod
    def request(*issues: Issue, **more: Any) -> FixRequest:
        """Make a request."""
        return FixRequest(issues=list(issues), **more)
