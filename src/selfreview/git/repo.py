"""Find the repository of a folder, and its working trees."""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from selfreview.errors import GitError
from selfreview.git.run import Git, first_line, git_environment
from selfreview.model.change import path_from_bytes


@dataclasses.dataclass(frozen=True)
class Repo:
    """A repository, mostly with a working tree.

    Attributes:
        git: Git, running at the top level.
        root: Top level of this working tree; of a bare repository, its git directory.
        git_dir: Git directory of this working tree (of a linked worktree: its own).
        common_dir: Git directory that all worktrees share; the store lives here.
        objects: Folder of its objects.
        prefix: Path of the folder asked from, below the root, ``""`` or ending in ``/``.
        object_format: ``"sha1"`` or ``"sha256"``.
    """

    git: Git
    root: Path
    git_dir: Path
    common_dir: Path
    objects: Path
    prefix: str
    object_format: str

    @property
    def index_file(self) -> Path:
        """The index that is being read: ``GIT_INDEX_FILE`` where a commit in progress set it."""
        return Path(self.git.environ.get("GIT_INDEX_FILE", self.git_dir / "index"))

    def empty_tree(self) -> str:
        """Return the id of the empty tree."""
        return hashlib.new(self.object_format, b"tree 0\0", usedforsecurity=False).hexdigest()

    def in_progress(self) -> str | None:
        """Return what is under way (``"merge"``, ``"rebase"``, ``"cherry-pick"``, ``"revert"``), or None."""
        marks = {
            "MERGE_HEAD": "merge",
            "rebase-merge": "rebase",
            "rebase-apply": "rebase",
            "CHERRY_PICK_HEAD": "cherry-pick",
            "REVERT_HEAD": "revert",
        }
        return next((what for name, what in marks.items() if (self.git_dir / name).exists()), None)


_QUESTIONS = (
    "--is-bare-repository",
    "--is-inside-work-tree",
    "--show-object-format",
    "--show-prefix",
    "--absolute-git-dir",
    "--git-common-dir",
    "--git-path objects",
    "--show-toplevel",
)


def discover(cwd: Path, environ: Mapping[str, str]) -> Repo:
    """Find the repository that ``cwd`` is in.

    Raises:
        GitError: If there is none, it has no working tree, or git refuses it.
    """
    git = Git(cwd, git_environment(environ))
    done = git.call(["rev-parse", *" ".join(_QUESTIONS).split(" ")])
    answers = done.stdout.decode("utf-8", "surrogateescape").split("\n")[:-1]
    if done.returncode != 0:
        raise _no_repository(answers, done.stderr, cwd)
    if len(answers) != len(_QUESTIONS):  # a folder's name holds a line feed: ask one by one
        answers = [git.run(["rev-parse", *q.split(" ")]).decode("utf-8", "surrogateescape")[:-1] for q in _QUESTIONS]
    _, inside, object_format, prefix, git_dir, common_dir, objects, toplevel = answers
    if inside != "true":
        raise GitError("this folder is inside a git directory, not in a working tree", hint="go to the working tree")
    root = Path(toplevel)
    env = dict(git.environ)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"):
        if name in env:  # relative to where we were called; git runs at the top level from here on
            env[name] = os.path.join(cwd, env[name])  # noqa: PTH118 - keeps an absolute second part
    if "GIT_DIR" in env:
        env["GIT_DIR"], env["GIT_WORK_TREE"] = git_dir, toplevel
    if "GIT_INDEX_FILE" in env:  # git resolves it against the top level
        env["GIT_INDEX_FILE"] = os.path.join(root, env["GIT_INDEX_FILE"])  # noqa: PTH118
    return Repo(
        git=Git(root, env),
        root=root,
        git_dir=Path(git_dir),
        common_dir=Path(os.path.normpath(os.path.join(cwd, common_dir))),  # noqa: PTH118 - symlinks stay as they are
        objects=Path(cwd, objects).resolve(),
        prefix=prefix,
        object_format=object_format,
    )


