"""Resolve revisions: what a name means, the current branch, the base that it is compared with, and merge bases.

Branches of a remote go before one's own, and these before tags, though git itself takes a tag before a branch. Whoever
may push a tag, or a branch called ``origin/main``, would else decide what a change is compared with.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
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
        refs: The refs that were looked up with it.
    """

    name: str
    commit: str
    refs: Mapping[str, Ref | None] = MappingProxyType({})


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
        refs = _refs(git, [stem, _of_upstream(stem)])
        return [Meaning(name, commit, refs) for commit in _commits_of(git, refs, [stem], suffix).values()]
    commit = commit_of(git, name)  # asked first: then it is known of most of the others that they are commits
    if stem in ("", "@", "HEAD") or _ID.fullmatch(stem):
        return [Meaning(name, commit)] if commit else []
    first, later = ([place.format(stem) for place in places] for places in (_PLACES, _LATER))
    refs = _refs(git, [*first, *later, *map(_of_upstream, first)])
    commits = _commits_of(git, refs, [*first, *later], suffix)
    found = [Meaning(ref + suffix, commits[ref], refs) for ref in first if ref in commits]
    if re.fullmatch(r"[0-9a-f]{7,63}", stem):
        ids = git.run(["rev-parse", f"--disambiguate={stem}"]).decode().split()
        found += [Meaning(oid + suffix, commit) for oid in ids if (commit := commit_of(git, oid + suffix))]
    found += [Meaning(ref + suffix, commits[ref], refs) for ref in later if ref in commits]
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


def _commits_of(git: Git, refs: Mapping[str, Ref | None], names: Sequence[str], suffix: str) -> dict[str, str]:
    """Return the commits of exactly these refs: git would also find a tag whose name is the whole of one."""
    found = {}
    for name in names:
        ref = refs[name]
        commit = commit_of(git, (name if suffix.startswith("@{") else ref.target) + suffix) if ref else None
        if commit:
            found[name] = commit
    return found


class Ref(NamedTuple):
    """A ref.

    Attributes:
        target: The id of the object that it leads to.
        symbolic: The ref that it stands for, or ``""``.
        upstream: The ref that it follows, or ``""``.
    """

    target: str
    symbolic: str
    upstream: str


def _refs(git: Git, names: Sequence[str]) -> dict[str, Ref | None]:
    """Return exactly these refs, None for those that are not there or lead nowhere."""
    asked = [b"for-each-ref", b"--format=%(refname)%00%(objectname)%00%(symref)%00%(upstream)", *map(_raw, names)]
    lines = git.run(asked).decode("utf-8", "surrogateescape").split("\n")[:-1]
    found = {name: Ref(*facts) for name, *facts in (line.split("\0") for line in lines)}
    return {name: found.get(name) for name in names}


