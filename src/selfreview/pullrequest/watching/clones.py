"""Clone for a watcher, which must not touch any person's working tree."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from selfreview.errors import CycleError, GitError, ToolError
from selfreview.git.run import Git, first_line, git_environment
from selfreview.proc import Runner
from selfreview.pullrequest.git.env import NETWORK


class ManagedClone:
    """A clone that a watcher keeps; nobody else works in it. May be used by several threads."""

    def __init__(
        self,
        folder: Path,
        url: str,
        remote: str,
        environ: Mapping[str, str],
        *,
        runner: Runner,
        timeout_s: Callable[[], float],
    ) -> None:
        self._runner = runner
        self._timeout_s = timeout_s
        self._folder = folder
        self._url = url
        self._remote = remote
        self._environ = git_environment(environ) | {key: environ[key] for key in NETWORK if key in environ}
        self._lock = threading.Lock()

    def __call__(self) -> Path:
        """Return the clone's folder, cloned if missing, with the remote's current default branch checked out.

        Raises:
            CycleError: If it cannot be cloned or brought up to date, in time.
        """
        if not self._lock.acquire(timeout=self._timeout_s()):
            raise CycleError(f"the clone in {self._folder} is being made ready for too long")
        try:
            if not (self._folder / ".git").is_dir():
                self._clone()
            self._update()
        except (GitError, ToolError, OSError) as error:
            raise CycleError(f"the clone in {self._folder} cannot be made ready: {error}") from error
        finally:
            self._lock.release()
        return self._folder

    def _clone(self) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        git = self._git()
        # Not `git clone`: one that was cut off is gone on with here.
        self._do(git, "init", "--quiet")
        if git.line(["config", "--get", f"remote.{self._remote}.url"]) is None:
            self._do(git, "remote", "add", self._remote, self._url)

    def _update(self) -> None:
        git = self._git()
        self._do(git, "config", f"remote.{self._remote}.url", self._url)
        everything = f"+refs/heads/*:refs/remotes/{self._remote}/*"
        self._do(git, "fetch", "--no-tags", "--quiet", "--prune", "--no-recurse-submodules", self._remote, everything)
        self._do(git, "remote", "set-head", self._remote, "--auto")
        self._do(git, "checkout", "--quiet", "--force", "--detach", f"refs/remotes/{self._remote}/HEAD")

    def _git(self) -> Git:
        return Git(self._folder, self._environ)

    def _do(self, git: Git, *args: str) -> None:
        """Run git, and end it with all its children where it takes too long: a remote may never answer.

        Raises:
            GitError: If it fails.
            ToolError: If it takes too long.
        """
        argv = [os.fsdecode(word) for word in git.argv(args)]
        done = self._runner.run(argv, cwd=self._folder, timeout=self._timeout_s(), env=git.environ, ok=range(-64, 256))
        if done.returncode != 0:
            raise GitError(f"git {args[0]} failed: {first_line(done.stderr) or done.returncode}")


def clone_folder(given: str, worker: str, forge: str) -> Path:
    """Return the folder of a watcher's clone of a repository.

    Args:
        given: The folder of all clones as configured, or empty.
        worker: The watcher's name.
        forge: ``host/owner/name``.

    Raises:
        CycleError: If there is no place for it.
    """
    import platformdirs

    if given:
        above = Path(os.path.expanduser(given))  # noqa: PTH111 - a home that is not known leaves it as it is
        if not above.is_absolute():
            raise CycleError(f"feedback.clones must be an absolute path, not {given}")
    else:
        try:
            above = platformdirs.user_cache_path("selfreview", appauthor=False) / "clones"
        except RuntimeError as error:  # nobody's home can be found
            raise CycleError("there is no place for clones", hint="set feedback.clones") from error
    return above.joinpath(worker, *forge.replace(":", "_").split("/"))
