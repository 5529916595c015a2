"""Detection of a base that is behind: others' newer commits would be reviewed as part of the change."""

from __future__ import annotations

from selfreview.git.names import meanings
from selfreview.git.repo import Repo
from selfreview.git.run import Git
from selfreview.text.layout import plural

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
    found = next((one for one in meanings(repo.git, base) if commit in (None, one.commit)), None)
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
    names = [name.encode("utf-8", "surrogateescape") for name in (head, *(f"^{one}" for one in without))]
    return int(git.line([b"rev-list", b"--count", *names, b"--"]) or 0)
