"""Fetching of a remote's branches into the remote-tracking refs."""

from __future__ import annotations

from collections.abc import Sequence

from selfreview.git.run import Git, first_line

_STALE = "* [would prune] "


def fetch(git: Git, remote: str, names: Sequence[str]) -> str | None:
    """Fetch branches, without tags and submodules.

    A ref here whose branch is gone there may keep another from being made (``topic/old`` one for ``topic``): it goes.

    Args:
        git: With what it takes to reach the remote.
        remote: Name of the remote.
        names: The branches.

    Returns:
        Why git did not, or None.
    """
    refs = [f"+refs/heads/{name}:refs/remotes/{remote}/{name}" for name in names]
    argv = ["fetch", "--no-tags", "--no-prune", "--no-recurse-submodules", "--quiet", remote, *refs]
    done = git.call(argv)
    if done.returncode != 0 and (stale := _in_the_way(git, remote, names)):
        for ref in stale:
            git.call(["update-ref", "-d", ref])
        done = git.call(argv)
    return None if done.returncode == 0 else first_line(done.stderr) or str(done.returncode)


def _in_the_way(git: Git, remote: str, names: Sequence[str]) -> list[str]:
    """Return the refs here that are of no branch there any more, and that the refs of branches cannot be beside."""
    wanted = [f"refs/remotes/{remote}/{name}/" for name in names]
    listed = git.line(["for-each-ref", "--format=%(refname)", f"refs/remotes/{remote}/"]) or ""
    found = [ref for ref in listed.split("\n") if any(_clash(f"{ref}/", one) for one in wanted)]
    if not found:
        return []
    # Git knows what else is kept there on purpose, as by `fetch = +refs/pull/*/head:refs/remotes/origin/pr/*`.
    said = git.line(["remote", "prune", "--dry-run", remote]) or ""
    gone = {f"refs/remotes/{line.partition(_STALE)[2]}" for line in said.split("\n") if _STALE in line}
    return [ref for ref in found if ref in gone]


def _clash(one: str, other: str) -> bool:
    return one != other and (one.startswith(other) or other.startswith(one))
