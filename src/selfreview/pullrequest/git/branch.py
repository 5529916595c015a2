"""Branch of a pull request in a person's working tree: where it is, whether it is free, and how it is pushed.

Nothing is forced or stashed. A clean branch moves to what the remote has only where nothing but our own commits, and
what the remote had itself, is left by that; else a person is called.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from selfreview.apply.patches import replace_durably
from selfreview.errors import CycleError, GitError, NotFreeError
from selfreview.git.repo import Repo
from selfreview.git.revisions import is_ancestor
from selfreview.git.run import Git, first_line
from selfreview.model.change import path_from_bytes
from selfreview.model.feedback import ChangeRequest
from selfreview.model.wire import display_path
from selfreview.pullrequest.git import remotes
from selfreview.pullrequest.git.env import demand_seen_hooks, git_for_commits, git_for_remotes, hooks_path
from selfreview.pullrequest.git.remotes import last_lines, way_out
from selfreview.pullrequest.git.trailers import FixCommit, fix_commits
from selfreview.pullrequest.git.transient_errors import refusal

_MOMENT_NS = 60 * 10**9
"""Git takes the lock as the first thing that it does, and has written it before it runs a hook."""


class OwnLock:
    """Index lock that a git of ours leaves when it is killed: recognised, and removed, where nobody holds it.

    A note is written before git is started on the index of a person's working tree, and goes when that git has ended.
    Only a process that was killed leaves it. A lock is ours where there is a note, the lock is from the moment after
    it, and no git is at work in the tree: any other is a person's, and is waited for.

    Args:
        repo: The repository, with the working tree.
        processes: The folder that lists processes; where there is none, no lock is ever removed.
    """

    def __init__(self, repo: Repo, processes: Path = Path("/proc")) -> None:
        self._root = repo.root
        self._lock = repo.git_dir / "index.lock"
        self._note = repo.git_dir / "selfreview" / "index-in-use"
        self._processes = processes

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Note that a git of ours writes the index, for as long as the context lasts."""
        with contextlib.suppress(OSError):  # then a lock that is left is taken for a person's
            self._note.parent.mkdir(mode=0o700, exist_ok=True)
            replace_durably(self._note, b"")
        try:
            yield
        except BaseException:
            if not self._lock.exists():  # else the git that was ended may have left it
                self._note.unlink(missing_ok=True)
            raise
        self._note.unlink(missing_ok=True)

    def is_free(self) -> bool:
        """Return whether nobody has locked the index; a lock that a killed git of ours left is removed."""
        if self._lock.exists() and self._is_ours():
            self._lock.unlink(missing_ok=True)
        if self._lock.exists():
            return False
        self._note.unlink(missing_ok=True)
        return True

    def _is_ours(self) -> bool:
        try:
            after = self._lock.stat().st_mtime_ns - self._note.stat().st_mtime_ns
        except FileNotFoundError:
            return False
        return 0 <= after <= _MOMENT_NS and not self._is_git_at_work()

    def _is_git_at_work(self) -> bool:
        """Return whether any git runs in the working tree, ours or a person's; True also where that cannot be known."""
        try:
            found = [process for process in self._processes.iterdir() if process.name.isdecimal()]
        except OSError:
            return True
        return not found or any(map(self._works_here, found))

    def _works_here(self, process: Path) -> bool:
        try:
            name = (process / "comm").read_text("utf-8", "replace").strip()
            if name != "git" and not name.startswith("git-"):
                return False
            where = Path(os.readlink(process / "cwd"))  # noqa: PTH115 - may be of no file any more
        except (FileNotFoundError, ProcessLookupError):
            return False  # it has ended
        except OSError:
            return True  # somebody else's: it may be here
        return any(where == place or place in where.parents for place in (self._root, self._lock.parent))


class Committed(NamedTuple):
    """A commit that was made.

    Attributes:
        sha: The commit's id.
        is_as_given: Whether it holds what was in the working tree before hooks ran.
    """

    sha: str
    is_as_given: bool


def uncommitted(paths: Sequence[str]) -> str:
    """Return that paths are not committed, in a clause; nothing where there are none."""
    if len(paths) > 1:
        return f"{display_path(paths[0])} and {len(paths) - 1} more are not committed"
    return f"{display_path(paths[0])} is not committed" if paths else ""


