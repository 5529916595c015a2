"""A scratch repository that holds exactly what is under review, to be edited, checked and reviewed again.

It is a repository of its own and no linked worktree: it borrows the person's objects and knows their branches and tags,
but has its own index, references, hooks and configuration. So nothing that runs in it, a coding agent among them, can
reach the person's index, stash, hooks or credentials through git, and killing it leaves nothing in their repository.

It has two git directories. The one that we use lies beside it, named by the environment: nothing that is written in the
workspace decides what our git reads, ignores, runs or writes to. The one at ``.git`` is a view for what runs there, is
made anew before each of them, and counts for nothing.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from selfreview.errors import GitError
from selfreview.git import rawdiff
from selfreview.git.collect import Collected
from selfreview.git.entry import LINK, Entry, read_file, write_file
from selfreview.git.rawdiff import DIFF_OPTIONS
from selfreview.git.repo import Repo, discover
from selfreview.git.run import KEPT_VARIABLES, Git
from selfreview.git.safeopen import native
from selfreview.model.change import LineRange, path_bytes, path_from_bytes

_COPIED = (
    r"^(core\.(attributesfile|autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode|protecthfs|protectntfs|longpaths)"
    r"|user\.(name|email)|filter\..*\.(clean|smudge|process|required))$"
)
"""Settings that say how files are written, and by whom; remotes, credential helpers and aliases stay behind."""

_SETTINGS = {
    "core.hooksPath": os.devnull,
    "gc.auto": "0",
    "maintenance.auto": "false",
    "checkout.workers": "0",
    "advice.detachedHead": "false",
    "advice.addEmbeddedRepo": "false",
    "commit.gpgSign": "false",
}
_LARGEST_NEW = 64 * 1024 * 1024
"""Bytes."""


class Workspace:
    """A scratch repository; see :func:`make_workspace`.

    Attributes:
        repo: It, as any other repository.
        root: Its top level.
        start: Id of the tree that it began with.
    """

    def __init__(self, repo: Repo, brought: Mapping[str, Entry | None], view: View) -> None:
        self.repo = repo
        self._view = view
        self.root = repo.root
        self.start = self.tree()
        # What was copied byte by byte, and not checked out: git might write its line ends in another way.
        self._brought = dict(brought)

    def refresh_view(self) -> None:
        """Make the ``.git`` of what runs here anew, whatever became of it.

        Raises:
            GitError: If that cannot be done.
        """
        self._view.make(self.repo)

    def ignored(self) -> set[str]:
        """Return the paths of the files that git ignores here."""
        out = self.repo.git.run(["ls-files", "-z", "--others", "--ignored", "--exclude-standard"])
        return {path_from_bytes(name) for name in out.split(b"\0")[:-1]}

    def tree(self) -> str:
        """Return the id of the tree that is in it now; files that are ignored do not count.

        Raises:
            GitError: If git cannot read it.
        """
        self.repo.git.run(["add", "--all", "--", "."])
        return self.repo.git.run(["write-tree"]).decode().strip()

    def changed(self, old: str, new: str) -> list[str]:
        """Return the paths that differ between two trees, both names of what was renamed."""
        out = self.repo.git.run(["diff-tree", "-r", "-z", "--name-only", "--no-renames", old, new])
        return [path_from_bytes(name) for name in out.split(b"\0")[:-1]]

    def diff(self, old: str, new: str) -> bytes:
        """Return what changed between two trees, as a patch that ``git apply`` takes."""
        options = ["--binary", "--full-index", "--find-renames", "--no-ext-diff", "--no-textconv", "--no-color"]
        return self.repo.git.run(["diff-tree", "-r", "-p", *options, "--src-prefix=a/", "--dst-prefix=b/", old, new])

    def size(self, old: str, new: str) -> tuple[int, int]:
        """Return how many lines were added and removed between two trees; binary files count as none."""
        out = self.repo.git.run(["diff-tree", "-r", "-z", "--numstat", "--no-renames", old, new])
        counts = [item.split(b"\t")[:2] for item in out.split(b"\0")[:-1]]
        pairs = [(int(added), int(removed)) for added, removed in counts if added != b"-"]
        return sum(added for added, _ in pairs), sum(removed for _, removed in pairs)

    def lines_written(self, old: str, new: str) -> dict[str, tuple[LineRange, ...]]:
        """Return by path the lines of the newer of two trees that the older one lacks."""
        return {f.path: f.added for f in rawdiff.parse(self.repo.git.run(["diff", *DIFF_OPTIONS, old, new])).files}

    def read(self, path: str) -> Entry | None:
        """Return what is at a path now."""
        return read_file(self.root, path)

    def at(self, tree: str, path: str) -> Entry | None:
        """Return what was at a path in a tree, as git writes it; of the first tree, exactly what was there."""
        if tree == self.start and path in self._brought:
            return self._brought[path]
        line = self.repo.git.run(["ls-tree", "-z", tree, "--", path_bytes(path)])
        if not line:
            return None
        mode, kind, oid = line.partition(b"\t")[0].decode().split(" ")
        if kind != "blob":
            return None
        raw = [b"--path=" + path_bytes(path), b"--filters"] if mode != LINK else [b"blob"]
        return Entry(mode, self.repo.git.run([b"cat-file", *raw, oid.encode()]))

    def restore(self, files: Mapping[str, Entry | None], tree: str) -> None:
        """Take files back to what they were.

        Args:
            files: Each with what it was.
            tree: The tree that this makes.

        Raises:
            GitError: If it is not that tree afterwards.
        """
        try:
            for path in files:
                make_room(self.root, path)
            self.write(files)
        except OSError as error:
            raise GitError(f"the workspace could not be taken back: {error}") from error
        if self.tree() != tree:
            raise GitError("the workspace could not be taken back to what it was before a fixer")

    def write(self, files: Mapping[str, Entry | None]) -> None:
        """Put files into it; None removes one."""
        for path in sorted(files, key=lambda path: files[path] is not None):  # a folder may become a file
            write_file(self.root, path, files[path])


def make_workspace(repo: Repo, collected: Collected, root: Path) -> Workspace:
    """Make a workspace in an empty folder.

    Args:
        repo: The person's repository; it is only read.
        collected: What is under review.
        root: An empty folder, best on the same disk.

    Raises:
        GitError: If git cannot, or a file of the change cannot be read.
    """
    resolved = collected.resolved
    commit = resolved.new or resolved.scope.head
    view = View(repo, root, commit)
    git = _initialise(repo, root, view)
    if commit is not None:
        git.run(["read-tree", "--reset", "-u", commit])
    brought: Mapping[str, Entry | None] = {}
    try:
        if resolved.cached:
            _bring_index(repo, collected, root, commit)
        elif resolved.new is None:
            brought = _bring_worktree(repo, collected, root, commit)
    except OSError as error:
        raise GitError(f"the change cannot be copied: {error}") from error
    made = Workspace(discover(root, git.environ), brought, view)
    made.refresh_view()
    return made


class View:
    """What a git directory of a workspace is filled with.

    Args:
        repo: The person's repository.
        root: Top level of the workspace.
        commit: What is checked out, or None.
    """

    def __init__(self, repo: Repo, root: Path, commit: str | None) -> None:
        self._root = root
        self._commit = commit
        self._format = repo.object_format
        self._environ = _environment(repo)
        self._objects = _object_folders(repo)
        self._refs = repo.git.run(
            ["for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/tags", "refs/remotes",
             "refs/replace"]
        )  # fmt: skip
        names = ("shallow", "info/exclude", "info/attributes")
        self._files = {n: (repo.common_dir / n).read_bytes() for n in names if (repo.common_dir / n).is_file()}
        self._settings = _configuration(repo)

    def fill(self, git: Git, folder: Path, more: Iterable[bytes] = ()) -> None:
        """Make a git directory that borrows the person's objects."""
        git.run(["init", "--quiet", "--template=", f"--object-format={self._format}", "."])
        lines = b"".join(path + b"\n" for path in (*self._objects, *more))
        _write(folder / "objects" / "info" / "alternates", lines)
        _write(folder / "packed-refs", self._refs)
        for name, data in self._files.items():
            _write(folder / name, data)
        with (folder / "config").open("ab") as stream:
            stream.write(self._settings)
        if self._commit is not None:
            _write(folder / "HEAD", self._commit.encode() + b"\n")

    def make(self, ours: Repo) -> None:
        """Make ``.git`` of the workspace anew, with the index that we have.

        Raises:
            GitError: If that cannot be done.
        """
        folder = self._root / ".git"
        try:
            if folder.is_symlink() or folder.is_file():
                folder.unlink()
            elif folder.exists() and not remove_workspace(folder):
                raise GitError(f"{folder} cannot be removed")
            self.fill(Git(self._root, self._environ), folder, [_quoted(os.fsencode(ours.git_dir / "objects"))])
            if ours.index_file.is_file():
                shutil.copyfile(ours.index_file, folder / "index")
        except OSError as error:
            raise GitError(f"the workspace's .git cannot be made: {error}") from error