def discover_bare(cwd: Path, environ: Mapping[str, str]) -> Repo | None:
    """Return the bare repository that ``GIT_DIR`` names, or that ``cwd`` is the top of; None where it is none.

    A folder with the files of a bare repository can be a change's, whose settings would then count: in a working tree
    it has to be named, and everywhere where the person's own ``safe.bareRepository`` says so.

    Raises:
        GitError: If it has to be named and is not, or git refuses it.
    """
    git = Git(cwd, git_environment(environ))
    if "GIT_DIR" not in git.environ:
        if not all((cwd / name).exists() for name in ("HEAD", "objects", "refs")):
            return None
        here = cwd.resolve()
        tree = next((folder for folder in here.parents if os.path.lexists(folder / ".git")), None)
        if tree is not None and here.is_relative_to(tree / ".git"):
            return None  # which no change can bring along
        if tree is not None:
            raise GitError(
                f"this folder is a bare repository inside of the working tree {tree}, which the change under review "
                "may have put there",
                hint="if it is yours, name it: GIT_DIR=. selfreview gate …",
            )
        if _wants_names(git):
            raise GitError(
                "this folder is a bare repository, which by your safe.bareRepository has to be named",
                hint="GIT_DIR=. selfreview gate …",
            )
    questions = (
        "--is-bare-repository",
        "--show-object-format",
        "--absolute-git-dir",
        "--git-common-dir",
        "--git-path objects",
    )
    done = git.call(["-c", "safe.bareRepository=all", "rev-parse", *" ".join(questions).split(" ")])
    answers = done.stdout.decode("utf-8", "surrogateescape").split("\n")[:-1]
    if len(answers) == len(questions) and answers[0] != "true":
        return None
    if done.returncode != 0:
        raise _no_repository([], done.stderr, cwd)
    if len(answers) != len(questions):  # as above
        run = ("-c", "safe.bareRepository=all", "rev-parse")
        answers = [git.run([*run, *q.split(" ")]).decode("utf-8", "surrogateescape")[:-1] for q in questions]
    folder = Path(answers[2])
    if "GIT_DIR" not in git.environ and not folder.samefile(cwd):
        return None
    return Repo(
        git=Git(folder, {**git.environ, "GIT_DIR": answers[2]}),
        root=folder,
        git_dir=folder,
        common_dir=Path(os.path.normpath(os.path.join(cwd, answers[3]))),  # noqa: PTH118 - as above
        objects=Path(cwd, answers[4]).resolve(),
        prefix="",
        object_format=answers[1],
    )


def _wants_names(git: Git) -> bool:
    """Return whether the person's or the machine's settings let git use no bare repository that nobody named."""
    asked = git.call(["config", "--show-scope", "--get-all", "safe.bareRepository"])
    lines = asked.stdout.decode("utf-8", "replace").splitlines()
    values = [line.split("\t", 1)[1] for line in lines if line.startswith(("system\t", "global\t"))]
    return values[-1:] == ["explicit"]


def _no_repository(answers: list[str], stderr: bytes, cwd: Path) -> GitError:
    if answers and answers[0] == "true":
        hint = "use a clone with a working tree; gate needs none: GIT_DIR=.git selfreview gate …"
        return GitError("a bare repository has no working tree to review", hint=hint)
    if len(answers) > 1 and answers[1] == "false":
        return GitError("this folder is inside a git directory, not in a working tree", hint="go to the working tree")
    reason = first_line(stderr)
    if "safe.bareRepository" in reason:
        hint = "go to the top of the working tree; GIT_DIR names a git directory that is not called .git"
        return GitError("this folder is a bare repository or inside a git directory, not in a working tree", hint=hint)
    if "dubious ownership" in reason:
        hint = f"git config --global --add safe.directory {cwd}"
        return GitError("git refuses this repository: it belongs to somebody else", hint=hint)
    if "not a git repository" in reason:
        hint = "go to a repository, or review a patch with --diff FILE"
        return GitError("this folder is not in a git repository", hint=hint)
    return GitError(f"git cannot read this repository: {reason}")


class Tree(NamedTuple):
    """A working tree.

    Attributes:
        path: Where it is.
        branch: The full ref that is checked out, or None.
        gone: Whether git says that its folder is not there any more.
    """

    path: Path
    branch: str | None
    gone: bool


def working_trees(git: Git) -> list[Tree]:
    """Return the working trees of a repository, the main one first.

    Raises:
        GitError: If git cannot list them.
    """
    done = git.call(["worktree", "list", "--porcelain", "-z"])
    end = b"\0"
    if done.returncode != 0:  # before git 2.36 there is no -z
        done, end = git.call(["worktree", "list", "--porcelain"]), b"\n"
    if done.returncode != 0:
        raise GitError(f"git worktree failed: {first_line(done.stderr) or done.returncode}")
    found = []
    for record in done.stdout.split(end + end):
        fields = dict(_field(line) for line in record.split(end) if line)
        if "worktree" in fields:
            path = Path(fields["worktree"])
            found.append(Tree(path, fields.get("branch"), "prunable" in fields or not path.is_dir()))
    return found


def _field(line: bytes) -> tuple[str, str]:
    name, _, value = line.partition(b" ")
    return name.decode("ascii", "replace"), path_from_bytes(value)