def _raw(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


class Base(NamedTuple):
    """A base.

    Attributes:
        name: Its name for a person.
        commit: Its commit.
        meaning: What the name means; None where only the name is known.
    """

    name: str
    commit: str
    meaning: Meaning | None = None


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
    return Base(name, found[0].commit, found[0])


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
    remotes = _remotes(git, branch)
    default, refs = _default_branch(git, remotes)
    if default is None:
        only = git.run(["for-each-ref", "--count=2", "--format=%(refname)", "refs/heads"]).split()
        fetched = git.run(["for-each-ref", "--count=1", "--format=%(refname)", "refs/remotes"])
        remote = next(iter(remotes), None) if fetched else None
        own = None if branch is None else f"refs/heads/{branch}".encode("utf-8", "surrogateescape")
        if remote is None and only == [own]:  # else the remote may have a default branch that was never fetched
            return Base("HEAD", head)
        hint = "use --base REF" if remote is None else f"{fetch_command(remote, 'main')}, or use --base REF"
        raise ScopeError("no base found: no default branch of a remote, and no main or master", hint=hint)
    if branch is not None and _same_name(default, branch):
        ref = refs.get(f"refs/heads/{branch}")
        follows = ref is None or ref.upstream
        upstream = git.line(["rev-parse", "--abbrev-ref", "--verify", "-q", "@{upstream}"]) if follows else None
        commit = commit_of(git, "@{upstream}") if upstream else None
        return Base(upstream, commit) if upstream and commit else Base("HEAD", head)
    ref = refs[default]
    if ref is None:  # a remote's HEAD that points at a branch which is gone, or was never fetched
        remote = _short(default).partition("/")[0]
        raise ScopeError(
            f"{remote}/HEAD points at {_short(default)!r}, which does not exist here",
            hint=f"git fetch {remote} && git remote set-head {remote} --auto, or name a base with --base REF",
        )
    return Base(_short(default), ref.target, Meaning(default, ref.target, refs))


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


def _default_branch(git: Git, remotes: Sequence[str]) -> tuple[str | None, dict[str, Ref | None]]:
    """Return the full name of the default branch's ref, and that ref with others that were looked up.

    Args:
        git: Git in the repository.
        remotes: The remotes, the one that counts most first.
    """
    heads = [f"refs/remotes/{remote}/HEAD" for remote in remotes]
    candidates = [f"refs/remotes/{r}/{n}" for r in remotes for n in _DEFAULTS] + [f"refs/heads/{n}" for n in _DEFAULTS]
    refs = _refs(git, [*heads, *candidates, *(_UPSTREAM + name for name in _DEFAULTS)])
    for name in heads:
        head = refs[name]  # where there is none, it may be there, and lead nowhere
        target = head.symbolic if head is not None else git.line(["symbolic-ref", "-q", name])
        if target:
            return target, {**refs, target: head}
    return next((name for name in candidates if refs[name] is not None), None), refs


def _remotes(git: Git, branch: str | None) -> list[str]:
    """Return the names of the remotes, the branch's own first."""
    # One setting is always there, as it is given with every command: so git fails only if it cannot tell.
    asked = ["config", "-z", "--get-regexp", r"^(remote\..*\.|branch\..*\.remote$|core\.quotepath$)"]
    settings = dict(
        entry.partition("\n")[::2] for entry in git.run(asked).decode("utf-8", "surrogateescape").split("\0")
    )
    remotes = sorted({key.split(".", 1)[1].rpartition(".")[0] for key in settings if key.startswith("remote.")})
    own = settings.get(f"branch.{branch}.remote")
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
    remotes = _remotes(repo.git, None)
    if rest and remote in remotes:
        return fetch_command(remote, rest)
    for other in remotes:
        if commit_of(repo.git, f"refs/remotes/{other}/{name}") is not None:
            return f"--base {other}/{name}"
    return "fetch it first, or name another base with --base REF"


_PREFIXES = ("refs/heads/", "refs/remotes/")
_DEFAULTS = ("main", "master")
_UPSTREAM = "refs/remotes/upstream/"


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
    meaning = base.meaning
    if meaning is None:
        meaning = next((one for one in meanings(repo.git, base.name) if one.commit == base.commit), None)
    newer = _newer(repo.git, meaning) if meaning is not None and meaning.name.startswith(_PREFIXES) else []
    total = _count(repo.git, head, base.commit) if newer else 0
    others = {name: total - _count(repo.git, head, base.commit, name) for name in newer if total}
    best = max(others, key=others.__getitem__, default="")
    if not best or others[best] in (0, total):
        return None
    name = best.removeprefix("refs/remotes/").removeprefix("refs/heads/")
    verb = "is" if others[best] == 1 else "are"
    of = f"{others[best]} of {plural(total, 'commit')} since {base.name} {verb} in {name} already"
    return f"{of}, and reviewed as part of this change: --base {name} leaves out what is there"


def _newer(git: Git, branch: Meaning) -> list[str]:
    """Return the ref that a branch follows, and that of ``upstream`` with its name."""
    name, known = branch.name, dict(branch.refs)
    same = _of_upstream(name)
    if unknown := [each for each in (name, same) if each not in known]:
        known.update(_refs(git, unknown))
    own = known[name]
    follows = own.upstream if own is not None else ""
    if follows and follows not in known:
        known.update(_refs(git, [follows]))
    return [each for each in dict.fromkeys((follows, same)) if each != name and known.get(each) is not None]


def _of_upstream(name: str) -> str:
    """Return the ref of ``upstream`` with the name of a branch."""
    return _UPSTREAM + name.split("/", 3 if name.startswith("refs/remotes/") else 2)[-1]


def _count(git: Git, head: str, *without: str) -> int:
    """Return the number of commits that lead to one commit and not to others."""
    names = [name.encode("utf-8", "surrogateescape") for name in (head, *(f"^{name}" for name in without))]
    return int(git.line([b"rev-list", b"--count", *names, b"--"]) or 0)
