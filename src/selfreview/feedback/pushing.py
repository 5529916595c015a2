"""Push of one commit to a remote's branch: a fast-forward, and only from the commit that was seen there."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import NamedTuple

from selfreview.errors import CycleError
from selfreview.feedback.hookenv import pre_push, without_unnamable
from selfreview.feedback.last_words import last_words
from selfreview.feedback.transient_errors import MOVED, passing_in, refused_push
from selfreview.git.repo import Repo
from selfreview.git.run import Git


class Pushed(NamedTuple):
    """Outcome of a push.

    Attributes:
        refused: Why the remote does not take it, as words for people, or None where it did.
        said: What git and its hooks printed, for the person here alone.
        passing: Why it may well be taken later, as a sentence for people, or None.
    """

    refused: str | None
    said: str
    passing: str | None = None


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

    Args:
        repo: The repository.
        git: With what it takes to reach the remote.
        what: What to push.
        hooks: Whether the repository's ``pre-push`` hook runs.

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
    words = last_words(done.stdout, done.stderr)
    if done.returncode == 0:
        return Pushed(None, words)
    said = done.stdout.decode("utf-8", "replace") + done.stderr.decode("utf-8", "replace")
    return Pushed(refused_push(said), words, passing_in(said))


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
