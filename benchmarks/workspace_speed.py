"""Make a workspace of a large repository: ``python benchmarks/workspace_speed.py [--files N] [--rounds N]``.

Compares with ``git worktree add`` of the same commit and says the ratio of the fastest of each, in turns so that a busy
machine slows both; exits with 1 where a workspace takes more than 1.3 times as long.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from selfreview.git.collect_change import collect
from selfreview.git.make_workspace import make_workspace
from selfreview.git.removal import remove_folder
from selfreview.git.repo import discover
from selfreview.git.scope import ScopeRequest

LIMIT = 1.3
PER_FOLDER = 100


def git(root: Path, *args: str) -> None:
    subprocess.run(["git", *args], cwd=root, check=True, capture_output=True)


def fill(root: Path, files: int) -> None:
    root.mkdir()
    git(root, "init", "--quiet", "--initial-branch", "main")
    git(root, "config", "user.name", "Benchmark")
    git(root, "config", "user.email", "benchmark@localhost")
    for number in range(files):
        path = root / f"folder{number // PER_FOLDER:04}" / f"file{number:06}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"# file {number}\n" + f"value_{number} = {number}\n" * 30)
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "all")
    git(root, "checkout", "--quiet", "-b", "topic")
    (root / "folder0000" / "file000000.py").write_text("value = 1\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    ours, theirs = [], []
    with tempfile.TemporaryDirectory(prefix="workspace-speed-") as name:
        root = Path(name, "repo")
        fill(root, options.files)
        repo = discover(root, os.environ)
        for number in range(options.rounds):
            place = Path(name, f"tree{number}")
            began = time.monotonic()
            git(root, "worktree", "add", "--detach", str(place), "HEAD")
            theirs.append(time.monotonic() - began)
            shutil.rmtree(place)
            git(root, "worktree", "prune")
            collected = collect(repo, ScopeRequest())
            place.mkdir()
            began = time.monotonic()
            make_workspace(repo, collected, place)
            ours.append(time.monotonic() - began)
            collected.close()
            remove_folder(place)
    ratio = min(ours) / min(theirs)
    print(
        f"{options.files} files: workspace {min(ours):.2f} s, git worktree add {min(theirs):.2f} s, ratio {ratio:.2f}"
    )
    return 0 if ratio <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