def _environment(repo: Repo) -> dict[str, str]:
    """Return git's environment without what names the person's places."""
    environ = {name: value for name, value in repo.git.environ.items() if name not in KEPT_VARIABLES}
    if "GIT_EXEC_PATH" in repo.git.environ:
        environ["GIT_EXEC_PATH"] = repo.git.environ["GIT_EXEC_PATH"]
    environ["GIT_LFS_SKIP_SMUDGE"] = "1"  # a pointer is enough; nothing is downloaded
    return environ


def _initialise(repo: Repo, root: Path, view: View) -> Git:
    """Make the git directory that we use, beside the workspace."""
    folder = root.with_name(f"{root.name}.git")
    git = Git(root, {**_environment(repo), "GIT_DIR": str(folder), "GIT_WORK_TREE": str(root)})
    view.fill(git, folder)
    return git


def _object_folders(repo: Repo) -> list[bytes]:
    """Return the person's object folders, in the form that ``info/alternates`` has."""
    own = repo.git.line(["rev-parse", "--path-format=absolute", "--git-path", "objects"])
    others = repo.git.environ.get("GIT_ALTERNATE_OBJECT_DIRECTORIES", "").split(os.pathsep)
    folders = [os.path.abspath(os.path.join(repo.root, name)) for name in (own, *others) if name]  # noqa: PTH100, PTH118
    return [_quoted(os.fsencode(name)) for name in folders]


