"""How branches of a remote get into the refs that stand for them here."""

from __future__ import annotations

from collections.abc import Sequence

from selfreview.git.run import Git, first_line


def fetch(git: Git, remote: str, names: Sequence[str]) -> str | None:
    """Fetch branches, without tags and submodules.

    Args:
        git: With what it takes to reach the remote.
        remote: Name of the remote.
        names: The branches.

    Returns:
        Why git did not, or None.
    """
    refs = [f"+refs/heads/{name}:refs/remotes/{remote}/{name}" for name in names]
    options = ["--no-tags", "--no-prune", "--no-recurse-submodules", "--quiet"]
    done = git.call(["fetch", *options, remote, *refs])
    return None if done.returncode == 0 else first_line(done.stderr) or str(done.returncode)
