"""Resolve revisions: what a name means, the current branch, the base that it is compared with, and merge bases.

Branches of a remote go before one's own, and these before tags, though git itself takes a tag before a branch. Whoever
may push a tag, or a branch called ``origin/main``, would else decide what a change is compared with.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from selfreview.errors import ScopeError
from selfreview.git.repo import Repo
from selfreview.git.run import Git
from selfreview.text.layout import plural

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
    if revision in git.commits:
        return revision
    if revision.startswith(":"):  # ":/text" searches to its end, so nothing can be put behind it
        found = git.line(["rev-parse", "--verify", "-q", "--end-of-options", revision])
        return commit_of(git, found) if found else None
    asked = ["rev-parse", "--verify", "-q", "--end-of-options", revision + "^{commit}"]
    found = git.line(asked)
    if found is None or not _ID.fullmatch(found):
        return None
    git.commits.add(found)
    return found


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
    found = only_meaning(git, name)
    return found.commit if found is not None else None


def only_meaning(git: Git, name: str) -> Meaning | None:
    """Return the best meaning of a name that stands for one commit, or None where it stands for none.

    Raises:
        ScopeError: If it can mean several.
    """
    found: dict[str, Meaning] = {}
    for meaning in meanings(git, name):
        found.setdefault(meaning.commit, meaning)
    if len(found) > 1:
        best, other, *_ = (meaning.name for meaning in found.values())
        raise ScopeError(
            f"{name!r} can mean {best} or {other}, which are different commits", hint=f"say {best}, in full"
        )
    return next(iter(found.values()), None)


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


class Base(NamedTuple):
    """A base.

    Attributes:
        name: Its name for a person.
        commit: Its commit.
        ref: The full name of the branch that it is, or what else names it; None where only the name is known.
    """

    name: str
    commit: str
    ref: str | None = None


class CheckedOut(NamedTuple):
    """HEAD: its commit, or None where it names none, and the short name of its branch, or None where it is detached."""

    commit: str | None
    branch: str | None


def checked_out(git: Git) -> CheckedOut:
    """Return what is checked out."""
    # The commit twice, around the tree: somebody may commit meanwhile.
    asked = ["HEAD^{commit}", "HEAD^{tree}", "HEAD^{commit}", "--symbolic-full-name", "HEAD"]
    match (git.line(["rev-parse", "-q", *asked]) or "").split("\n"):
        case [commit, tree, again, name] if _ID.fullmatch(commit) and _ID.fullmatch(tree) and again == commit:
            git.commits.add(commit)
            git.trees[commit] = tree
            return CheckedOut(commit, _branch(name))
    # There is no commit yet, or another ref is called HEAD, too: each of the two questions knows which one is meant.
    return CheckedOut(commit_of(git, "HEAD"), current_branch(git))


def head_of(repo: Repo) -> CheckedOut:
    """Return what is checked out, without a commit for a branch that has none yet.

    Raises:
        ScopeError: If HEAD names something that cannot be read.
    """
    head = checked_out(repo.git)
    if head.commit is None:
        ref = repo.git.line(["symbolic-ref", "-q", "HEAD"])
        if ref is None or (repo.common_dir / ref).exists() or repo.git.line(["rev-parse", "--verify", "-q", ref]):
            raise ScopeError("HEAD is broken: it names no commit that can be read", hint="git fsck says more")
    return head


def current_branch(git: Git) -> str | None:
    """Return the short name of the checked-out branch, or None on a detached HEAD."""
    return _branch(git.line(["symbolic-ref", "-q", "HEAD"]) or "")


def _branch(ref: str) -> str | None:
    return ref.removeprefix("refs/heads/") if ref.startswith("refs/heads/") else None


def named_base(repo: Repo, name: str) -> Base:
    """Resolve a base that a person or the configuration named.

    Raises:
        ScopeError: If there is no such commit here.
    """
    found = meanings(repo.git, name)
    if not found:
        raise no_such_base(repo, name)
    return Base(name, found[0].commit, found[0].name)


def no_such_base(repo: Repo, name: str) -> ScopeError:
    """Return the error for a base that is not here."""
    return ScopeError(f"the base {name!r} names no commit in this repository", hint=_fetch_hint(repo, name))


def discover_base(repo: Repo, head: str, branch: str | None) -> Base:
    """Find the base where none was given.

    That is the remote's default branch, else local ``main`` or ``master``; on that branch itself its upstream, else
    HEAD.

    Raises:
        ScopeError: If nothing can serve.
    """
    git = repo.git
    default = _default_branch(git, branch)
    if default is None:
        only = git.run(["for-each-ref", "--count=2", "--format=%(refname)", "refs/heads"]).split()
        fetched = git.run(["for-each-ref", "--count=1", "--format=%(refname)", "refs/remotes"])
        remote = next(iter(_remotes(git, branch)), None) if fetched else None
        own = None if branch is None else f"refs/heads/{branch}".encode("utf-8", "surrogateescape")
        if remote is None and only == [own]:  # else the remote may have a default branch that was never fetched
            return Base("HEAD", head)
        hint = "use --base REF" if remote is None else f"{fetch_command(remote, 'main')}, or use --base REF"
        raise ScopeError("no base found: no default branch of a remote, and no main or master", hint=hint)
    if branch is not None and _same_name(default, branch):
        upstream = git.line(["rev-parse", "--abbrev-ref", "--verify", "-q", "@{upstream}"])
        commit = commit_of(git, "@{upstream}") if upstream else None
        return Base(upstream, commit) if upstream and commit else Base("HEAD", head)
    commit = commit_of(git, default)
    if commit is None:  # a remote's HEAD that points at a branch which is gone, or was never fetched
        remote = _short(default).partition("/")[0]
        raise ScopeError(
            f"{remote}/HEAD points at {_short(default)!r}, which does not exist here",
            hint=f"git fetch {remote} && git remote set-head {remote} --auto, or name a base with --base REF",
        )
    return Base(_short(default), commit, default)


def merge_bases(repo: Repo, base: str, head: str) -> list[str]:
    """Return the best common ancestors of two commits: several where each side has merged the other's past."""
    if base == head:
        return [head]
    return (repo.git.line(["merge-base", "--all", base, head], fixed=True) or "").split()