class Branch:
    """A branch of a remote, checked out in a working tree."""

    def __init__(self, repo: Repo, remote: str, name: str, environ: Mapping[str, str]) -> None:
        self.repo = repo
        self.remote = remote
        self.name = name
        self._lock = OwnLock(repo)
        self._git, self._committing = git_for_remotes(repo.git, environ), git_for_commits(repo.git, environ)

    @property
    def tracking(self) -> str:
        """The remote-tracking ref."""
        return f"refs/remotes/{self.remote}/{self.name}"

    def head(self) -> str:
        """Return the commit that is checked out.

        Raises:
            GitError: If there is none.
        """
        return self.repo.git.run(["rev-parse", "--verify", "HEAD^{commit}"]).decode().strip()

    def fetch(self, *others: str) -> None:
        """Fetch the branch and others, without tags and submodules.

        Raises:
            CycleError: If the remote has no such branch any more.
            GitError: If the remote cannot be reached, or has not all of the others.
        """
        why = remotes.fetch(self._git, self.remote, (self.name, *others))
        if why is not None:
            if self.there() is None:
                raise self.gone()
            raise GitError(f"git fetch from {self.remote} failed: {why}")

    def gone(self) -> CycleError:
        """Return the error for a branch that the remote no longer has."""
        hint = f"git push {self.remote} {self.name} puts it there again, where that is wanted"
        return CycleError(f"{self.name} was deleted on {self.remote}, and is not made there again", hint=hint)

    def there(self) -> str | None:
        """Return the commit that the remote has for the branch now, or None where it has no such branch.

        Raises:
            GitError: If the remote cannot be reached.
        """
        ref = f"refs/heads/{self.name}"
        output = self._git.run(["ls-remote", self.remote, ref]).decode("utf-8", "surrogateescape")
        lines = (line.partition("\t") for line in output.splitlines())
        return next((commit for commit, _, name in lines if name == ref), None)  # refs that only end so are listed too

    def seen(self) -> str:
        """Return the commit that the remote had for the branch when it was fetched last."""
        return self.repo.git.run(["rev-parse", "--verify", self.tracking]).decode().strip()

    def has(self, old: str, new: str) -> bool:
        """Return whether the first commit is the second, or an ancestor of it."""
        return is_ancestor(self.repo, old, new)

    def why_not_free(self) -> str | None:
        """Return why nobody else may work in the working tree now, or None."""
        here = self.repo.git.line(["symbolic-ref", "-q", "HEAD"])
        where = display_path(str(self.repo.root))
        if here != f"refs/heads/{self.name}":
            return f"{where} is not on {self.name} any more"
        if (doing := self.repo.in_progress()) is not None:
            return f"a {doing} is under way in {where}"
        if (why := self.why_locked()) is not None:
            return why
        if dirty := self.dirty():
            return f"somebody works in {where}: {uncommitted(dirty)}"
        return None

    def why_locked(self) -> str | None:
        """Return that somebody has locked the index, or None; a lock that a killed git of ours left is removed."""
        if self._lock.is_free():
            return None
        return f"git is at work in {display_path(str(self.repo.root))} (index.lock)"

    def dirty(self) -> list[str]:
        """Return the paths with uncommitted changes, untracked files included.

        Raises:
            GitError: If git cannot tell.
        """
        output = self.repo.git.run(["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames",
                                  "--ignore-submodules=none"])  # fmt: skip
        return [path_from_bytes(entry[3:]) for entry in output.split(b"\0") if entry]

    def ahead(self) -> list[str]:
        """Return the commits here that the remote's branch does not have, as far as it was fetched, newest first."""
        output = self.repo.git.run(["rev-list", "HEAD", "--not", self.tracking, "--"])
        return output.decode("ascii", "replace").split()

    def catch_up(self) -> None:
        """Bring a clean working tree to where the remote's branch is, where it is behind.

        A branch that the remote rewrote is taken over where nothing here is lost: everything that is here was there.

        Raises:
            CycleError: If both sides have commits of their own.
            NotFreeError: If that would change what git takes for hooks here.
        """
        here, there = self.head(), self.repo.git.line(["rev-parse", "--verify", "-q", self.tracking])
        if there is None or here == there or (self.has(there, here) and not self.was_there(here)):
            return
        demand_seen_hooks(self.repo, here, there)
        if self.has(here, there):
            done = self._write(["merge", "--ff-only", "--no-squash", "--no-autostash", "--quiet", there])
        elif self.was_there(here):
            # Clean, and every commit was on the remote once: whoever rewrote it there meant it.
            done = self._write(["reset", "--keep", "--quiet", there])
        else:
            raise CycleError(
                f"{self.name} here and on {self.remote} have diverged",
                hint=f"merge or rebase it by hand: git -C {display_path(str(self.repo.root))} status",
            )
        if done.returncode != 0:
            raise refusal(f"{self.name} cannot be brought up to date", done.stderr, hint=first_line(done.stderr))

    def was_there(self, commit: str) -> bool:
        """Return whether the remote's branch was at a commit, or beyond it, as far as fetches here have seen."""
        seen = self.repo.git.line(["log", "-g", "--format=%H", self.tracking, "--"]) or ""
        return any(self.has(commit, sha) for sha in dict.fromkeys(seen.split()))

    def commit(self, text: str, paths: Sequence[str], *, hooks: bool) -> Committed:
        """Commit the changes that were put into the working tree, with the person's own hooks, name and signature.

        Args:
            text: The message.
            paths: What to commit; nothing else is, though it may be staged.
            hooks: Whether the repository's hooks run.

        Raises:
            CycleError: If a hook refuses it, or nothing changed, or the commit holds something else.
        """
        options = ["-c", f"core.hooksPath={hooks_path(self.repo)}"] if hooks else []
        names = b"\0".join(os.fsencode(path) for path in paths) + b"\0"
        head, listed = self.head(), ["--pathspec-from-file=-", "--pathspec-file-nul"]
        given = ""
        for _ in range(2):
            added = self._write(["add", "--all", *listed], stdin=names)
            if added.returncode != 0:
                raise refusal("git add failed", added.stderr, hint=first_line(added.stderr))
            given = given or self._write(["write-tree"]).stdout.decode().strip()
            before = self.dirty()
            verbatim = [*options, "commit", "--quiet", "--cleanup=verbatim", *([] if hooks else ["--no-verify"])]
            with (
                tempfile.TemporaryDirectory() as folder
            ):  # git opens it, which no open temporary file allows everywhere
                message = Path(folder) / "message.txt"
                message.write_bytes(text.encode("utf-8", "replace"))
                argv = [*verbatim, "-F", str(message), "--only", *listed]
                done = self._write(argv, stdin=names, git=self._committing)
            if done.returncode == 0:
                commit = self._only(head, paths)
                # --only leaves in the index what was there before hooks ran; nobody else had staged anything.
                self.unstage(paths)
                return Committed(commit, self._tree(commit) == given)
            if sorted(self.dirty()) != sorted(before) or not self._reformatted():
                break  # it is no formatter that only wants its result added
        output = last_lines(done.stdout, done.stderr) or f"git commit ended with {done.returncode}"
        # What a hook prints stays on this machine: a message may be shown to others.
        why = "the commit was refused, by git or by a hook of the repository"
        error = refusal(why, done.stdout, done.stderr, hint=output)
        if not isinstance(error, NotFreeError):  # that is tried again by itself
            error.hint = way_out(output)
        raise error

    def _only(self, head: str, paths: Sequence[str]) -> str:
        """Return the commit that was just made, if it holds nothing else.

        Raises:
            CycleError: If a hook put more into it, or left nothing, or somebody else committed at the same moment.
        """
        commit = self.head()
        parents = self.repo.git.run(["rev-list", "--parents", "--max-count=1", commit]).decode().split()[1:]
        changed = set(self.changed_in(commit))
        if parents == [head] and changed and changed <= set(paths):
            return commit
        if parents == [head]:
            self.uncommit(head)
            if not changed:
                raise CycleError("a hook of the repository takes the whole fix back as it is committed")
            names = ", ".join(display_path(path) for path in sorted(changed - set(paths))[:3])
            raise CycleError(f"a hook of the repository adds {names} to the commit of the fix, so it is not pushed")
        raise CycleError("the commit holds more than the fix, so it is not pushed")

    def _tree(self, commit: str) -> str:
        return self.repo.git.run(["rev-parse", "--verify", f"{commit}^{{tree}}"]).decode().strip()

    def _reformatted(self) -> bool:
        """Return whether a staged file was edited since: by a hook that formats."""
        return self.repo.git.call(["diff", "--quiet"]).returncode != 0

    def push(self, commit: str, seen: str | None, *, hooks: bool) -> remotes.Pushed:
        """Push one commit to the remote's branch, as a fast-forward.

        Args:
            commit: What to push.
            seen: What the branch has to be at there; None: it has to be new.
            hooks: Whether the repository's ``pre-push`` hook runs.

        Raises:
            CycleError: If the hook cannot be run.
        """
        what = remotes.Push(self.remote, f"refs/heads/{self.name}", commit, seen)
        return remotes.push(self.repo, self._git, what, hooks=hooks)

    def changed_in(self, commit: str) -> list[str]:
        """Return the paths that a commit changes."""
        output = self.repo.git.run(["diff-tree", "-r", "-z", "--name-only", "--no-commit-id", commit])
        return [path_from_bytes(name) for name in output.split(b"\0")[:-1]]

    def same(self, one: str, other: str, paths: Sequence[str]) -> bool:
        """Return whether files are the same in two commits."""
        return self.repo.git.call(["diff", "--quiet", "--no-ext-diff", one, other, "--", *paths]).returncode == 0

    def uncommit(self, head: str) -> None:
        """Go back to a commit before one of ours, and leave the working tree as it is."""
        with self._lock.writing():
            self.repo.git.run(["reset", "--soft", "--quiet", head])

    def _write(
        self, args: Sequence[str], *, stdin: bytes | None = None, literal: bool = True, git: Git | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a git command that writes the index, so that its lock is recognised if it is killed."""
        with self._lock.writing():
            return (git or self.repo.git).call(args, stdin=stdin, literal=literal)

    def unstage(self, paths: Sequence[str]) -> None:
        """Reset the index to the commit for some paths; the working tree stays."""
        names = b"\0".join(os.fsencode(path) for path in paths) + b"\0"
        self._write(["reset", "--quiet", "--pathspec-from-file=-", "--pathspec-file-nul", "HEAD"], stdin=names)

    def drop(self, there: str) -> None:
        """Discard our commits that are not pushed, and check out the remote's state; the working tree is clean."""
        with self._lock.writing():
            self.repo.git.run(["reset", "--keep", "--quiet", there])

    def track(self) -> None:
        """Make the remote's branch the upstream of the one here, where it has none."""
        if self.repo.git.line(["config", "--get", f"branch.{self.name}.merge"]) is None:
            self.repo.git.call(["branch", "--quiet", f"--set-upstream-to={self.remote}/{self.name}", self.name])

    def parent(self, commit: str) -> str:
        """Return the first parent of a commit, or an empty text where it has none."""
        return self.repo.git.line(["rev-parse", "--verify", "-q", f"{commit}^"]) or ""

    def rebase(self, commit: str) -> None:
        """Rebase one commit, the last one here, onto the remote's branch.

        Raises:
            CycleError: If that conflicts; then all is as it was.
            NotFreeError: If that would change what git takes for hooks here.
        """
        demand_seen_hooks(self.repo, self.parent(commit), self.seen())
        only = ["--quiet", "--no-autostash", "--onto", self.tracking, f"{commit}^"]
        # Nothing but this branch: not other branches that are at the commit, and no other commits.
        plain = ["-c", "rebase.updateRefs=false", "-c", "rebase.autoSquash=false", "-c", "rebase.forkPoint=false"]
        why = f"somebody pushed to {self.name} meanwhile, and the fix does not fit there"
        try:
            done = self._write([*plain, "rebase", *only], literal=False, git=self._committing)
            if done.returncode != 0:
                raise refusal(why, done.stdout, done.stderr)
        except (CycleError, GitError):  # it may have taken too long
            self._write(["rebase", "--abort"], literal=False)
            raise


def commits_of(repo: Repo, remote: str, path: str, request: ChangeRequest) -> list[FixCommit]:
    """Return the pushed commits that answer feedback on a pull request, oldest first; none for another repository's."""
    if not request.same_repository:
        return []
    branch = Branch(repo, remote, request.head, os.environ)
    try:
        branch.fetch(request.base)
    except (CycleError, GitError):  # the branch may be gone: then there is nothing on it
        return []
    base = f"refs/remotes/{remote}/{request.base}"
    return fix_commits(repo.git, f"{path}#{request.number}", branch.tracking, base)
