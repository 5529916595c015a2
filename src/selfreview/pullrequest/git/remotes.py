"""Fetching from and pushing to a remote, and the last output of what was refused."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

from selfreview.errors import CycleError
from selfreview.git.repo import Repo
from selfreview.git.run import Git, first_line
from selfreview.pullrequest.git.env import pre_push, without_unnamable
from selfreview.pullrequest.git.transient_errors import MOVED, push_refusal, transient_reason_in
from selfreview.secrets.scanner import mask_secrets

_MAX_LINES = 6
_MAX_LENGTH = 600
_AGAIN = "once that is fixed, `selfreview reset` on the branch tries it again"


def last_lines(*outputs: bytes) -> str:
    """Return the last lines of outputs as one line, secrets hidden; empty where nothing was said.

    It may hold anything a hook prints, and is no text for a forge.
    """
    lines = [line.rstrip() for output in outputs for line in output.decode("utf-8", "replace").splitlines()]
    text = mask_secrets("\n".join([line for line in lines if line.strip()][-_MAX_LINES:]))  # one may span lines
    line = " / ".join(part.strip() for part in text.split("\n"))
    return line if len(line) <= _MAX_LENGTH else f"…{line[1 - _MAX_LENGTH :]}"


def way_out(output: str) -> str:
    """Return the last output with what helps after a refusal that called a person."""
    return f"{output}; {_AGAIN}" if output else _AGAIN


_STALE = "* [would prune] "


def fetch(git: Git, remote: str, names: Sequence[str]) -> str | None:
    """Fetch branches, without tags and submodules.

    A ref here whose branch is gone there may keep another from being made (``topic/old`` one for ``topic``): it goes.

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
    found = [ref for ref in listed.split("\n") if any(_clash(f"{ref}/", branch) for branch in wanted)]
    if not found:
        return []
    # Git knows what else is kept there on purpose, as by `fetch = +refs/pull/*/head:refs/remotes/origin/pr/*`.
    output = git.line(["remote", "prune", "--dry-run", remote]) or ""
    gone = {f"refs/remotes/{line.partition(_STALE)[2]}" for line in output.split("\n") if _STALE in line}
    return [ref for ref in found if ref in gone]


def _clash(one: str, other: str) -> bool:
    return one != other and (one.startswith(other) or other.startswith(one))


class Pushed(NamedTuple):
    """Outcome of a push.

    Attributes:
        refused: Why the remote does not take it, as words for people, or None where it did.
        output: What git and its hooks printed, for the person here alone.
        transient: Why it may well be taken later, as a sentence for people, or None.
    """

    refused: str | None
    output: str
    transient: str | None = None

    @property
    def moved(self) -> bool:
        """Return whether the remote's branch is another one by now."""
        return self.refused == MOVED


class Push(NamedTuple):
    """Commit to push, and the ref that it goes to.

    Attributes:
        remote: Name of the remote.
        ref: The ref there, in full.
        commit: The commit; a descendant of ``seen``.
        seen: What the ref was at when it was looked at; None: there was none.
    """

    remote: str
    ref: str
    commit: str
    seen: str | None


def push(repo: Repo, git: Git, what: Push, *, hooks: bool) -> Pushed:
    """Push one commit, as a fast-forward from the commit that was seen.

    A plain push would bring back commits that somebody took off the branch since, for ours stands on them, and would
    make a branch again that is gone. So the remote is told what the branch has to be at: ``--force-with-lease`` is
    here no way to force anything, but a condition on top of a fast-forward, which is looked for first.

    Raises:
        CycleError: If the hook cannot be run.
    """
    remote, ref, commit, seen = what
    if seen is not None and repo.git.call(["merge-base", "--is-ancestor", seen, commit]).returncode != 0:
        return Pushed(MOVED, "")
    with contextlib.ExitStack() as stack:
        options = stack.enter_context(pre_push(repo, git.environ)) if hooks else []
        done = without_unnamable(git).call(
            [
                *options,
                "push",
                "--porcelain",
                "--no-follow-tags",
                "--no-recurse-submodules",
                f"--force-with-lease={ref}:{seen or ''}",
                *([] if hooks else ["--no-verify"]),
                remote,
                f"{commit}:{ref}",
            ]
        )
    words = last_lines(done.stdout, done.stderr)
    if done.returncode == 0:
        return Pushed(None, words)
    output = done.stdout.decode("utf-8", "replace") + done.stderr.decode("utf-8", "replace")
    return Pushed(push_refusal(output), words, transient_reason_in(output))


def demand_one_place(repo: Repo, remote: str, is_it: Callable[[str], bool]) -> None:
    """Require that a remote is pushed to where it is fetched from.

    Args:
        repo: The repository.
        remote: Its name.
        is_it: Whether an address is that of the pull request's repository, as far as that can be seen from it.

    Raises:
        CycleError: If it is pushed elsewhere, or elsewhere too.
        GitError: If git cannot tell.
    """
    read = _addresses(repo, remote)
    written = _addresses(repo, "--push", "--all", remote)
    others = [url for url in written if _plain(url) not in map(_plain, read) and not is_it(url)]
    if others:
        raise CycleError(
            f"{remote} is pushed to another repository than it is fetched from, so nothing is pushed",
            hint=f"see git remote get-url --push --all {remote}; git config --unset-all remote.{remote}.pushurl, "
            "or --remote NAME",
        )


def _addresses(repo: Repo, *of: str) -> list[str]:
    return repo.git.run(["remote", "get-url", *of]).decode("utf-8", "surrogateescape").rstrip("\n").split("\n")


def _plain(url: str) -> str:
    return url.rstrip("/").removesuffix(".git")
