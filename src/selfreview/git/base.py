"""The base that a branch is compared with: finding it, and noticing one that is behind."""

from __future__ import annotations

from typing import NamedTuple

from selfreview.errors import ScopeError
from selfreview.git.names import commit_of, meanings
from selfreview.git.repo import Repo
from selfreview.git.run import Git
from selfreview.text.layout import plural


class Base(NamedTuple):
    """A base: its name for a person, and its commit."""

    name: str
    commit: str


def head_of(repo: Repo) -> str | None:
    """Return the id of HEAD's commit, or None for a branch that has no commit yet.

    Raises:
        ScopeError: If HEAD names something that cannot be read.
    """
    commit = commit_of(repo.git, "HEAD")
    if commit is not None:
        return commit
    ref = repo.git.line(["symbolic-ref", "-q", "HEAD"])
    if ref is None or (repo.common_dir / ref).exists() or repo.git.line(["rev-parse", "--verify", "-q", ref]):
        raise ScopeError("HEAD is broken: it names no commit that can be read", hint="git fsck says more")
    return None


def current_branch(git: Git) -> str | None:
    """Return the short name of the checked-out branch, or None on a detached HEAD."""
    name = git.line(["symbolic-ref", "-q", "HEAD"])
    return name.removeprefix("refs/heads/") if name and name.startswith("refs/heads/") else None


def named_base(repo: Repo, name: str) -> Base:
    """Resolve a base that a person or the configuration named.

    Raises:
        ScopeError: If there is no such commit here.
    """
    found = meanings(repo.git, name)
    if not found:
        raise no_such_base(repo, name)
    return Base(name, found[0].commit)


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
        hint = "say --base REF" if remote is None else f"{fetch_command(remote, 'main')}, or say --base REF"
        raise ScopeError("no base found: there is no remote's default branch, main or master", hint=hint)
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
    return Base(_short(default), commit)


def merge_bases(repo: Repo, base: str, head: str) -> list[str]:
    """Return the best common ancestors of two commits: several where each side has merged the other's past."""
    if base == head:
        return [head]
    return (repo.git.line(["merge-base", "--all", base, head], fixed=True) or "").split()


def is_ancestor(repo: Repo, old: str, new: str) -> bool:
    """Return whether a commit is another commit, or an ancestor of it."""
    return repo.git.call(["merge-base", "--is-ancestor", old, new]).returncode == 0


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


_PREFIXES = (b"refs/heads/", b"refs/remotes/")


def behind(repo: Repo, base: str, head: str, *, commit: str | None = None) -> str | None:
    """Return that commits under review are in a newer version of the base, and the base that fits; None where none are.

    Newer is what the base's branch follows, and what the remote called ``upstream`` has of that name, as of the last
    fetch. Other remotes are mostly forks, with one's own commits; what is there as a whole is not others' alone.

    Args:
        repo: The repository.
        base: The base, as it was named or found.
        head: The commit up to which is reviewed.
        commit: The commit that was compared with; by default what the base means first.

    Raises:
        GitError: If git cannot tell.
    """
    if commit == head:
        return None
    found = next((meaning for meaning in meanings(repo.git, base) if commit in (None, meaning.commit)), None)
    ref = found.name.encode("utf-8", "surrogateescape") if found is not None else b""
    if found is None or not ref.startswith(_PREFIXES):
        return None
    total = _count(repo.git, head, found.commit)
    newer = _newer(repo.git, ref) if total else []
    others = {name: total - _count(repo.git, head, found.commit, name) for name in newer}
    best = max(others, key=others.__getitem__, default="")
    if not best or others[best] in (0, total):
        return None
    name = best.removeprefix("refs/remotes/").removeprefix("refs/heads/")
    verb = "is" if others[best] == 1 else "are"
    of = f"{others[best]} of {plural(total, 'commit')} since {base} {verb} in {name} already"
    return f"{of}, and reviewed as part of this change: --base {name} leaves out what is there"


def _newer(git: Git, ref: bytes) -> list[str]:
    """Return the ref that a branch follows, and that of ``upstream`` with its name."""
    of_remote = ref.startswith(b"refs/remotes/")
    short = ref.split(b"/", 3 if of_remote else 2)[-1]
    lines = git.run([b"for-each-ref", b"--format=%(refname)%00%(upstream)", ref, b"refs/remotes/upstream/" + short])
    names = [name for line in lines.split(b"\n") for name in line.split(b"\0") if name and name != ref]
    known = git.run([b"for-each-ref", b"--format=%(refname)", *names]).split(b"\n") if names else []
    return [name.decode("utf-8", "surrogateescape") for name in dict.fromkeys(names) if name in known]


def _count(git: Git, head: str, *without: str) -> int:
    """Return the number of commits that lead to one commit and not to others."""
    names = [name.encode("utf-8", "surrogateescape") for name in (head, *(f"^{name}" for name in without))]
    return int(git.line([b"rev-list", b"--count", *names, b"--"]) or 0)
