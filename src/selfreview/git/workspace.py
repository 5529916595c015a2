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
from typing import NamedTuple

from selfreview.errors import GitError
from selfreview.git import parse_diff
from selfreview.git.parse_diff import DIFF_OPTIONS
from selfreview.git.removal import remove_folder, remove_special
from selfreview.git.repo import Repo
from selfreview.git.run import KEPT_VARIABLES, Git
from selfreview.git.worktree_files import LINK, Entry, look_at, make_room, read_file, write_file
from selfreview.model.change import LineRange, path_bytes, path_from_bytes
from selfreview.model.wire import display_path

_LFS = b"version https://git-lfs.github.com/spec/"


class Blob(NamedTuple):
    """A file whose exact bytes are among git's objects.

    Attributes:
        mode: As git writes it.
        oid: The object.
    """

    mode: str
    oid: str


class Workspace:
    """A scratch repository; see :func:`~selfreview.git.make_workspace.make_workspace`.

    Attributes:
        repo: It, as any other repository.
        root: Its top level.
        start: Id of the tree that it began with.
        shared: Folders of the person's tree that links in it lead to, by name.
    """

    def __init__(self, repo: Repo, brought: Mapping[str, Entry | Blob | None], view: View) -> None:
        self.repo = repo
        self._view = view
        self.root = repo.root
        self.shared: Mapping[str, Path] = {}
        self.start = self.tree()
        # What was copied byte by byte, and not checked out: git might write its line ends in another way.
        self._brought = dict(brought)
        self._taken: dict[tuple[str, str], Entry] = {}

    def refresh_view(self) -> None:
        """Recreate the ``.git`` of programs that run here, in whatever state it is.

        Raises:
            GitError: If that cannot be done.
        """
        self._view.make(self.repo)

    def unblock(self) -> list[str]:
        """Remove files that would block git or make it fail; return special files and folders too deep down.

        To be called after something else ran here, before git is asked.

        Raises:
            GitError: If it cannot be removed.
        """
        try:
            # Nobody but us has business with this index, and our git is not running now.
            self.repo.index_file.with_name("index.lock").unlink(missing_ok=True)
            return remove_special(self.root)
        except OSError as error:
            raise GitError(f"the workspace cannot be read: {error}") from error

    def are_ignored(self, paths: Iterable[str]) -> set[str]:
        """Return which of some paths git ignores, be they there or not."""
        names = b"".join(path_bytes(path) + b"\0" for path in paths)
        if not names:
            return set()
        out = self.repo.git.call(["check-ignore", "-z", "--stdin"], stdin=names, literal=False).stdout
        return {path_from_bytes(name) for name in out.split(b"\0")[:-1]}

    def ignored(self) -> set[str]:
        """Return the paths of the files that git ignores here; a repository in an ignored folder is one, with ``/``."""
        out = self.repo.git.run(["ls-files", "-z", "--others", "--ignored", "--exclude-standard"])
        return {path_from_bytes(name) for name in out.split(b"\0")[:-1]}

    def ignored_folders(self) -> list[str]:
        """Return the folders, with ``/``, in which git ignores everything there is."""
        command = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"]
        names = map(path_from_bytes, self.repo.git.run(command).split(b"\0")[:-1])
        return [name for name in names if name.endswith("/")]

    def forget(self, paths: Iterable[str]) -> None:
        """Remove files that git ignores, as :meth:`ignored` names them.

        Raises:
            GitError: If one cannot be removed.
        """
        try:
            for path in paths:
                name = path.rstrip("/")
                make_room(self.root, name)
                self.write({name: None})
        except OSError as error:
            raise GitError(f"what git ignores in the workspace cannot be removed: {error}") from error

    def tree(self) -> str:
        """Return the id of the current tree; files that are ignored do not count.

        Raises:
            GitError: If git cannot read it.
        """
        self.repo.git.run(["add", "--all", "--", "."])
        return self.repo.git.run(["write-tree"]).decode().strip()

    def edited(self) -> list[str]:
        """Return the paths of files that are new, or edited since :meth:`tree` was asked for; ignored ones are not.

        Nor is a repository that was made in it: git names its folder, with ``/``, and looks at no file of it.
        """
        out = self.repo.git.run(["ls-files", "-z", "--modified", "--others", "--exclude-standard"])
        return [path for path in dict.fromkeys(map(path_from_bytes, out.split(b"\0")[:-1])) if not path.endswith("/")]

    def changed(self, old: str, new: str) -> list[str]:
        """Return the paths that differ between two trees, both names of a renamed file."""
        if old == new:
            return []
        out = self.repo.git.run(["diff-tree", "-r", "-z", "--name-only", "--no-renames", old, new], fixed=True)
        return [path_from_bytes(name) for name in out.split(b"\0")[:-1]]

    def diff(self, old: str, new: str) -> bytes:
        """Return the difference of two trees, as a patch that ``git apply`` takes."""
        options = ["--binary", "--full-index", "--find-renames", "--no-ext-diff", "--no-textconv", "--no-color"]
        return self.repo.git.run(["diff-tree", "-r", "-p", *options, "--src-prefix=a/", "--dst-prefix=b/", old, new])

    def size(self, old: str, new: str) -> tuple[int, int]:
        """Return the numbers of lines added and removed between two trees; binary files count as none."""
        out = self.repo.git.run(["diff-tree", "-r", "-z", "--numstat", "--no-renames", old, new])
        counts = [item.split(b"\t")[:2] for item in out.split(b"\0")[:-1]]
        pairs = [(int(added), int(removed)) for added, removed in counts if added != b"-"]
        return sum(added for added, _ in pairs), sum(removed for _, removed in pairs)

    def lines_written(self, old: str, new: str) -> dict[str, tuple[LineRange, ...]]:
        """Return by path the lines of the newer of two trees that the older one lacks."""
        return {f.path: f.added for f in parse_diff.parse(self.repo.git.run(["diff", *DIFF_OPTIONS, old, new])).files}

    def read(self, path: str) -> Entry | None:
        """Return the current file at a path."""
        return read_file(self.root, path)

    def at(self, tree: str, path: str) -> Entry | None:
        """Return the file at a path in a tree, as git writes it; byte by byte where it is as at the start."""
        if tree == self.start and path in self._brought:
            return self._as_brought(path)
        line = self._listed(tree, path)
        if not line:
            return None
        mode, kind, oid = line.partition(b"\t")[0].decode().split(" ")
        if kind != "blob":
            return None
        if (path, oid) in self._taken:
            return self._taken[path, oid]
        if path in self._brought and line == self._listed(self.start, path):
            return self._as_brought(path)
        raw = [b"--path=" + path_bytes(path), b"--filters"] if mode != LINK else [b"blob"]
        return Entry(mode, self.repo.git.run([b"cat-file", *raw, oid.encode()]))

    def original(self, path: str, person: Repo) -> Entry | None:
        """Return the file at a path at the start, byte by byte as the person has it.

        A file that was checked out, and not copied, may have other line ends here, and another mode where git does
        not look at modes.
        """
        entry = self.at(self.start, path)
        if path in self._brought or entry is None:
            return entry
        try:
            there = read_file(person.root, path)
        except OSError:  # it is not what was reviewed, then: applying says so
            return entry
        if there is None or (there.mode == LINK) != (entry.mode == LINK):
            return entry
        stored = person.git.run([b"hash-object", b"--stdin", b"--path=" + path_bytes(path)], stdin=there.data)
        oid = self._listed(self.start, path).partition(b"\t")[0].split(b" ")[2]
        return entry._replace(data=there.data) if stored.strip() == oid else entry

    def _listed(self, tree: str, path: str) -> bytes:
        return self.repo.git.run(["ls-tree", "-z", tree, "--", path_bytes(path)], fixed=True)

    def _as_brought(self, path: str) -> Entry | None:
        kept = self._brought[path]
        if isinstance(kept, Blob):
            return Entry(kept.mode, self.repo.git.run(["cat-file", "blob", kept.oid], fixed=True))
        return kept

    def take(self, tree: str, path: str) -> Entry | None:
        """Return the file at a path byte by byte, checked to be the one of a tree; :meth:`at` knows it then.

        Where git's filters leave out more than line ends, such as what stands in ``$Id$``, it is written anew as git
        would write it: a review reads what git stores, and must have seen all that is kept.

        Raises:
            GitError: If it is something else by now, or cannot be written.
        """
        entry = self.read(path)
        line = self._listed(tree, path)
        kind, oid = line.partition(b"\t")[0].decode().split(" ")[1:] if line else ("", "")
        if kind == "commit":
            return entry
        if entry is None:
            is_that = not oid
        elif self._hash(entry, b"--no-filters") == oid:
            is_that = True
        else:
            is_that = self._hash(entry, b"--path=" + path_bytes(path)) == oid
            if is_that:
                entry = self._plain(path, oid, entry)
        if not is_that:
            raise GitError(f"the workspace changed while it was looked at: {display_path(path)}")
        if entry is not None:
            self._taken[path, oid] = entry
        return entry

    def _hash(self, entry: Entry, how: bytes) -> str:
        return self.repo.git.run([b"hash-object", b"--stdin", how], stdin=entry.data).decode().strip()

    def _plain(self, path: str, oid: str, entry: Entry) -> Entry:
        """Return a file without the parts that its filters leave out of the object, line ends aside."""
        stored = self.repo.git.run([b"cat-file", b"--path=" + path_bytes(path), b"--filters", oid.encode()])
        same = entry.data.replace(b"\r\n", b"\n") == stored.replace(b"\r\n", b"\n")
        if same or stored.startswith(_LFS):  # git-lfs writes a pointer here: the guard has a rule for such files
            return entry
        plain = entry._replace(data=stored)
        try:
            self.write({path: plain})
        except OSError as error:
            raise GitError(f"the workspace cannot be written: {error}") from error
        return plain

    def looks(self) -> dict[str, tuple[int, ...]]:
        """Return by path the status of every file that git knows, for :meth:`undisturbed`."""
        names = self.repo.git.run(["ls-files", "-z"]).split(b"\0")[:-1]
        return {path: look_at(self.root, path) for path in map(path_from_bytes, names)}

    def undisturbed(self, looks: Mapping[str, tuple[int, ...]], tree: str) -> bool:
        """Restore files that were edited since in a way that git does not see, such as line ends that it converts.

        What runs in the workspace reads every byte, so nothing may differ that no patch holds.

        Args:
            looks: What :meth:`looks` said when the tree was this.
            tree: Git's id of the tree.

        Returns:
            Whether it had to.

        Raises:
            GitError: If it cannot be written.
        """
        seen = set(self.changed(tree, self.tree()))
        moved = [path for path, look in looks.items() if path not in seen and look_at(self.root, path) != look]
        if moved:
            files = {path: self.at(tree, path) for path in moved}
            try:
                self.write({path: entry for path, entry in files.items() if entry is not None})
            except OSError as error:
                raise GitError(f"the workspace could not be restored: {error}") from error
        return bool(moved)

    def restore(self, files: Mapping[str, Entry | None], tree: str) -> None:
        """Restore files.

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
            raise GitError(f"the workspace could not be restored: {error}") from error
        if self.tree() != tree:
            raise GitError("the workspace could not be restored to what it was before a fixer")

    def write(self, files: Mapping[str, Entry | None]) -> None:
        """Write files to the workspace; None removes one."""
        for path in sorted(files, key=lambda path: files[path] is not None):  # a folder may become a file
            write_file(self.root, path, files[path])


_COPIED = (
    r"^(core\.(attributesfile|autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode|protecthfs|protectntfs|longpaths)"
    r"|user\.(name|email)|filter\..*\.(clean|smudge|process|required))$"
)
"""Settings that say how files are written, and by whom; remotes, credential helpers and aliases stay behind."""

_SETTINGS = {
    "core.hooksPath": os.devnull,
    # what is edited is noticed, whatever the person's own settings say: a time can be set back, but not this one
    "core.trustctime": "true",
    "core.checkStat": "default",
    "core.ignoreStat": "false",
    "core.fsmonitor": "false",
    "gc.auto": "0",
    "core.compression": "0",  # its objects do not live long
    "maintenance.auto": "false",
    "checkout.workers": "0",
    "advice.detachedHead": "false",
    "advice.addEmbeddedRepo": "false",
    "commit.gpgSign": "false",
}


class View:
    """The content of a workspace's git directory.

    Args:
        repo: The person's repository.
        root: Top level of the workspace.
        commit: What is checked out, or None.
    """

    def __init__(self, repo: Repo, root: Path, commit: str | None) -> None:
        self._root = root
        self._commit = commit
        self._format = repo.object_format
        self._environ = workspace_environment(repo)
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
            elif folder.exists() and not remove_folder(folder):
                raise GitError(f"{folder} cannot be removed")
            self.fill(Git(self._root, self._environ), folder, [quoted(os.fsencode(ours.git_dir / "objects"))])
            if ours.index_file.is_file():
                shutil.copyfile(ours.index_file, folder / "index")
        except OSError as error:
            raise GitError(f"the workspace's .git cannot be made: {error}") from error


def workspace_environment(repo: Repo) -> dict[str, str]:
    """Return git's environment without what names the person's places."""
    environ = {name: value for name, value in repo.git.environ.items() if name not in KEPT_VARIABLES}
    if "GIT_EXEC_PATH" in repo.git.environ:
        environ["GIT_EXEC_PATH"] = repo.git.environ["GIT_EXEC_PATH"]
    environ["GIT_LFS_SKIP_SMUDGE"] = "1"  # a pointer is enough; nothing is downloaded
    return environ


def _object_folders(repo: Repo) -> list[bytes]:
    """Return the person's object folders, in the form that ``info/alternates`` has."""
    others = repo.git.environ.get("GIT_ALTERNATE_OBJECT_DIRECTORIES", "").split(os.pathsep)
    folders = [os.path.abspath(os.path.join(repo.root, name)) for name in (str(repo.objects), *others) if name]  # noqa: PTH100, PTH118
    return [quoted(os.fsencode(name)) for name in folders]


def quoted(name: bytes) -> bytes:
    """Quote a path that git would read otherwise: it begins with a quote or a hash sign, or holds a line's end."""
    if name[:1] not in (b'"', b"#") and b"\n" not in name and b"\r" not in name:
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


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