def _quoted(name: bytes) -> bytes:
    """Quote a path that git would read otherwise: one that begins with a quote or a hash sign, or holds a line feed."""
    if name[:1] not in (b'"', b"#") and b"\n" not in name:
        return name
    return b'"' + b"".join(b"\\%03o" % byte for byte in name) + b'"'


def _configuration(repo: Repo) -> bytes:
    """Return the settings of the workspace: the person's where they decide what files look like, and our own."""
    found = repo.git.call(["config", "--null", "--get-regexp", _COPIED]).stdout
    settings = [item.partition(b"\n")[::2] for item in found.split(b"\0")[:-1]]
    settings += [(name.encode(), value.encode()) for name, value in _SETTINGS.items()]
    lines = []
    for name, value in settings:
        section, _, key = name.rpartition(b".")
        head, _, sub = section.partition(b".")
        title = b"[%s]" % head if not sub else b'[%s "%s"]' % (head, sub.replace(b"\\", b"\\\\").replace(b'"', b'\\"'))
        text = value.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
        lines.append(b'%s\n\t%s = "%s"\n' % (title, key, text))
    return b"".join(lines)


def _bring_index(repo: Repo, collected: Collected, root: Path, commit: str | None) -> None:
    """Copy what the index holds beyond the commit."""
    against = commit or repo.empty_tree()
    raw = collected.git.run(["diff-index", "--cached", "-z", "--name-status", "--no-renames", against]).split(b"\0")
    pairs = list(zip(raw[::2], raw[1::2], strict=False))
    for status, name in pairs:
        if status == b"D":
            write_file(root, path_from_bytes(name), None)
    names = b"".join(name + b"\0" for status, name in pairs if status != b"D")
    prefix = os.fsencode(root) + b"/"
    collected.git.run([b"checkout-index", b"--force", b"-z", b"--stdin", b"--prefix=" + prefix], stdin=names)


def _bring_worktree(repo: Repo, collected: Collected, root: Path, commit: str | None) -> Mapping[str, Entry | None]:
    """Copy the files that differ from the commit, and those of the change, byte by byte; return them."""
    against = commit or repo.empty_tree()
    options = ["-z", "--name-status", "--no-renames", "--ignore-submodules=all"]
    raw = collected.git.run(["diff", *options, against, "--"]).split(b"\0")
    states = {path_from_bytes(name): state for state, name in zip(raw[::2], raw[1::2], strict=False)}
    changed = (path for file in collected.change.files for path in (file.path, file.path_at_base))
    apart = {file.path for file in collected.change.files if file.is_submodule or file.new_mode == "160000"}
    entries: dict[str, Entry | None] = {}
    for path in sorted({*states, *changed} - apart, key=path_bytes):
        if states.get(path) != b"A" or not _is_large(repo.root, path):
            entries[path] = read_file(repo.root, path)
    for path in sorted(entries, key=lambda path: entries[path] is not None):  # a folder may have become a file
        write_file(root, path, entries[path])
    return entries


def _is_large(root: Path, path: str) -> bool:
    """Whether a new file is so large that it is no part of a review; it is left behind."""
    try:
        return native(root, path).lstat().st_size > _LARGEST_NEW
    except (FileNotFoundError, NotADirectoryError):
        return False


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def share(source: Path, root: Path, names: Iterable[str]) -> list[str]:
    """Make ignored folders of the person's tree usable in a workspace, as folders of links.

    A folder of links, not one link: a rule of ``.gitignore`` that ends in ``/`` ignores folders only.

    Args:
        source: The person's top level.
        root: The workspace's.
        names: Paths below it.

    Returns:
        Those that are not there.
    """
    missing = []
    for name in names:
        there, here = source / name, root / name
        if not there.is_dir():
            missing.append(name)
            continue
        if here.exists():
            continue
        here.mkdir(parents=True)
        for item in there.iterdir():
            (here / item.name).symlink_to(item, target_is_directory=item.is_dir())
    return missing


def make_room(root: Path, path: str) -> None:
    """Remove what stands in the way of a file: a folder in its place, a link or a file in place of one above it."""
    target = native(root, path)
    for above in reversed([folder for folder in target.parents if root in folder.parents]):
        if above.is_symlink() or above.is_file():
            above.unlink()
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)


def remove_workspace(folder: Path) -> bool:
    """Remove a workspace, also where something in it was made read-only; return whether it is gone."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        for place, folders, _ in os.walk(folder):
            for name in folders:
                path = Path(place, name)
                if not path.is_symlink():
                    path.chmod(0o700)
        shutil.rmtree(folder, ignore_errors=True)
    return not folder.exists()
