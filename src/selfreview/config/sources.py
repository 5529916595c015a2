"""Sources of configuration values: files of the person and the repository, the environment, the command line.

In this order, a later one wins.
"""

from __future__ import annotations

import copy
import dataclasses
import os
import stat
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from selfreview.access import access_hint
from selfreview.api import Key
from selfreview.config import toml
from selfreview.config.values import KIND_WORDS, KeyPath, listed
from selfreview.errors import ConfigError
from selfreview.git.objects import LINK, REGULAR, read_blobs
from selfreview.git.run import Git
from selfreview.text.suggestion import closest

SourceKind = Literal["user", "repository", "environment", "command line"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Source:
    """One place that values come from.

    Attributes:
        kind: Which one it is.
        values: Tables in tables, as in TOML.
        place: Says where a value stands: ``FILE:LINE``, ``env NAME`` or ``command line``.
    """

    kind: SourceKind
    values: Mapping[str, Any]
    place: Callable[[KeyPath], str]


def command_line_source(options: Mapping[str, Any], keys: Iterable[Key] = ()) -> Source:
    """Return what the command line says.

    Args:
        options: Key name to value, of its key's type; None stands for an option that was not given.
        keys: Every declared key: the text of one that is a list is split at commas, as in the environment.
    """
    given = {name: value for name, value in options.items() if value is not None}
    for key in keys:
        if isinstance(given.get(key.name), str):
            given[key.name] = listed(key, given[key.name])
    return Source(kind="command line", values=nest(given), place=lambda _: "command line")


def nest(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Turn dotted names into nested tables.

    Raises:
        ConfigError: If one name is a value and another one lies below it.
    """
    nested: dict[str, Any] = {}
    for name, value in sorted(flat.items()):
        *tables, last = name.split(".")
        table = nested
        for part in tables:
            below = table.setdefault(part, {})
            if not isinstance(below, dict):
                raise ConfigError(f"command line: {name} lies below a key that is given a value of its own")
            table = below
        table[last] = copy.deepcopy(value)  # it may get keys from a later name
    return nested


PREFIX = "SELFREVIEW_"

OTHER_VARIABLES = frozenset(
    {
        "SELFREVIEW_PLUGINS",
        "SELFREVIEW_DISABLE_PLUGIN_AUTOLOAD",
        "SELFREVIEW_DATA_DIR",
        "SELFREVIEW_CONFIG_DIR",
        "SELFREVIEW_SKIP",
        "SELFREVIEW_WITHIN",
        "SELFREVIEW_CI_BASE",
        "SELFREVIEW_CI_FORK",
        "SELFREVIEW_WEBHOOK_SECRET",
        "SELFREVIEW_SMTP_USER",
        "SELFREVIEW_SMTP_PASSWORD",
        "SELFREVIEW_APPRISE_URLS",
    }
)
"""Environment variables that are read elsewhere and are no keys."""


def variable(key: Key) -> str | None:
    """Return the environment variable of a key; tables have none."""
    if key.kind == "table":
        return None
    return key.env or PREFIX + key.name.upper().replace(".", "__").replace("-", "_")


def environment_source(keys: Iterable[Key], environ: Mapping[str, str], notes: list[str]) -> Source:
    """Return what the environment says. An empty variable counts as not set.

    Args:
        keys: Every declared key.
        environ: The environment.
        notes: Gets a sentence for each variable ``SELFREVIEW_*`` that means nothing: others may use the prefix, so it
            is no error.

    Raises:
        ConfigError: If a variable's text is no value of its key.
    """
    by_variable = {name: key for key in keys if (name := variable(key)) is not None}
    values: dict[str, Any] = {}
    for name in sorted(environ.keys() & by_variable.keys()):
        if not environ[name].strip():
            continue
        key = by_variable[name]
        try:
            values[key.name] = _from_text(key, environ[name])
        except ValueError as error:
            raise ConfigError(f"env {name}: {key.name} {error}") from error
    known = by_variable.keys() | OTHER_VARIABLES
    for name in sorted(name for name in environ if name.startswith(PREFIX) and name not in known):
        near = closest(name.removeprefix(PREFIX), sorted(other.removeprefix(PREFIX) for other in known))
        hint = f"; did you mean {PREFIX + near!r}?" if near else ""
        notes.append(f"environment variable {name} has no effect{hint}")
    variables = {key.name: name for name, key in by_variable.items()}
    return Source(kind="environment", values=nest(values), place=lambda path: _variable_of(path, variables))


def _variable_of(path: KeyPath, variables: Mapping[str, str]) -> str:
    parts = [str(part) for part in path]
    for length in range(len(parts), 0, -1):
        name = variables.get(".".join(parts[:length]))
        if name is not None:
            return f"env {name}"
    return "environment"


_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


def _from_text(key: Key, text: str) -> Any:
    """Read a key's value from an environment variable's text.

    Raises:
        ValueError: If the text is no such value; its text says what would be.
    """
    text = text.strip()
    match key.kind:
        case "bool":
            if text.lower() in _TRUE | _FALSE:
                return text.lower() in _TRUE
            raise ValueError("must be 1 or 0, true or false, yes or no, on or off")
        case "int" | "float":
            try:
                return int(text) if key.kind == "int" else float(text)
            except ValueError:
                raise ValueError(f"must be {KIND_WORDS[key.kind]}, not {text!r}") from None
        case _:
            return listed(key, text)


MAX_BYTES = 4 * 1024 * 1024
"""Size above which a file is not taken for configuration."""

MAX_FILES = 1_000
MAX_TOTAL = 4 * MAX_BYTES
"""Maximum number, and bytes together, of the files that one key names."""

RepoReader = Callable[[str], "bytes | None"]
"""Reads a file of the repository by path; None where it is not there. Raises :class:`ConfigError`.

Of a path that ends in a slash, it returns the paths of the files below that folder, sorted, with a NUL between them.
"""


def paths_named(read: RepoReader, entry: str) -> list[str] | None:
    """Return the paths of the files that an entry of a setting names, by a folder above them or itself.

    Args:
        read: Reads the repository's files.
        entry: A path.

    Returns:
        The paths, or None where there is no such folder: then the entry may be a file's own.
    """
    below = read(f"{entry.strip('/')}/")
    return None if below is None else below.decode("utf-8", "surrogateescape").split("\0")


class LinkError(ConfigError):
    """A configuration file is a symbolic link, or below one: it is not followed."""


def _link_error(name: str) -> LinkError:
    return LinkError(f"{name} is a symbolic link, which is not followed", hint="put the file itself there")


def worktree_reader(root: Path) -> RepoReader:
    """Return a reader of the working tree.

    Nothing is read through a link: what a person looks at, and what a change of settings is told by, is that very file.
    """

    def read(name: str) -> bytes | None:
        path = root / name
        if name.endswith("/"):
            return _paths_below(root, name)
        try:
            path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise ConfigError(f"cannot read {name}: {error.strerror}", hint=access_hint(path)) from error
        if _is_linked(root, name):
            raise _link_error(name)
        return read_file(path, name)

    return read


def _paths_below(root: Path, folder: str) -> bytes | None:
    """Return the paths of the files below a folder of the working tree; None where it is none, or linked."""
    top = root / folder
    if not top.is_dir() or _is_linked(root, folder):
        return None
    found = [(Path(place) / name).relative_to(root).as_posix() for place, _, names in os.walk(top) for name in names]
    return "\0".join(sorted(found)).encode("utf-8", "surrogateescape")


def read_file(path: Path, label: str) -> bytes | None:
    """Read a file, without waiting for a writer where it is a FIFO.

    Args:
        path: Where it is.
        label: What to call it in messages.

    Returns:
        Its bytes, or None where it is not there.

    Raises:
        ConfigError: If it cannot be read, is no regular file, or is above ``MAX_BYTES``.
    """
    # O_NONBLOCK: opening a FIFO must not wait. On Windows there is neither the flag nor the FIFO.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # so that a device is not even opened
            raise ConfigError(f"{label} is not a regular file")
        with os.fdopen(os.open(path, flags), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ConfigError(f"{label} is not a regular file")
            data = file.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(f"cannot read {label}: {error.strerror}", hint=access_hint(path)) from error
    if len(data) > MAX_BYTES:
        raise ConfigError(f"{label} is larger than {MAX_BYTES // (1024 * 1024)} MiB")
    return data


def _is_linked(root: Path, name: str) -> bool:
    """Return whether a path below a folder is a symbolic link, or leads through one."""
    path = root / name
    return any(place.is_symlink() for place in (path, *path.parents[: len(path.relative_to(root).parts) - 1]))


REPO_FILE = "selfreview.toml"
PYPROJECT = "pyproject.toml"

_TABLE: KeyPath = ("tool", "selfreview")


def repository_source(read: RepoReader, notes: list[str]) -> Source | None:
    """Return what the repository's ``selfreview.toml`` or ``pyproject.toml`` says, or None where there is neither.

    Args:
        read: Reads a file at the repository's top level.
        notes: Gets a sentence where ``pyproject.toml`` could not be looked into.

    Raises:
        ConfigError: If a file cannot be read or parsed, or both hold settings.
    """
    data = read(REPO_FILE)
    own = None if data is None else toml.parse(data, REPO_FILE)
    shared = _pyproject(read, notes)
    table = _tool_table(shared) if shared else {}
    if own is not None and own.document and table and shared is not None:
        raise ConfigError(
            f"settings stand in {shared.place(_TABLE)} and in {REPO_FILE}", hint="keep them in one of the two"
        )
    if shared is not None and table:
        return Source(kind="repository", values=table, place=lambda path: shared.place((*_TABLE, *path)))
    return None if own is None else Source(kind="repository", values=own.document, place=own.place)


def _pyproject(read: RepoReader, notes: list[str]) -> toml.TomlFile | None:
    try:
        data = read(PYPROJECT)
    except LinkError as error:
        notes.append(f"{error.message}: it is not searched for settings")
        return None
    # Most such files are not about selfreview, and parsing one takes longer than looking. A key can also be spelt
    # with escapes.
    if data is None or not (b"selfreview" in data or b"\\" in data):
        return None
    try:
        return toml.parse(data, PYPROJECT)
    except ConfigError as error:
        # ruff stops at any pyproject.toml that it cannot parse, because its settings might be in there. So does this,
        # if the file names selfreview. If it does not, the broken file is part of what is under review, and stopping
        # would only keep the person from being told about the rest.
        if b"selfreview" in data:
            raise
        notes.append(f"{error.message}: it is not searched for settings")
        return None


def _tool_table(file: toml.TomlFile) -> Mapping[str, Any]:
    tool = file.document.get("tool", {})
    table = tool.get("selfreview", {}) if isinstance(tool, Mapping) else {}
    if not isinstance(table, Mapping):
        raise ConfigError(f"{file.place(_TABLE)}: tool.selfreview must be a table")
    return table


def user_source(environ: Mapping[str, str]) -> Source | None:
    """Return what the person's own file says, or None where there is none.

    It is ``config.toml`` in the platform's configuration folder, or in ``SELFREVIEW_CONFIG_DIR``.

    Raises:
        ConfigError: If it cannot be read or parsed, or ``SELFREVIEW_CONFIG_DIR`` is not an absolute path: a relative
            one would let a repository bring a file that passes for the person's own.
    """
    folder = user_folder(environ)
    if folder is None:
        return None
    path = folder / "config.toml"
    data = read_file(path, str(path))
    if data is None:
        return None
    file = toml.parse(data, str(path))
    return Source(kind="user", values=file.document, place=file.place)


def user_folder(environ: Mapping[str, str]) -> Path | None:
    """Return the folder of the person's own file, or None where there is no such place.

    Raises:
        ConfigError: If ``SELFREVIEW_CONFIG_DIR`` is not an absolute path.
    """
    given = environ.get("SELFREVIEW_CONFIG_DIR")
    if given:
        if not Path(given).is_absolute():
            raise ConfigError(f"SELFREVIEW_CONFIG_DIR must be an absolute path, not {given!r}")
        return Path(given)
    return _usual_linux_folder(environ) or _platform_folder()


def _usual_linux_folder(environ: Mapping[str, str]) -> Path | None:
    """Return the folder that platformdirs would return, where that is plain, or None.

    Importing platformdirs takes longer than everything else that configuration needs, in every run.
    """
    if sys.platform != "linux" or "ANDROID_DATA" in environ:
        return None
    for base, below in ((environ.get("XDG_CONFIG_HOME", ""), ""), (environ.get("HOME", ""), ".config")):
        if base.startswith("/"):
            return Path(base, below, "selfreview")
    return None


def _platform_folder() -> Path | None:
    import platformdirs

    try:
        folder = platformdirs.user_config_path("selfreview", appauthor=False)
    except RuntimeError:  # nobody's home can be found, as for an unknown user in a container
        return None
    return folder if folder.is_absolute() else None  # a relative one would lie in the current folder


def commit_reader(git: Git, commit: str) -> RepoReader:
    """Return a reader of a commit's files.

    As in the working tree, nothing is read through a link.

    Args:
        git: Git in the repository.
        commit: The full id of a commit or tree.
    """

    folders = _FoldersOfCommit(git, commit)

    def read(name: str) -> bytes | None:
        if name.endswith("/"):
            return folders.paths(name)
        if (data := folders.read(name)) is not None:
            return data
        below = ["--", name] if "/" in name else []  # most are at the top, which is listed once
        entries = git.run(["ls-tree", "-z", "--full-tree", commit, *below], fixed=True)
        raw = name.encode("utf-8", "surrogateescape")
        found = next((entry for entry in entries.split(b"\0") if entry.partition(b"\t")[2] == raw), None)
        if found is None:
            return None
        mode, _, oid = found.partition(b"\t")[0].split(b" ")
        if mode in LINK:
            raise _link_error(name)
        if mode not in REGULAR:
            raise ConfigError(f"{name} of the base is not a regular file")
        size = git.run(["cat-file", "--batch-check=%(objectsize)"], stdin=oid + b"\n", fixed=True)
        if int(size) > MAX_BYTES:
            raise ConfigError(f"{name} of the base is larger than {MAX_BYTES // (1024 * 1024)} MiB")
        return git.run(["cat-file", "blob", oid], fixed=True)

    return read


_SMALL = 64 * 1024
"""Bytes of a file that is read with others of its folder."""


class _FoldersOfCommit:
    """Small files below the folders of a commit that were listed; those of one suffix are read at once."""

    def __init__(self, git: Git, commit: str) -> None:
        self._git = git
        self._commit = commit
        self._listed: dict[str, str] = {}
        self._known: dict[str, bytes] = {}

    def paths(self, folder: str) -> bytes | None:
        """Return the paths of the files and links below a folder, with a NUL between them; None where there is none."""
        asked = ["ls-tree", "-r", "-l", "-z", "--full-tree", self._commit, "--", folder]
        found = []
        for entry in self._git.run(asked, fixed=True).split(b"\0")[:-1]:
            info, _, raw = entry.partition(b"\t")
            mode, _, oid, size = info.split()
            if mode in REGULAR | LINK:
                found.append(raw)
                if mode in REGULAR and int(size) <= _SMALL:
                    self._listed[raw.decode("utf-8", "surrogateescape")] = oid.decode()
        return b"\0".join(sorted(found)) or None

    def read(self, name: str) -> bytes | None:
        """Return the content of a small file below a folder that was listed, or None."""
        if name in self._listed and name not in self._known:
            suffix = Path(name).suffix
            alike = [path for path in self._listed if path.endswith(suffix) and path not in self._known]
            wanted = {path: self._listed[path] for path in [name, *alike[:MAX_FILES]]}
            blobs = read_blobs(self._git, wanted.values())
            self._known.update((path, blobs[oid]) for path, oid in wanted.items() if oid in blobs)
        return self._known.get(name)
