"""A repository in a temporary folder, selfreview run in it, and assertions about the outcome."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import struct
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, TypedDict, Unpack

import msgspec

from selfreview.errors import ExitCode
from selfreview.model.issue import Issue, IssueStatus, Severity
from selfreview.model.result import Result, ResultStatus, Verdict
from selfreview.model.wire import from_json


def run_here(
    arguments: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: bytes = b"",
    modules: Mapping[str, object] | None = None,
    paths: Sequence[Path] = (),
) -> RunResult:
    """Run a command line in this process; signals are left alone, and what it changes of the process is put back.

    Args:
        arguments: What follows ``selfreview``.
        cwd: The current folder.
        env: The whole environment.
        stdin: What it reads.
        modules: Objects that stand for modules, by name, for as long as it runs.
        paths: Folders to import from besides.
    """
    from selfreview.cli import console
    from selfreview.cli.main import execute

    out, err = io.BytesIO(), io.BytesIO()
    with (
        _environment(env),
        contextlib.chdir(cwd),
        _imports(modules or {}, paths),
        _stdin(stdin),
        contextlib.redirect_stdout(_stream(out)) as stdout,
        contextlib.redirect_stderr(_stream(err)) as stderr,
    ):
        code = console.flush(execute(list(arguments)))
        stdout.flush()
        stderr.flush()
        stdout.detach()
        stderr.detach()
    return RunResult(int(code), out.getvalue(), err.getvalue())


def _stream(raw: io.BytesIO) -> io.TextIOWrapper:
    return io.TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace", write_through=True)


@contextlib.contextmanager
def _environment(env: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(env)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextlib.contextmanager
def _stdin(data: bytes) -> Iterator[None]:
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")
    try:
        yield
    finally:
        sys.stdin = before


@contextlib.contextmanager
def _imports(modules: Mapping[str, object], paths: Sequence[Path]) -> Iterator[None]:
    """Have names stand for objects, then for what they stood for before; forget what was imported from the folders."""
    folders = [str(path) for path in paths]
    hidden = {name: sys.modules[name] for name in modules if name in sys.modules}
    sys.path[:0] = folders
    sys.modules.update(modules)  # type: ignore[arg-type]  # any object can be imported from there
    before = set(sys.modules)
    try:
        yield
    finally:
        for folder in folders:
            sys.path.remove(folder)
        for name in set(sys.modules) - before:
            if (getattr(sys.modules[name], "__file__", None) or "").startswith(tuple(folders) or "\0"):
                del sys.modules[name]
        for name in modules:
            sys.modules.pop(name, None)
        sys.modules.update(hidden)


LIMIT_S = 120.0
"""Seconds after which a process is killed."""


class Workspace:
    """A repository in a temporary folder, and selfreview run in it.

    Args:
        root: Its top level; files that belong to the test and not to the repository are put beside it.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._modules: dict[str, object] = {}
        self._sources: list[str] = []

    # --- the repository ----------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Make the repository: one commit on ``main``, and a branch ``work`` checked out."""
        self.root.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main")
        self.commit("first", **{"README.md": "# Sample\n"})
        self.branch("work")
        for sample in (self.root / ".git" / "hooks").glob("*.sample"):
            sample.unlink()

    @classmethod
    def copied(cls, first: Path, root: Path) -> Self:
        """Make a workspace whose repository begins as a copy of another, which is quicker than to start one."""
        _copy(first, root)
        space = cls(root)
        if not _refreshed(root):  # a copy has inodes of its own
            space.git("update-index", "-q", "--refresh")
        return space

    def git(self, *args: str, stdin: bytes | None = None) -> str:
        """Run git there and return what it printed.

        Raises:
            subprocess.CalledProcessError: If it fails.
        """
        done = subprocess.run(["git", *args], cwd=self.root, input=stdin, capture_output=True, check=True)
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def write(self, path: str, content: str | bytes) -> Path:
        """Write a file of the working tree, and return its path."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
        return target

    def stage(self, *paths: str, **files: str | bytes) -> None:
        """Write files, then stage them and some paths; without either, everything."""
        for path, content in files.items():
            self.write(path, content)
        self.git("add", "--", *paths, *files) if paths or files else self.git("add", "--all")

    def commit(self, message: str = "change", **files: str | bytes) -> str:
        """Write files, commit everything, and return the commit's id."""
        for path, content in files.items():
            self.write(path, content)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self._head() or self.git("rev-parse", "HEAD")

    def _head(self) -> str | None:
        """Return HEAD's commit where it stands in a file, which it does after a commit."""
        folder = self.root / ".git"
        with contextlib.suppress(OSError):
            kind, _, name = (folder / "HEAD").read_text(encoding="utf-8").strip().partition(": ")
            return (folder / name).read_text(encoding="utf-8").strip() if kind == "ref" else kind
        return None

    def branch(self, name: str) -> None:
        """Make a branch at HEAD, and check it out."""
        self.git("switch", "--quiet", "--create", name)

    # --- plugins -----------------------------------------------------------------------------------------------------

    def plugin(self, plugin: object, *, name: str | None = None) -> str:
        """Have all later runs load a plugin.

        Args:
            plugin: The source of a module as text, for runs of both kinds; or any object with hooks, for
                :meth:`run_inprocess` alone.
            name: What the plugin is called; by default ``testing_plugin_`` and a number.

        Returns:
            Its name.
        """
        if name is None:
            name = f"testing_plugin_{len(self._modules) + len(self._sources) + 1}"
        if isinstance(plugin, str):
            self._plugins.mkdir(exist_ok=True)
            (self._plugins / f"{name}.py").write_text(textwrap.dedent(plugin), encoding="utf-8")
            self._sources.append(name)
        else:
            self._modules[name] = plugin
        return name

    @property
    def _plugins(self) -> Path:
        return self.root.parent / "plugins"

    # --- running -----------------------------------------------------------------------------------------------------

    def run_inprocess(self, *args: str, cwd: Path | None = None, stdin: bytes = b"", **env: str) -> RunResult:
        """Run ``selfreview`` in this process: quick, and with the plugins that are objects.

        Args:
            args: What follows ``selfreview``: ``"run", "--format", "json"``.
            cwd: The current folder; by default the repository.
            stdin: What it reads.
            env: Environment variables to add.
        """
        return run_here(
            args,
            cwd=cwd or self.root,
            env=self._environment([*self._sources, *self._modules], env),
            stdin=stdin,
            modules=self._modules,
            paths=[self._plugins] if self._sources else [],
        )

    def run_subprocess(
        self, *args: str, cwd: Path | None = None, stdin: bytes = b"", limit: float = LIMIT_S, **env: str
    ) -> RunResult:
        """Run ``selfreview`` as a process of its own: what a person gets, to the exit code.

        Args:
            args: What follows ``selfreview``.
            cwd: The current folder; by default the repository.
            stdin: What it reads.
            limit: Seconds after which it is killed.
            env: Environment variables to add.

        Raises:
            TypeError: If a plugin is an object, which no other process can have.
            subprocess.TimeoutExpired: If it takes longer.
        """
        if self._modules:
            raise TypeError(f"{', '.join(self._modules)}: give plugins as source, or use run_inprocess")
        done = subprocess.run(
            [sys.executable, "-m", "selfreview", *args],
            cwd=cwd or self.root,
            env=self._environment(self._sources, env),
            input=stdin,
            capture_output=True,
            check=False,
            timeout=limit,
        )
        return RunResult.of(done)

    def _environment(self, plugins: list[str], own: Mapping[str, str]) -> dict[str, str]:
        env = {**os.environ, **own}
        if plugins:
            env["SELFREVIEW_PLUGINS"] = ",".join([*filter(None, [env.get("SELFREVIEW_PLUGINS")]), *plugins])
        if self._sources:
            env["PYTHONPATH"] = os.pathsep.join([str(self._plugins), *filter(None, [env.get("PYTHONPATH")])])
        return env