def is_ancestor(repo: Repo, old: str, new: str) -> bool:
    """Return whether a commit is another commit, or an ancestor of it."""
    return old == new or repo.git.call(["merge-base", "--is-ancestor", old, new]).returncode == 0


def common_ancestors(repo: Repo, base: Base, head: str) -> list[str]:
    """Return the best common ancestors of the base and a commit, one in most histories; the first is compared with.

    Raises:
        ScopeError: If there is none, or history is cut off before it.
    """
    found = merge_bases(repo, base.commit, head)
    if found:
        return found
    if repo.git.line(["rev-parse", "--is-shallow-repository"]) == "true":
        raise ScopeError(
            f"the merge base with {base.name} is beyond the end of this shallow clone",
            hint="git fetch --unshallow, or in CI a full checkout (fetch-depth: 0)",
        )
    raise ScopeError(f"{base.name} and HEAD have no common ancestor", hint="name another base with --base REF")


def _default_branch(git: Git, branch: str | None) -> str | None:
    """Return the full name of the default branch's ref."""
    order = _remotes(git, branch)
    for remote in order:
        target = git.line(["symbolic-ref", "-q", f"refs/remotes/{remote}/HEAD"])
        if target:
            return target
    candidates = [f"refs/remotes/{r}/{n}" for r in order for n in ("main", "master")]
    candidates += ["refs/heads/main", "refs/heads/master"]
    known = git.run(["for-each-ref", "--format=%(refname)", *candidates]).decode("utf-8", "surrogateescape").split("\n")
    return next((name for name in candidates if name in known), None)


