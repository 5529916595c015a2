"""The command line in this process: quick, under a debugger's eye, with plugins that are objects of the test."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from selfreview.testing.outcome import RunResult


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
