"""Working trees of pull requests' branches: found, made where allowed, and removed; and a watcher's own clone."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from selfreview.api import ChangeRequest
from selfreview.app.session import hold_session
from selfreview.errors import CycleError, GitError, NotHereError, SelfreviewError, ToolError
from selfreview.git.repo import Repo, Tree, discover, working_trees
from selfreview.git.run import Git, first_line, git_environment
from selfreview.model.wire import display_path
from selfreview.proc import Runner
from selfreview.pullrequest.git.env import NETWORK
from selfreview.pullrequest.watching.ports import Tell
from selfreview.text.layout import listing


def session_branch(request: ChangeRequest) -> str:
    """Return the branch name under which a pull request's session is stored; that of a fork names the fork, too."""
    if request.same_repository:
        return request.head
    return f"{request.head_repository or 'gone'}:{request.head}#{request.number}"  # no branch can be called that


def find_tree(repo: Repo, branch: str) -> Tree | None:
    """Return the working tree that has a branch checked out, or None.

    Raises:
        GitError: If git cannot list them.
    """
    ref = f"refs/heads/{branch}"
    trees = working_trees(repo.git)
    found = next((tree for tree in trees if tree.branch == ref), None)
    if found is not None:
        return found
    return next((tree for tree in trees if not tree.gone and tree.branch is None and _rebased(tree.path) == ref), None)


def _rebased(folder: Path) -> str | None:
    """Return the branch that is being rebased in a working tree: during a rebase, none is checked out."""
    git_dir = Git(folder, git_environment(os.environ)).line(["rev-parse", "--absolute-git-dir"])
    for name in ("rebase-merge", "rebase-apply") if git_dir is not None else ():
        try:
            return (Path(git_dir or "") / name / "head-name").read_text("utf-8", "surrogateescape").strip()
        except OSError:
            continue
    return None


def tree_of(repo: Repo, remote: str, branch: str, *, recreate: bool) -> Path:
    """Return the folder of the working tree that has a branch.

    Raises:
        NotHereError: If there is none, and none is made.
    """
    found = find_tree(repo, branch)
    if found is not None and not found.gone:
        return found.path
    what = f"the working tree of {branch} is gone: {display_path(str(found.path))}" if found is not None else (
        f"no working tree has {branch} checked out"
    )  # fmt: skip
    if not recreate:
        hint = f"git worktree add ../{branch.replace('/', '-')} {branch}, or set feedback.recreate_worktree"
        raise NotHereError(what, hint=hint)
    return _make(repo, remote, branch)


def own_folder(repo: Repo, branch: str) -> Path:
    """Return the folder of the working tree made, or to be made, for a branch.

    Raises:
        CycleError: If there is no place for it.
    """
    import platformdirs

    digest = hashlib.sha256(f"{repo.common_dir}\0{branch}".encode("utf-8", "surrogateescape")).hexdigest()[:12]
    try:
        return platformdirs.user_cache_path("selfreview", appauthor=False) / "worktrees" / digest
    except RuntimeError as error:  # nobody's home can be found
        raise NotHereError("there is no place for a working tree", hint="set XDG_CACHE_HOME") from error


def _make(repo: Repo, remote: str, branch: str) -> Path:
    folder = own_folder(repo, branch)
    repo.git.call(["worktree", "prune"])
    here = repo.git.line(["rev-parse", "--verify", "-q", f"refs/heads/{branch}"])
    which = [branch] if here is not None else ["--track", "-b", branch, f"refs/remotes/{remote}/{branch}"]
    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if here is None:
            refs = f"+refs/heads/{branch}:refs/remotes/{remote}/{branch}"
            repo.git.run(["fetch", "--no-tags", "--quiet", "--no-recurse-submodules", remote, refs])
        repo.git.run(["worktree", "add", "--quiet", *which[:-1], str(folder), which[-1]])
    except (GitError, OSError) as error:
        why = error.message if isinstance(error, GitError) else str(error)
        raise NotHereError(f"no working tree can be made for {branch}: {why}") from error
    return folder


_HEADS = "refs/heads/"


def remove_trees(repo: Repo, is_over: Callable[[str], bool]) -> Iterator[tuple[str, Path, str | None]]:
    """Remove unneeded working trees that were made for pull requests; their branches stay, with all commits.

    One that a person made, that somebody works in, or that holds anything that is not committed, ignored files such as
    an ``.env`` too, stays; links and caches are no such thing.

    Yields:
        For each that is not needed any more: the branch, the folder, and why it is still there, or None.

    Raises:
        GitError: If git cannot list them.
    """
    for tree in working_trees(repo.git):
        branch = (tree.branch or "").removeprefix(_HEADS)
        if tree.gone or not branch or not _is_own(repo, tree, branch) or not is_over(branch):
            continue
        yield branch, tree.path, _remove(repo, tree.path)


def _is_own(repo: Repo, tree: Tree, branch: str) -> bool:
    try:
        return tree.path.resolve() == own_folder(repo, branch).resolve() and tree.path.resolve() != repo.root.resolve()
    except CycleError:  # there is no place for any
        return False


def _remove(repo: Repo, folder: Path) -> str | None:
    try:
        there = discover(folder, os.environ)
        with hold_session(there) as hindrance:
            if hindrance is not None:
                return hindrance.why
            if kept := _only_there(there):
                return (
                    f"{listing(map(display_path, kept), 1)} would be lost with it: move it away, or remove the folder"
                )
            done = repo.git.call(["worktree", "remove", str(folder)])  # not forced: git refuses where anything is new
    except SelfreviewError as error:
        return error.message
    except OSError as error:  # what cannot be looked at may be anything
        return f"it cannot be read: {error.strerror or error}"
    return None if done.returncode == 0 else first_line(done.stderr) or f"git ended with {done.returncode}"


def _only_there(tree: Repo) -> list[str]:
    """Return the uncommitted files of a working tree; git itself would remove ignored ones (an ``.env``).

    Links are nobody's content, and what tools keep to be faster they make again.
    """
    output = tree.git.run(["status", "--porcelain", "-z", "--untracked-files=normal", "--ignored", "--no-renames"])
    found = [(entry[:2], os.fsdecode(entry[3:])) for entry in output.split(b"\0") if entry]
    return [path for state, path in found if state != b"!!" or _has_content(tree.root / path)]


def _has_content(path: Path) -> bool:
    """Return whether a file or a folder that git ignores is more than links and caches."""
    if path.is_symlink() or path.name == "__pycache__" or (path / "CACHEDIR.TAG").is_file():
        return False
    return not path.is_dir() or any(map(_has_content, path.iterdir()))


class TreeRemover:
    """A remover, while a watcher runs, of the working trees of pull requests that are no longer open."""

    def __init__(self, folder: Path, tell: Tell) -> None:
        self._folder = folder
        self._tell = tell
        self._open: set[str] | None = None
        self._told: set[tuple[str, str]] = set()

    def saw(self, requests: Sequence[ChangeRequest]) -> None:
        """Record which pull requests are open, whoever their author is."""
        self._open = {request.head for request in requests}

    def __call__(self) -> None:
        """Remove the working trees of pull requests that are no longer open."""
        still = self._open
        if still is None or not (self._folder / ".git").exists():
            return
        try:
            for branch, path, why in remove_trees(discover(self._folder, os.environ), lambda name: name not in still):
                if why is None:
                    self._tell("tree_removed", branch=branch, path=str(path))
                elif (branch, why) not in self._told:
                    self._told.add((branch, why))
                    self._tell("tree_stays", branch=branch, path=str(path), why=why)
        except GitError as error:
            self._tell("problem", why=error.message)


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