def _remotes(git: Git, branch: str | None) -> list[str]:
    """Return the names of the remotes, the branch's own first."""
    remotes = git.run(["remote"]).decode("utf-8", "surrogateescape").split()
    own = git.line(["config", "--get", f"branch.{branch}.remote"]) if branch else None
    return [r for r in dict.fromkeys([own, "origin", *remotes]) if r in remotes]


def fetch_command(remote: str, branch: str) -> str:
    """Return the command that brings a remote's branch, also into a clone that follows a single other one."""
    return f"git fetch {remote} +refs/heads/{branch}:refs/remotes/{remote}/{branch}"


def _same_name(ref: str, branch: str) -> bool:
    if ref.startswith("refs/heads/"):
        return ref == f"refs/heads/{branch}"
    return ref.removeprefix("refs/remotes/").partition("/")[2] == branch


def _short(ref: str) -> str:
    return ref.removeprefix("refs/heads/").removeprefix("refs/remotes/")


def _fetch_hint(repo: Repo, name: str) -> str:
    remote, _, rest = name.partition("/")
    remotes = repo.git.run(["remote"]).decode("utf-8", "surrogateescape").split()
    if rest and remote in remotes:
        return fetch_command(remote, rest)
    for other in _remotes(repo.git, None):
        if commit_of(repo.git, f"refs/remotes/{other}/{name}") is not None:
            return f"--base {other}/{name}"
    return "fetch it first, or name another base with --base REF"


_PREFIXES = ("refs/heads/", "refs/remotes/")


def behind(repo: Repo, base: Base, head: str) -> str | None:
    """Return that commits under review are in a newer version of the base, and the base that fits; None where none are.

    Newer is what the base's branch follows, and what the remote called ``upstream`` has of that name, as of the last
    fetch. Other remotes are mostly forks, with one's own commits; what is there as a whole is not others' alone.

    Args:
        repo: The repository.
        base: The base that was compared with.
        head: The commit up to which is reviewed.

    Raises:
        GitError: If git cannot tell.
    """
    if base.commit == head:
        return None
    ref = base.ref
    if ref is None:
        found = (meaning.name for meaning in meanings(repo.git, base.name) if meaning.commit == base.commit)
        ref = next(found, "")
    newer = _newer(repo.git, _raw(ref)) if ref.startswith(_PREFIXES) else []
    total = _count(repo.git, head, base.commit) if newer else 0
    others = {name: total - _count(repo.git, head, base.commit, name) for name in newer if total}
    best = max(others, key=others.__getitem__, default="")
    if not best or others[best] in (0, total):
        return None
    name = best.removeprefix("refs/remotes/").removeprefix("refs/heads/")
    verb = "is" if others[best] == 1 else "are"
    of = f"{others[best]} of {plural(total, 'commit')} since {base.name} {verb} in {name} already"
    return f"{of}, and reviewed as part of this change: --base {name} leaves out what is there"


def _newer(git: Git, ref: bytes) -> list[str]:
    """Return the ref that a branch follows, and that of ``upstream`` with its name."""
    of_remote = ref.startswith(b"refs/remotes/")
    short = ref.split(b"/", 3 if of_remote else 2)[-1]
    lines = git.run([b"for-each-ref", b"--format=%(refname)%00%(upstream)", ref, b"refs/remotes/upstream/" + short])
    pairs = [line.split(b"\0") for line in lines.splitlines()]
    names = [name for pair in pairs for name in pair if name and name != ref]
    known = {pair[0] for pair in pairs}
    unknown = [name for name in names if name not in known]
    if unknown:
        known.update(git.run([b"for-each-ref", b"--format=%(refname)", *unknown]).splitlines())
    return [name.decode("utf-8", "surrogateescape") for name in dict.fromkeys(names) if name in known]


def _count(git: Git, head: str, *without: str) -> int:
    """Return the number of commits that lead to one commit and not to others."""
    names = [name.encode("utf-8", "surrogateescape") for name in (head, *(f"^{name}" for name in without))]
    return int(git.line([b"rev-list", b"--count", *names, b"--"]) or 0)
