"""Environment of git for remotes, commits and the repository's hooks: hooks get no secrets, and none is run unseen."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from selfreview.errors import CycleError, NotFreeError
from selfreview.git.hooks import hooks_in_tree
from selfreview.git.repo import Repo
from selfreview.git.run import Git
from selfreview.git.worktree_files import LINK
from selfreview.guard.paths import is_hook
from selfreview.model.change import path_from_bytes
from selfreview.model.wire import display_path
from selfreview.text.layout import listing
from selfreview.text.masking import masking

_SECRET = re.compile(
    r"TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|WEBHOOK|^SLACK_|^SELFREVIEW_(?:SMTP|APPRISE)|(?:API|ACCESS|PRIVATE)_?KEY",
    re.IGNORECASE,
)
"""Names of variables that no hook needs."""

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def secret_names(environ: Mapping[str, str]) -> list[str]:
    """Return the names of the variables that hold secrets, by their names or by what is in them."""
    return [name for name, value in environ.items() if _SECRET.search(name) or any(masking().places(value))]


def hooks_path(repo: Repo) -> str:
    """Return the folder that git takes hooks from, as it is set: a relative one is below the top level.

    They are off for everything that we run; that value, which is the last one, is left out.
    """
    output = repo.git.call(["config", "-z", "--type=path", "--get-all", "core.hooksPath"]).stdout
    values = output.split(b"\0")[:-2]
    return os.fsdecode(values[-1]) if values else str(repo.common_dir / "hooks")


@contextlib.contextmanager
def pre_push(repo: Repo, environ: Mapping[str, str]) -> Iterator[list[str]]:
    """Yield options under which ``git push`` runs the repository's ``pre-push`` hook, and keeps secrets from it.

    The push itself may need them: git's credential helpers have their tokens from the environment. So git is given a
    hook that takes them out and becomes the repository's; what git hands to a hook, it hands to this one.

    Raises:
        CycleError: If there is a hook, and it cannot be run so.
    """
    folder = hooks_path(repo)
    hook = Path(folder, "pre-push") if folder else None
    if hook is None or not os.access(repo.root / hook, os.X_OK):
        yield ["-c", f"core.hooksPath={os.devnull}"]
        return
    own = repo.git_dir / "selfreview"  # where hooks can be run, as in a folder for temporary files they may not
    try:
        own.mkdir(mode=0o700, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="hooks-", dir=own) as place:
            script = Path(place) / "pre-push"
            script.write_bytes(os.fsencode(_script(hook, folder, secret_names(environ))))
            script.chmod(0o700)
            if not os.access(script, os.X_OK):  # git would leave the hook out, and push
                raise CycleError("the pre-push hook cannot be run", hint=f"make {display_path(place)} executable")
            yield ["-c", f"core.hooksPath={place}"]
    except OSError as error:
        raise CycleError(f"the pre-push hook cannot be run: {error.strerror or error}") from error


def _script(hook: Path, folder: str, secrets: list[str]) -> str:
    """Return a script that runs a hook in its place, without secrets, and with the original ``core.hooksPath``."""
    names = [name for name in secrets if _IDENTIFIER.fullmatch(name)]
    setting = "'" + f"core.hooksPath={folder}".replace("'", "'\\''") + "'"  # as git reads what it hands to its children
    lines = [
        "#!/bin/sh",
        *(f"unset {name}" for name in names),
        f'GIT_CONFIG_PARAMETERS="${{GIT_CONFIG_PARAMETERS:+$GIT_CONFIG_PARAMETERS }}"{shlex.quote(setting)}',
        "export GIT_CONFIG_PARAMETERS",
        f'exec {shlex.quote(hook.as_posix())} "$@"',
    ]
    return "\n".join(lines) + "\n"


def without_unnamable(git: Git) -> Git:
    """Return git without secrets whose variables a shell cannot unset, because it cannot name them."""
    found = git.with_env()
    for name in secret_names(found.environ):
        if not _IDENTIFIER.fullmatch(name):
            del found.environ[name]
    return found


NETWORK = ("GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_ASKPASS")
"""Variables that say how to reach a remote; all others that begin with ``GIT_`` are left out, as always."""


_IDENTITY = tuple(f"GIT_{role}_{what}" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL"))
"""Variables that name the author and the committer of a commit, where the environment has them."""


LONGEST_S = 1800.0
"""Maximum seconds of a fetch, a push or a commit, including the hooks it runs: a remote, or a hook, may never end."""


def git_for_remotes(git: Git, environ: Mapping[str, str]) -> Git:
    """Return git with the person's settings for reaching remotes."""
    return git.with_env(**{key: environ[key] for key in NETWORK if key in environ}).within(LONGEST_S)


def git_for_commits(git: Git, environ: Mapping[str, str]) -> Git:
    """Return git that commits as the person; hooks, which may be the branch's own, get no secret."""
    found = git.with_env(**{key: environ[key] for key in _IDENTITY if key in environ}).within(LONGEST_S)
    for secret in secret_names(found.environ):
        del found.environ[secret]
    return found


_MAX_NAMED = 3


def demand_seen_hooks(repo: Repo, here: str, there: str) -> None:
    """Refuse to move a working tree from one commit to another where that changes its git hooks.

    Raises:
        NotFreeError: If it does: the person has to look at it, and pull it themselves.
        HookError: If git does not say where hooks are.
    """
    changed = _changed_hooks(repo, here, there)
    if not changed:
        return
    names = listing(map(display_path, changed), _MAX_NAMED)
    raise NotFreeError(
        f"the remote has other hooks, which git would run here: {names}; look at what is new there, and pull it "
        f"yourself (git -C {display_path(str(repo.root))} pull)"
    )


def _changed_hooks(repo: Repo, here: str, there: str) -> list[str]:
    """Return the paths of hooks that differ between two commits."""
    places = hooks_in_tree(repo)
    if not places:
        return []
    output = repo.git.run(["diff-tree", "-r", "-z", "--raw", "--no-renames", here, there]).split(b"\0")
    found = []
    for about, name in zip(output[:-1:2], output[1::2], strict=True):
        path, mode = path_from_bytes(name), about.split()[1].decode("ascii")
        if is_hook(path, places, is_link=mode == LINK):
            found.append(path)
    return found
