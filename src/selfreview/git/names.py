"""Resolution of revision names: branches of a remote go before one's own, and these before tags.

Git itself takes a tag before a branch. Whoever may push a tag, or a branch called ``origin/main``, would then decide
what a change is compared with.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from selfreview.errors import ScopeError
from selfreview.git.run import Git

_PARTS = re.compile(r"((?:(?!@\{)[^~^:])*)(.*)", re.DOTALL)
_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_PLACES = ("refs/remotes/{}", "refs/remotes/{}/HEAD", "refs/heads/{}")
_LATER = ("refs/tags/{}", "refs/{}")


class Meaning(NamedTuple):
    """A possible meaning of a name.

    Attributes:
        name: The full ref with what follows it, or the name as it was given.
        commit: The commit's id.
    """

    name: str
    commit: str


def commit_of(git: Git, revision: str) -> str | None:
    """Return the id of the commit that a revision names for git, or None: ``^main`` names all but its history."""
    if revision.startswith(":"):  # ":/text" searches to its end, so nothing can be put behind it
        found = git.line(["rev-parse", "--verify", "-q", "--end-of-options", revision])
        return commit_of(git, found) if found else None
    asked = ["rev-parse", "--verify", "-q", "--end-of-options", revision + "^{commit}"]
    found = git.line(asked, fixed=_ID.fullmatch(revision) is not None)
    return found if found is not None and _ID.fullmatch(found) else None


def meanings(git: Git, name: str) -> list[Meaning]:
    """Return all possible meanings of a name, best first: refs of remotes, branches, git's own resolution, tags.

    A full ref, an object's whole id and ``HEAD`` mean one thing only.
    """
    match = _PARTS.fullmatch(name)
    stem, suffix = match.groups() if match else (name, "")
    if stem.startswith("refs/"):
        return [Meaning(name, commit) for commit in _commits_of(git, [stem], suffix).values()]
    if stem in ("", "@", "HEAD") or _ID.fullmatch(stem):
        commit = commit_of(git, name)
        return [Meaning(name, commit)] if commit else []
    first, later = ([place.format(stem) for place in places] for places in (_PLACES, _LATER))
    commits = _commits_of(git, [*first, *later], suffix)
    found = [Meaning(ref + suffix, commits[ref]) for ref in first if ref in commits]
    if re.fullmatch(r"[0-9a-f]{7,63}", stem):
        ids = git.run(["rev-parse", f"--disambiguate={stem}"]).decode().split()
        found += [Meaning(oid + suffix, commit) for oid in ids if (commit := commit_of(git, oid + suffix))]
    found += [Meaning(ref + suffix, commits[ref]) for ref in later if ref in commits]
    commit = commit_of(git, name)
    return [*found, Meaning(name, commit)] if commit else found


def only_commit(git: Git, name: str) -> str | None:
    """Return the id of the commit that a name stands for, or None.

    Raises:
        ScopeError: If it can mean several.
    """
    found: dict[str, str] = {}
    for meaning in meanings(git, name):
        found.setdefault(meaning.commit, meaning.name)
    if len(found) > 1:
        best, other, *_ = found.values()
        raise ScopeError(
            f"{name!r} can mean {best} or {other}, which are different commits", hint=f"say {best}, in full"
        )
    return next(iter(found), None)


def _commits_of(git: Git, refs: list[str], suffix: str) -> dict[str, str]:
    """Return the commits of exactly these refs: git would also find a tag whose name is the whole of one."""
    asked = [b"for-each-ref", b"--format=%(refname) %(objectname)", *map(_raw, refs)]
    targets = dict(line.rsplit(b" ", 1) for line in git.run(asked).splitlines())
    found = {}
    for ref in refs:
        target = targets.get(_raw(ref), b"").decode()
        commit = commit_of(git, (ref if suffix.startswith("@{") else target) + suffix) if target else None
        if commit:
            found[ref] = commit
    return found


def _raw(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")
