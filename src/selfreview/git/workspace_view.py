"""The git directories of a workspace.

It has two. The one that we use lies beside it, named by the environment: nothing that is written in the workspace
decides what our git reads, ignores, runs or writes to. The one at ``.git`` is a view for what runs there, is made anew
before each of them, and counts for nothing.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from selfreview.errors import GitError
from selfreview.git.removal import remove_folder
from selfreview.git.repo import Repo
from selfreview.git.run import KEPT_VARIABLES, Git

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
    own = repo.git.line(["rev-parse", "--path-format=absolute", "--git-path", "objects"])
    others = repo.git.environ.get("GIT_ALTERNATE_OBJECT_DIRECTORIES", "").split(os.pathsep)
    folders = [os.path.abspath(os.path.join(repo.root, name)) for name in (own, *others) if name]  # noqa: PTH100, PTH118
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
