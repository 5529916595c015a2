"""Runs the tool as its users do, and looks at what the run left behind."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.nursery import run_program

from .expect import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .expect import Check

PROJECT = Path(__file__).resolve().parents[2]
LIMIT = 60  # seconds; a run that waits for a FIFO or a prompt ends here
QUIET = {"objects", "logs", "home", "tmp", "selfreview"}  # folders that may change: git's objects, the tool's store


def source_folder() -> Path:
    """Where the package under test is imported from, installed or not."""
    spec = importlib.util.find_spec("selfreview")
    origin = spec.origin if spec else None
    return Path(origin).resolve().parents[1] if origin else PROJECT / "src"


def command(*argv: str | bytes) -> list[str | bytes]:
    """The command line of one run."""
    return [sys.executable, "-m", "selfreview", "run", "--collect-only", "--format", "json", *argv]


def _run(check: Check) -> subprocess.CompletedProcess[bytes]:
    program = command(*check.argv)
    if not check.prefix:
        return run_program(program[3:], cwd=check.cwd, env=check.env, stdin=check.stdin or b"", limit=LIMIT)
    return subprocess.run(
        [*check.prefix, *program],
        cwd=check.cwd,
        env=dict(check.env),
        input=check.stdin,
        capture_output=True,
        timeout=LIMIT,
        check=False,
    )


def run(check: Check, lab: Path) -> tuple[Outcome, list[str]]:
    """Run the tool once; also say what it should not have touched."""
    if check.captured is not None:
        return captured(check.captured), []
    before = snapshot(lab)
    try:
        done = _run(check)
    except subprocess.TimeoutExpired:
        return Outcome(-1, b"", "", {}), [f"still running after {LIMIT} seconds"]
    outcome = Outcome(done.returncode, done.stdout, done.stderr.decode(errors="replace"), parse(done.stdout))
    return outcome, litter(before, snapshot(lab)) + [
        f"{path.name} was made: a program ran that must not" for path in check.never if os.path.lexists(path)
    ]


def captured(folder: Path) -> Outcome:
    """A run whose output a hook kept."""
    if not (folder / "code").exists():
        return Outcome(-1, b"", "the hook never ran", None)
    out, code = (folder / "out").read_bytes(), (folder / "code").read_text()
    return Outcome(int(code), out, (folder / "err").read_text(errors="replace"), parse(out))


def parse(out: bytes) -> Any:
    """Standard output as one JSON document, or None."""
    try:
        return json.loads(out.decode("utf-8"))
    except ValueError:
        return None


def snapshot(lab: Path) -> dict[bytes, tuple[int, bytes]]:
    """Mode and content of everything a person owns: working trees, indexes, refs, configuration."""
    return dict(walk(os.fsencode(lab)))


def walk(folder: bytes) -> Iterator[tuple[bytes, tuple[int, bytes]]]:
    """Every path under `folder`; links are not followed, FIFOs are not opened."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        mode = entry.stat(follow_symlinks=False).st_mode
        if entry.is_dir(follow_symlinks=False):
            if os.fsdecode(entry.name) not in QUIET:
                yield from walk(entry.path)
        elif stat.S_ISREG(mode):
            yield entry.path, (mode, digest(entry.path))
        else:
            yield entry.path, (mode, target(entry.path) if stat.S_ISLNK(mode) else b"")


def target(path: bytes) -> bytes:
    """Where a symbolic link points."""
    return os.fsencode(Path(os.fsdecode(path)).readlink())


def digest(path: bytes) -> bytes:
    """The content of one file, in short."""
    try:
        return hashlib.blake2b(Path(os.fsdecode(path)).read_bytes()).digest()
    except OSError:
        return b"unreadable"


def litter(before: dict[bytes, tuple[int, bytes]], after: dict[bytes, tuple[int, bytes]]) -> list[str]:
    """What a read-only command changed."""
    return [
        f"the run {verb} {path!r}"
        for verb, paths in (
            ("made", after.keys() - before.keys()),
            ("removed", before.keys() - after.keys()),
            ("changed", {path for path in before.keys() & after.keys() if before[path] != after[path]}),
        )
        for path in sorted(paths)
    ]
