"""Git's hooks: the folder that git takes them from, and our shims in it, to recognise, install and remove.

A hook that was there before is kept beside ours, byte for byte, under a name of its own; ours runs it first.
"""

from __future__ import annotations

import contextlib
import enum
import hashlib
import os
import re
import shlex
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from selfreview import resources
from selfreview.errors import HookError
from selfreview.git.repo import Repo, working_trees
from selfreview.git.run import first_line


class HooksFolder(NamedTuple):
    """The folder in which git looks for hooks.

    Attributes:
        path: The folder, with symbolic links followed; it need not exist.
        setting: Where ``core.hooksPath`` is set, or None where it is not.
        tracked: Whether it is in the working tree, so that it can be committed and others may use the same files.
        shared: Whether it is outside of this repository, so that other repositories may use it.
        husky: Whether husky made it; husky writes it anew with every installation of packages.
    """

    path: Path
    setting: str | None
    tracked: bool
    shared: bool
    husky: bool


def hooks_folder(repo: Repo) -> HooksFolder:
    """Find the folder.

    Raises:
        HookError: If ``core.hooksPath`` names something that cannot hold hooks.
    """
    setting, value = _configured(repo)
    # Git takes it relative to where it runs hooks, which is the top level.
    path = Path(os.path.realpath(repo.root / value if value is not None else repo.common_dir / "hooks"))
    if value == "" or (path.exists() and not path.is_dir()):
        raise HookError(
            f"core.hooksPath is {value!r}, so git runs no hooks here ({setting})"
            if value is not None
            else f"{path} is not a folder",
            hint="git config --unset core.hooksPath" if value is not None else None,
        )
    private = _inside(path, repo.common_dir) or _inside(path, repo.git_dir)
    tracked = not private and _inside(path, repo.root)
    husky = path.name == "_" and path.parent.name == ".husky"
    return HooksFolder(path, setting, tracked, not private and not tracked, husky)


def default_folder(repo: Repo) -> Path:
    """Return the folder that git uses where nothing is configured."""
    return Path(os.path.realpath(repo.common_dir / "hooks"))


def hooks_in_tree(repo: Repo) -> tuple[str, ...]:
    """Return the paths that git takes for hooks, from the top level of a working tree; ``""`` is that level itself.

    These are folders that ``core.hooksPath`` names, in whatever file of settings, and files that links among the hooks
    lead to. One in another working tree of the repository counts as well: a branch brings a file to all of them.

    Raises:
        GitError: If git does not say.
        HookError: If git does not say.
    """
    values = [value for _, value in _all_configured(repo) if value]
    roots = [repo.root, *(tree.path for tree in working_trees(repo.git))]
    folders = [Path(root, value) for root in roots for value in values]
    linked = [path for folder in (*folders, repo.common_dir / "hooks") for path in _links(folder)]
    found = {place for path in (*folders, *linked) for root in roots for place in _below(path, root)}
    # Husky's own folder has scripts that run those beside it.
    found |= {place.rpartition("/")[0] for place in found if place.endswith("/_")}
    return tuple(sorted(found))


def _links(folder: Path) -> Iterator[Path]:
    """Yield the symbolic links of a folder, which need not exist."""
    try:
        yield from (path for path in folder.iterdir() if path.is_symlink())
    except OSError:
        return


def _below(path: Path, root: Path) -> Iterator[str]:
    """Yield where a path is below a folder, as it is written and with links followed."""
    for place, top in ((os.path.normpath(path), os.path.normpath(root)), tuple(map(os.path.realpath, (path, root)))):
        if Path(place).is_relative_to(top):
            yield "" if place == top else Path(place).relative_to(top).as_posix()


def _configured(repo: Repo) -> tuple[str | None, str | None]:
    """Return where ``core.hooksPath`` is set and to what."""
    return next(reversed(_all_configured(repo)), (None, None))


def _all_configured(repo: Repo) -> list[tuple[str, str]]:
    """Return where ``core.hooksPath`` is set and to what; the last one counts.

    Every call of git sets it itself, last, so that no hook runs; that value is left out.
    """
    done = repo.git.call(["config", "-z", "--show-origin", "--type=path", "--get-all", "core.hooksPath"])
    fields = done.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]
    if done.returncode != 0 or len(fields) < 2:
        message = first_line(done.stderr)
        raise HookError(f"git does not say where hooks are{message and f': {message}'}", hint="selfreview doctor")
    return list(zip(fields[:-2:2], fields[1:-2:2], strict=True))


def _inside(path: Path, folder: Path) -> bool:
    return path.is_relative_to(os.path.realpath(folder))


TYPES = ("pre-commit", "pre-push")
"""The hooks there are shims for."""

KEPT_SUFFIX = ".selfreview-chained"

_SEAL = re.compile(rb"^# seal: (none|[0-9a-f]{64})\n", re.MULTILINE)
_PYTHON = b"\npython=''\n"
_PRE_COMMIT = b"File generated by pre-commit: https://pre-commit.com"


class Kind(enum.Enum):
    """The kind of file at a hook's path."""

    NOTHING = "nothing"
    OURS = "ours"
    EDITED = "ours, edited"
    PRE_COMMIT = "of pre-commit"
    FOREIGN = "somebody else's"


