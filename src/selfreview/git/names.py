"""What a name of a revision means: branches of a remote go before one's own, and these before tags.

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
    """One thing that a name can mean.

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
    found = git.line(["rev-parse", "--verify", "-q", "--end-of-options", revision + "^{commit}"])
    return found if found is not None and _ID.fullmatch(found) else None


def meanings(git: Git, name: str) -> list[Meaning]:
    """Return all that a name can mean, best first: refs of remotes, branches, what git says, tags.

    A full ref, an object's whole id and ``HEAD`` mean one thing only.
    """
    match = _PARTS.fullmatch(name)
    stem, suffix = match.groups() if match else (name, "")
    if stem.startswith("refs/"):
        return _of_ref(git, stem, suffix)
    if stem in ("", "@", "HEAD") or _ID.fullmatch(stem):
        commit = commit_of(git, name)
        return [Meaning(name, commit)] if commit else []
    found = [one for place in _PLACES for one in _of_ref(git, place.format(stem), suffix)]
    if re.fullmatch(r"[0-9a-f]{7,63}", stem):
        ids = git.run(["rev-parse", f"--disambiguate={stem}"]).decode().split()
        found += [Meaning(one + suffix, commit) for one in ids if (commit := commit_of(git, one + suffix))]
    found += [one for place in _LATER for one in _of_ref(git, place.format(stem), suffix)]
    commit = commit_of(git, name)
    return [*found, Meaning(name, commit)] if commit else found


def only_commit(git: Git, name: str) -> str | None:
    """Return the id of the commit that a name means, or None.

    Raises:
        ScopeError: If it can mean several.
    """
    found: dict[str, str] = {}
    for one in meanings(git, name):
        found.setdefault(one.commit, one.name)
    if len(found) > 1:
        best, other, *_ = found.values()
        raise ScopeError(
            f"{name!r} can mean {best} or {other}, which are different commits", hint=f"say {best}, in full"
        )
    return next(iter(found), None)


def _of_ref(git: Git, ref: str, suffix: str) -> list[Meaning]:
    """Return what exactly this ref means: git would also find a tag whose name is the whole of it."""
    target = git.line(["show-ref", "--verify", "--hash", "--", ref])
    commit = commit_of(git, (ref if suffix.startswith("@{") else target) + suffix) if target else None
    return [Meaning(ref + suffix, commit)] if commit else []