def _copy(source: Path, target: Path) -> None:
    """Copy a folder with the files' modes and times; a third of the time that ``shutil.copytree`` takes."""
    target.mkdir(parents=True)
    for child in os.scandir(source):
        copy = target / child.name
        if child.is_symlink():
            copy.symlink_to(Path(child.path).readlink())
        elif child.is_dir():
            _copy(Path(child.path), copy)
        else:
            copy.write_bytes(Path(child.path).read_bytes())
            info = child.stat()
            copy.chmod(info.st_mode)
            os.utime(copy, ns=(info.st_atime_ns, info.st_mtime_ns))


_WORD = 2**32


def _refreshed(root: Path) -> bool:
    """Write into the index what the files' states are, as ``git update-index --refresh`` does for files that are equal.

    Returns:
        False, and nothing is written, where the index is of another version or the repository of another format.
    """
    index = root / ".git" / "index"
    data = bytearray(index.read_bytes())
    signature, version, count = struct.unpack_from(">4sLL", data)
    if os.name != "posix" or (signature, version) != (b"DIRC", 2) or _checksum(data) != data[-20:]:
        return False
    at = 12
    for _ in range(count):
        end = data.index(0, at + 62)
        info = (root / os.fsdecode(bytes(data[at + 62 : end]))).lstat()
        times = (*divmod(info.st_ctime_ns, 10**9), *divmod(info.st_mtime_ns, 10**9))
        struct.pack_into(">6L", data, at, *(value % _WORD for value in (*times, info.st_dev, info.st_ino)))
        struct.pack_into(">3L", data, at + 28, *(value % _WORD for value in (info.st_uid, info.st_gid, info.st_size)))
        at += (end - at) // 8 * 8 + 8
    data[-20:] = _checksum(data)
    index.write_bytes(data)
    return True


def _checksum(index: bytearray) -> bytes:
    return hashlib.sha1(index[:-20], usedforsecurity=False).digest()


