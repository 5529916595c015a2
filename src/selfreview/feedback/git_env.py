"""Environments of git for remotes and for commits, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from selfreview.feedback.hookenv import secret_names
from selfreview.git.run import Git

NETWORK = ("GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_ASKPASS")
"""Variables that say how to reach a remote; all others that begin with ``GIT_`` are left out, as always."""


_IDENTITY = tuple(f"GIT_{role}_{what}" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL"))
"""Variables that name the author and the committer of a commit, where the environment has them."""


LONGEST_S = 1800.0
"""Maximum seconds of a fetch, a push or a commit, including the hooks it runs: a remote, or a hook, may never end."""


def reaching(git: Git, environ: Mapping[str, str]) -> Git:
    """Return git with the person's settings for reaching remotes."""
    return git.with_env(**{key: environ[key] for key in NETWORK if key in environ}).within(LONGEST_S)


def committing(git: Git, environ: Mapping[str, str]) -> Git:
    """Return git that commits as the person; hooks, which may be the branch's own, get no secret."""
    found = git.with_env(**{key: environ[key] for key in _IDENTITY if key in environ}).within(LONGEST_S)
    for secret in secret_names(found.environ):
        del found.environ[secret]
    return found
