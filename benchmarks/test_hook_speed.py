"""What a hook with nothing to do costs, as ratios to an interpreter that does nothing.

    pytest -n 0 -s benchmarks/test_hook_speed.py

Everything is measured in turns, so that a busy machine slows all of it alike.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

from selfreview.git import hooks as git_hooks

ROUNDS = 20
LIMIT = 4.0
"""How many times an interpreter's start a hook may cost, beyond the git calls that it makes."""

GIT_CALL = ["git", "diff", "--cached", "--quiet"]
DELETION = f"(delete) {'0' * 40} refs/heads/gone {'1a' * 20}\n".encode()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    environ = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    who = ["-c", "user.name=Test Author", "-c", "user.email=author@localhost"]
    for number in range(200):
        (tmp_path / f"{number}.txt").write_text("text\n" * 20)
    for command in (["init", "-q"], ["add", "--all"], [*who, "commit", "-q", "-m", "first"]):
        subprocess.run(["git", *command], cwd=tmp_path, env={**os.environ, **environ}, check=True)
    for hook in git_hooks.TYPES:
        git_hooks.install(git_hooks.find(tmp_path / ".git" / "hooks", hook), git_hooks.render(hook, sys.executable))
    return tmp_path


def measure(commands: dict[str, tuple[list[str], bytes]], cwd: Path) -> dict[str, float]:
    """Return the median of each command in milliseconds."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, (argv, stdin) in commands.items():
            started = time.perf_counter()
            done = subprocess.run(argv, cwd=cwd, input=stdin, capture_output=True, check=False)
            times[name].append((time.perf_counter() - started) * 1000)
            assert done.returncode == 0, done.stderr
    return {name: statistics.median(values) for name, values in times.items()}


def test_a_hook_with_nothing_to_do_is_not_felt(repository: Path) -> None:
    hook = [sys.executable, "-P", "-m", "selfreview", "hook", "run"]
    installed = repository / ".git" / "hooks"
    medians = measure(
        {
            "bare": ([sys.executable, "-c", "pass"], b""),
            "git": (GIT_CALL, b""),
            "pre-commit": ([*hook, "pre-commit"], b""),
            "pre-commit, installed": ([str(installed / "pre-commit")], b""),
            "pre-push, no refs": ([*hook, "pre-push", "origin", "url"], b""),
            "pre-push, deletion": ([*hook, "pre-push", "origin", "url"], DELETION),
            "pre-push, installed": ([str(installed / "pre-push"), "origin", "url"], DELETION),
        },
        repository,
    )
    bare, git = medians["bare"], medians["git"]
    print(f"\nbare python {bare:.1f} ms, git diff --cached --quiet {git:.1f} ms")
    ratios = {}
    for name in list(medians)[2:]:
        ratios[name] = (medians[name] - (git if "commit" in name else 0)) / bare
        print(f"{name:24} {medians[name]:6.1f} ms   {ratios[name]:.2f} x bare beyond git")
    assert max(ratios.values()) <= LIMIT
