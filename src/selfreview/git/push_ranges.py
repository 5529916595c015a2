"""New commits of a push: from the lines that git gives a ``pre-push`` hook to the ranges that nobody has seen yet.

A range ends at a pushed commit. It starts at a commit that is known already: to the remote that is pushed to, by what
the ref points at there and by its remote-tracking branches; or to everybody, because a remote's default branch has it
(a fork is seldom up to date, and what upstream merged is not the change of the person who pushes).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from selfreview.errors import HookError
from selfreview.git.repo import Repo


class Update(NamedTuple):
    """One ref of a push.

    Attributes:
        local_oid: Its object id, or a name of it; only zeros when the remote's ref is deleted.
        remote_ref: The ref there.
        remote_oid: What it points at there; only zeros, or empty, when it is new.
    """

    local_oid: str
    remote_ref: str
    remote_oid: str


class PushRange(NamedTuple):
    """The new commits of one or more refs of a push, as a range.

    Attributes:
        refs: The remote's refs, in full.
        old: A commit that is known already, or the id of the empty tree.
        new: The commit that is pushed.
        commits: How many commits are new.
    """

    refs: tuple[str, ...]
    old: str
    new: str
    commits: int


class Push(NamedTuple):
    """The content of a push: ranges to review, and refs without a commit.

    Attributes:
        ranges: What is to be reviewed.
        no_commit: Refs that point at something else than a commit, which cannot be reviewed.
    """

    ranges: tuple[PushRange, ...]
    no_commit: tuple[str, ...]


def parse_updates(lines: bytes) -> list[Update]:
    """Parse what git writes to a ``pre-push`` hook.

    Raises:
        HookError: If a line has not the four parts that git gives it.
    """
    updates = []
    for line in lines.decode("utf-8", "surrogateescape").split("\n"):
        parts = line.rsplit(" ", 3)  # what was pushed may hold spaces: HEAD^{/some words}
        if len(parts) == 4:
            updates.append(Update(*parts[1:]))
        elif line:
            raise HookError(f"git's list of what is pushed is not understood: {line!r}", hint="pass it on unchanged")
    return updates


def plan_push(repo: Repo, updates: Iterable[Update], remote: str | None) -> Push:
    """Find the new commits of a push.

    Args:
        repo: The repository.
        updates: The refs that are pushed.
        remote: A remote's name or URL; None if it is not known, and then a commit is known that any remote has.

    Raises:
        GitError: If git cannot tell.
    """
    wanted = [update for update in updates if update.local_oid.strip("0")]
    commits = _peel(repo, [oid for update in wanted for oid in (update.local_oid, update.remote_oid)])
    known = _Known.read(repo, remote)
    branches = [u for u in wanted if not u.remote_ref.startswith("refs/tags/")]
    tips = [commits[u.local_oid] for u in branches if u.local_oid in commits]
    found: dict[tuple[str, str], PushRange] = {}
    for update in sorted(wanted, key=lambda u: u not in branches):
        new = commits.get(update.local_oid)
        if new is None:
            continue
        # A tag on what a branch of the same push brings is covered by that branch's review.
        covered = tips if update not in branches else []
        there = commits.get(update.remote_oid)
        piece = _range(repo, new, there, known, covered)
        if piece is not None:
            key = (piece.old, piece.new)
            refs = found[key].refs if key in found else ()
            found[key] = piece._replace(refs=(*refs, update.remote_ref))
    return Push(tuple(found.values()), tuple(u.remote_ref for u in wanted if u.local_oid not in commits))


class _Known(NamedTuple):
    """The commits of a push that need not be reviewed again.

    Attributes:
        exclude: Arguments for ``git rev-list --not``.
        defaults: The remotes' default branches as full refs.
    """

    exclude: tuple[str, ...]
    defaults: tuple[str, ...]

    @classmethod
    def read(cls, repo: Repo, remote: str | None) -> _Known:
        names = _lines(repo.git.run(["remote"]))
        name = remote if remote in names else _remote_of_url(repo, remote)
        defaults = _default_branches(repo, names)
        if remote is None:
            return cls(("--remotes",), defaults)
        return cls((*([f"--remotes={name}"] if name is not None else []), *defaults), defaults)


def _remote_of_url(repo: Repo, url: str | None) -> str | None:
    """Return the remote that is meant when a push names a URL instead."""
    done = repo.git.call(["config", "-z", "--get-regexp", r"^remote\..*\.(push)?url$"])
    for entry in done.stdout.decode("utf-8", "surrogateescape").split("\0"):
        key, _, value = entry.partition("\n")
        if value == url:
            return key.removeprefix("remote.").rpartition(".")[0]
    return None


def _default_branches(repo: Repo, remotes: Sequence[str]) -> tuple[str, ...]:
    """Return each remote's default branch, where it is known here."""
    patterns = [f"refs/remotes/{remote}/{name}" for remote in remotes for name in ("HEAD", "main", "master")]
    if not patterns:
        return ()
    known = set(_lines(repo.git.run(["for-each-ref", "--format=%(refname)", *patterns])))
    first: dict[str, str] = {}
    for pattern in patterns:
        if pattern in known:
            first.setdefault(pattern.rpartition("/")[0], pattern)
    return tuple(first.values())


def _peel(repo: Repo, names: Iterable[str]) -> dict[str, str]:
    """Return the commits behind object ids; those without one are left out."""
    wanted = [name for name in dict.fromkeys(names) if name.strip("0")]
    asked = "".join(f"{name}^{{commit}}\n" for name in wanted).encode("utf-8", "surrogateescape")
    answers = _lines(repo.git.run(["cat-file", "--batch-check=%(objectname)"], stdin=asked))
    return {name: answer for name, answer in zip(wanted, answers, strict=True) if " " not in answer}


def _range(repo: Repo, new: str, there: str | None, known: _Known, covered: Sequence[str]) -> PushRange | None:
    """Return the range of commits that a pushed commit adds to the known ones, or None if it adds none."""
    exclude = [*([there] if there else []), *known.exclude, *covered]
    listed = _lines(repo.git.run(["rev-list", "--topo-order", "--boundary", new, "--not", *exclude, "--"]))
    commits = [line for line in listed if not line.startswith("-")]
    edge = [line[1:] for line in listed if line.startswith("-")]
    if not commits:
        return None
    return PushRange((), _start(repo, new, there, known, edge), new, len(commits))


def _start(repo: Repo, new: str, there: str | None, known: _Known, edge: Sequence[str]) -> str:
    """Choose the start of a range: any known ancestor would do, so take that which shows the least of other people.

    Args:
        repo: The repository.
        new: The pushed commit.
        there: What the remote's ref points at.
        known: What need not be reviewed again.
        edge: The known commits that the new ones stand on.
    """
    if not edge:
        return repo.empty_tree()
    if len(edge) == 1:
        return edge[0]
    bases = [found for branch in known.defaults if (found := repo.git.line(["merge-base", branch, new]))]
    if bases:  # a branch that took in the default branch is seen as its pull request shows it
        return _lines(repo.git.run(["rev-list", "--max-count=1", "--topo-order", *bases]))[0]
    return there if there is not None and there in edge else edge[0]


def _lines(output: bytes) -> list[str]:
    return output.decode("utf-8", "surrogateescape").split("\n")[:-1]