class Found(NamedTuple):
    """The current state of a hook.

    Attributes:
        path: Where it belongs.
        kind: What stands there.
        kept: The hook that was there before, where one is kept.
        content: What stands there; empty where it cannot be read as a file.
    """

    path: Path
    kind: Kind
    kept: Path | None
    content: bytes

    @property
    def runs(self) -> bool:
        """Return whether git would run the hook."""
        return os.access(self.path, os.X_OK)

    @property
    def kept_runs(self) -> bool:
        """Return whether there is a kept hook that our shim runs."""
        return self.kept is not None and os.access(self.kept, os.X_OK)

    @property
    def python(self) -> str | None:
        """The interpreter that our shim calls, or None where it searches ``PATH``."""
        match = re.search(rb"\npython=(.+?)\nchained=", self.content, re.DOTALL)
        words = shlex.split(os.fsdecode(match[1])) if match and self.kind is Kind.OURS else []
        return words[0] if words and words[0] else None


def render(hook: str, python: str | None) -> bytes:
    """Return a shim.

    Args:
        hook: One of :data:`TYPES`.
        python: The interpreter that has selfreview installed, or None to search ``PATH`` when the hook runs.
    """
    text = template(hook)
    if python:
        quoted = os.fsencode(shlex.quote(python.replace("\\", "/") if os.name == "nt" else python))
        text = text.replace(_PYTHON, b"\npython=" + quoted + b"\n")
    return _SEAL.sub(b"# seal: " + _seal(text).encode() + b"\n", text, count=1)


def template(hook: str) -> bytes:
    """Return a shim as it is shipped, to be copied by hand."""
    return resources.read("hooks", hook).replace(b"\r\n", b"\n")


def find(folder: Path, hook: str) -> Found:
    """Return the current state of a hook.

    Raises:
        HookError: If it cannot be read.
    """
    path = folder / hook
    kept = folder / (hook + KEPT_SUFFIX)
    try:
        mode = path.lstat().st_mode if os.path.lexists(path) else None
        if mode is not None and not stat.S_ISREG(mode) and not stat.S_ISLNK(mode):
            raise HookError(f"{path} is not a file", hint="move it away")
        content = path.read_bytes() if mode is not None and path.is_file() else b""
    except OSError as error:
        raise HookError(f"{path} cannot be read: {error.strerror or error}") from error
    linked = mode is not None and stat.S_ISLNK(mode)
    kind = Kind.NOTHING if mode is None else _kind(content, hook, linked=linked)
    return Found(path, kind, kept if os.path.lexists(kept) else None, content)


def install(found: Found, shim: bytes) -> Path | None:
    """Put a shim in place; keep what is there.

    Returns:
        Where the hook that was there is kept now, or None.

    Raises:
        HookError: If that is not possible without losing something, or the folder cannot be written.
    """
    check_installable(found)
    moved = None
    try:
        found.path.parent.mkdir(parents=True, exist_ok=True)
        temporary = _write(found.path, shim)
        try:
            if found.kind in (Kind.FOREIGN, Kind.PRE_COMMIT):
                moved = found.path.with_name(found.path.name + KEPT_SUFFIX)
                found.path.rename(moved)
            temporary.replace(found.path)
        except OSError:
            temporary.unlink(missing_ok=True)
            if moved is not None and os.path.lexists(moved) and not os.path.lexists(found.path):
                moved.rename(found.path)
            raise
    except OSError as error:
        raise HookError(f"{found.path} cannot be written: {error.strerror or error}") from error
    return moved


def check_installable(found: Found) -> None:
    """Raise if a shim cannot be put in place without losing something.

    Raises:
        HookError: Why.
    """
    if found.kind is Kind.EDITED:
        raise HookError(
            f"{found.path} is selfreview's, but somebody changed it",
            hint="move it away and install again; selfreview hook install --print shows what it was",
        )
    if found.kind in (Kind.FOREIGN, Kind.PRE_COMMIT) and found.kept is not None:
        raise HookError(
            f"{found.path} is not selfreview's, and {found.kept.name} beside it keeps another one already",
            hint="move one of them away",
        )


def uninstall(found: Found) -> None:
    """Take a shim away; put back what was there before.

    Raises:
        HookError: If it is edited, or the folder cannot be written.
    """
    if found.kind is Kind.EDITED:
        raise HookError(f"{found.path} is selfreview's, but somebody changed it", hint="take it away by hand")
    if found.kind in (Kind.FOREIGN, Kind.PRE_COMMIT):
        raise HookError(f"{found.path} is not selfreview's", hint="take it away by hand")
    try:
        if found.kept is not None:
            found.kept.replace(found.path)
        else:
            found.path.unlink(missing_ok=True)
    except OSError as error:
        raise HookError(f"{found.path} cannot be taken away: {error.strerror or error}") from error


def _write(path: Path, data: bytes) -> Path:
    """Write an executable file beside its place, whole and on disk, and return it."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(_executable_mode(path.parent))
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    return temporary


def _executable_mode(folder: Path) -> int:
    """Return the mode of a hook: those who may read the folder may read and run it."""
    readers = stat.S_IMODE(folder.stat().st_mode) & 0o555
    return 0o700 | readers


def _kind(content: bytes, hook: str, *, linked: bool) -> Kind:
    if KEPT_SUFFIX.encode() in content:  # whatever became of it: a shim that keeps a shim would call itself
        match = _SEAL.search(content)
        seal = match[1].decode() if match else ""
        untouched = content == template(hook) if seal == "none" else seal == _seal(content)
        return Kind.OURS if untouched and not linked else Kind.EDITED
    return Kind.PRE_COMMIT if _PRE_COMMIT in content else Kind.FOREIGN


def _seal(content: bytes) -> str:
    """Return the digest of a shim but for its seal."""
    return hashlib.sha256(_SEAL.sub(b"", content, count=1)).hexdigest()