class Kind(TypedDict, total=False):
    """The issues that an assertion is about, by what they have; None is the same as nothing."""

    rule: str | None
    severity: Severity | str | None
    file: str | None
    reviewer: str | None


class RunResult:
    """The outcome of a command line.

    Args:
        code: The process's exit status; negative for a signal.
        stdout: What it wrote to standard output.
        stderr: The same of standard error.

    Attributes:
        code: As given.
        raw: Standard output as bytes.
        stdout: Standard output.
        stderr: Standard error.
    """

    def __init__(self, code: int, stdout: bytes, stderr: bytes) -> None:
        self.code = code
        self.raw = stdout
        self.stdout = stdout.decode("utf-8")
        self.stderr = stderr.decode("utf-8")

    @classmethod
    def of(cls, done: subprocess.CompletedProcess[bytes]) -> Self:
        """Make one of a finished process."""
        return cls(done.returncode, done.stdout, done.stderr)

    @property
    def exit_code(self) -> ExitCode:
        """The exit code.

        Raises:
            AssertionError: If it is none of selfreview's.
        """
        if self.code not in set(ExitCode):
            raise AssertionError(f"{self.code} is no exit code of selfreview\n{self!r}")
        return ExitCode(self.code)

    @property
    def json(self) -> Any:
        """Standard output as the one JSON document that it must be, as ``--format json`` writes it."""
        return json.loads(self.stdout)

    @property
    def verdict(self) -> Result:
        """The result that ``--format json`` wrote.

        Raises:
            AssertionError: If standard output is something else.
        """
        try:
            return from_json(self.raw, Result)
        except msgspec.MsgspecError as error:
            raise AssertionError(f"standard output is no result ({error}); run with --format json\n{self!r}") from error

    def assert_verdict(self, expected: Verdict | str | None) -> None:
        """Assert the verdict: ``"pass"``, ``"needs_work"``, ``"critical_issues"``, or None where there is none."""
        __tracebackhide__ = True
        wanted = None if expected is None else Verdict(expected)
        result = self.verdict
        if result.verdict is not wanted:
            raise AssertionError(f"the verdict is {_word(result.verdict)}, not {_word(wanted)}\n{_told(result, self)}")

    def assert_issues(
        self,
        count: int | None = None,
        *,
        line: int | None = None,
        status: IssueStatus | str | None = IssueStatus.OPEN,
        **kind: Unpack[Kind],
    ) -> list[Issue]:
        """Assert that there are issues of a kind; what was not reviewed has none and proves nothing.

        Args:
            count: How many; None for at least one.
            line: A line that they cover; this counts where it is given.
            status: Where they stand; None for anywhere.
            kind: Their ``rule``, ``severity``, ``file`` and ``reviewer``, as far as these are given.

        Returns:
            The issues of that kind.
        """
        __tracebackhide__ = True
        if unknown := kind.keys() - Kind.__annotations__:
            raise TypeError(f"an issue is not asked for by {', '.join(sorted(unknown))}")
        enums = {"severity": Severity, "status": IssueStatus}
        wanted = {**kind, "status": status}
        asked = {name: enums.get(name, str)(str(value)) for name, value in wanted.items() if value is not None}
        result = self.verdict
        if result.status is ResultStatus.ERROR or (result.status is ResultStatus.INCOMPLETE and count == 0):
            raise AssertionError(f"the review did not take place in full\n{_told(result, self)}")
        found = [
            issue
            for issue in result.issues
            if all(getattr(issue, name) == value for name, value in asked.items())
            and (line is None or issue.line_start <= line <= issue.line_end)
        ]
        if len(found) != count if count is not None else not found:
            number = "at least one" if count is None else str(count)
            words = ", ".join(
                f"{name}={value}" for name, value in (*asked.items(), ("line", line)) if value is not None
            )
            raise AssertionError(
                f"expected {number} of the issues with {words}, and there are {len(found)}\n{_told(result, self)}"
            )
        return found

    def __repr__(self) -> str:
        return f"<exit {self.code}>\n--- stdout\n{self.stdout}\n--- stderr\n{self.stderr}"


def _word(verdict: Verdict | None) -> str:
    return "none" if verdict is None else verdict.value


def _told(result: Result, ran: RunResult) -> str:
    """Describe a result, for a failing assertion."""
    lines = [f"exit {ran.code}, verdict {_word(result.verdict)}, status {result.status}"]
    lines += [f"  incomplete: {reason}" for reason in result.incomplete_reasons]
    if result.error is not None:
        lines.append(f"  error: {result.error.message}")
    for issue in result.issues:
        of = f"{issue.reviewer}/{issue.rule}" if issue.rule else issue.reviewer
        place = f"{issue.file}:{issue.line_start}-{issue.line_end}"
        lines.append(f"  {place}: {issue.severity} {of} [{issue.status}] {issue.description}")
    lines += [] if result.issues else ["  no issues"]
    if ran.stderr.strip():
        lines += ["--- stderr", ran.stderr.rstrip()]
    return "\n".join(lines)
