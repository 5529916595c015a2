"""Compare what is a person's own before and after an agent ran: the tree, git's settings, dotfiles of the home folder.

Where the system holds the agent, only what the program itself may write is compared: a person may work on meanwhile.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from selfreview.config.sources import user_folder
from selfreview.errors import SelfreviewError, ToolError
from selfreview.git.repo import Repo
from selfreview.guard.surroundings import surroundings
from selfreview.llm.transport.confinement import (
    Confinement,
    agent_folders,
    agent_settings,
    home_folder,
    instructs,
    names_in,
    repository_of,
)
from selfreview.model.change import path_from_bytes
from selfreview.model.wire import display_path
from selfreview.programs import safe_path
from selfreview.text.layout import listing
from selfreview.trust.folder import data_folder

_DOTFILES = (
    ".bashrc", ".bash_[!hs]*", ".profile", ".zsh[er]*", ".zprofile", ".zlog*", ".xprofile", ".xsessionrc",
    ".config/fish/config.fish", ".config/fish/conf.d", ".config/fish/functions", ".config/autostart",
    ".config/systemd/user", ".config/environment.d", "Library/LaunchAgents", "Documents/*PowerShell/*rofile.ps1",
    "AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup", ".local/bin", "bin", ".gitconfig", ".config/git",
    ".ssh/authorized_keys", ".ssh/config", ".ssh/rc", ".npmrc", ".config/pip", ".cargo/config*", ".vimrc",
    ".config/nvim/init.*", *(f"{folder}/site-packages/{name}" for name in ("*.pth", "*customize.py") for folder in (
        ".local/lib/python3*", "Library/Python/3*/lib/python", "AppData/Roaming/Python/Python3*")),
)  # fmt: skip
"""Files of a home folder that run by themselves, or decide what runs."""
_SETTINGS = re.compile(
    r"(\.env|settings|config|hooks|mcp|opencode|crush|polic(y|ies)|trusted_?folders)([-._].*)?|plugin|tools?",
    re.IGNORECASE,
)
"""Names of settings and tools in an agent's own folder."""
_PLUGIN = re.compile(r".+\.[cm]?[jt]s")
"""A plugin that a person wrote there; those that are installed have folders of their own."""
_ANEW = frozenset({".system", "tmp"})
"""Folders that Codex refills by itself: its bundled skills, and links to itself while it runs."""
_CACHES = re.compile(r"[^/:]*(cache|models|memor(y|ies)|\.db)[^/:]*", re.IGNORECASE)
"""Names of caches and the like, which programs write at any time; in JSON no path of a project and no address."""
_SETTINGS_KEYS = re.compile(
    r"\w*(mcp|hook|allow|deny|trust|permission|command|plugin|helper|directories)\w*|(en|dis)abled\w*|env",
    re.IGNORECASE,
)
"""Keys of settings in JSON that also holds a program's state: ``mcpServers`` of ``.claude.json``."""
_CODE = re.compile(
    r".+\.(mdc?|rules|toml|ya?ml|[cm]?[jt]sx?|py|rb|pl|sh|ps1|cmd|bat|exe|node|so|dll|dylib|wasm|db)", re.IGNORECASE
)
"""Files that instruct or run, by name: memories, what plugins bring, and what OpenCode notes as permitted."""
_OF_GIT = frozenset({".git", "commondir", "config"})
"""Settings of repositories that agents clone and work in."""
_T = TypeVar("_T")
_DEEPEST = 6
_LARGEST = 4 * 2**20
_MAX_NAMED = 3


class EscapedError(ToolError):
    """Something that is the person's own changed while an agent ran, outside of its folder."""


class _Snapshot(NamedTuple):
    """Digests by name: of files that no ordinary work of a person changes, and of others."""

    grave: dict[str, object]
    ordinary: dict[str, object]


class Watch:
    """Comparison of a person's own files with those from before an agent ran, when this was made.

    Args:
        confinement: The agent's bounds.
        of_git: Whether git's own files count.

    Raises:
        ToolError: If the files cannot be read.
    """

    def __init__(self, confinement: Confinement, *, of_git: bool = True) -> None:
        self._state = confinement.state
        self._is_confined = confinement.blocks_writes
        self._of_git = of_git
        self._repository = None if confinement.root is None or self._is_confined else repository_of(confinement.root)
        self._before = self._now = self._look()

    def escaped(self, name: str) -> EscapedError | None:
        """Return an error for what changed since and should not have; None where nothing did.

        Who changed it is not known: a program that runs as the person can do what the person can.

        Raises:
            ToolError: If it cannot be looked at.
        """
        self._now = self._look()
        changed = _names_of(self._before.grave, self._now.grave)
        if changed is None:
            return None
        return EscapedError(
            f"{changed} changed while {name} ran, outside of the folder that it was given",
            hint="if that was you, or another program of yours, run it again; if not, look at it before you use it",
        )

    def noticed(self, name: str) -> str | None:
        """Return a note on files changed by the last check that people and programs edit in ordinary work."""
        changed = _names_of(self._before.ordinary, self._now.ordinary)
        return None if changed is None else f"{changed} changed while {name} ran: if that was not you, look at it"

    def run(self, function: Callable[[], _T], name: str) -> _T:
        """Call a function, and return its result unless something changed meanwhile.

        Raises:
            EscapedError: If something did, which counts before whatever else went wrong.
            ToolError: If that cannot be looked at.
        """
        try:
            result = function()
        except BaseException as error:
            if (escaped := self.escaped(name)) is not None:
                raise escaped if isinstance(error, Exception) else type(error)(escaped.message) from error
            raise
        if (escaped := self.escaped(name)) is not None:
            raise escaped
        return result

    def _look(self) -> _Snapshot:
        try:
            return self._seen()
        except (OSError, SelfreviewError) as error:
            raise ToolError(f"what changes outside of an agent's folder cannot be looked at: {error}") from error

    def _seen(self) -> _Snapshot:
        seen = _Snapshot({}, {})
        home, repository = home_folder(), self._repository
        if home is not None:
            for place in dict.fromkeys((*self._state, *(() if self._is_confined else agent_folders(home)))):
                _add_state(seen, place)
            for path in () if self._is_confined else _startup_files(home):
                seen.grave.update(_content(path))
        if repository is not None:
            seen.ordinary.update(_tree(repository))
            for folder in {repository.git_dir, repository.common_dir} if self._of_git else ():
                found = surroundings(folder)
                seen.grave[f"settings or hooks in {folder}"] = found.settings
                seen.ordinary[f"branches or tags in {folder}"] = found.references
        return seen


def _names_of(before: Mapping[str, object], now: Mapping[str, object]) -> str | None:
    """Return the names with differing digests as text, or None."""
    home = f"{home_folder()}{os.sep}"
    names = sorted(name for name in {*before, *now} if before.get(name) != now.get(name))
    names = [f"~/{name.removeprefix(home)}" if name.startswith(home) else name for name in names]
    return listing(map(display_path, names), _MAX_NAMED) or None


def _startup_files(home: Path) -> Iterator[Path]:
    """Yield files that run by themselves, or decide what runs: of shells, programs on PATH, selfreview's settings."""
    for pattern in _DOTFILES:
        yield from home.glob(pattern)
    folders = (Path(folder).resolve() for folder in safe_path(os.environ.get("PATH", "")).split(os.pathsep))
    programs = (folder / name for folder in folders if folder.is_relative_to(home) for name in names_in(folder))
    yield from (path for path in programs if path.is_file())  # what lies deeper can be a whole toolkit
    yield data_folder(os.environ)
    if (settings := user_folder(os.environ)) is not None:
        yield settings


def _add_state(seen: _Snapshot, place: Path) -> None:
    """Add settings, instructions and code from a folder, or a file, of an agent.

    Those that a session of the person's may write at any time are ordinary: memories, plugins that update themselves.
    """
    if place.is_file():
        seen.grave.update(_settings_in(place))
    for folder, folders, names in os.walk(place):
        here = Path(folder)
        at_top, in_plugins = here == place, "plugins" in here.relative_to(place).parts
        settings = {name for name in (*folders, *names) if at_top and _is_setting(name)}
        settings |= {name for name in names if here == place / "plugins" and _PLUGIN.fullmatch(name)}
        for name in settings:
            seen.grave.update(_content(here / name))
        folders[:] = [name for name in folders if name not in _ANEW and name not in settings]
        for name in names:
            if name in settings:
                continue
            if name.endswith(".json"):
                if at_top or in_plugins:
                    (seen.ordinary if in_plugins else seen.grave).update(_settings_in(here / name))
            elif "." not in name or name in _OF_GIT or _CODE.fullmatch(name):
                seen.ordinary.update(_metadata(folder, name))


def _is_setting(name: str) -> bool:
    """Return whether a name at the top of an agent's folder is that of settings, instructions or code."""
    if name in _ANEW or _CACHES.fullmatch(name):
        return False
    return (
        instructs(name) or agent_settings(f".x/{name.lstrip('.')}") is not None or _SETTINGS.fullmatch(name) is not None
    )


def _settings_in(path: Path) -> dict[str, object]:
    """Return the settings in a file of JSON; counts, and what is switched off, are none."""
    if _CACHES.fullmatch(path.name):
        return {}
    try:
        data = path.read_bytes()
        found = sorted(map(repr, _settings_of(json.loads(data), False))) if data else []
    except OSError:
        return {}
    except (ValueError, RecursionError):  # which others may be able to read
        found = ["not read"]
    return {str(path): found} if found else {}


def _settings_of(value: Any, below_key: bool, *place: str) -> Iterator[tuple[object, ...]]:
    if isinstance(value, dict):
        below_key = below_key or value.get("type") == "wellknown"  # OpenCode takes settings from such an address
        for key, inside in value.items():
            if below_key or not _CACHES.fullmatch(key):
                yield from _settings_of(inside, below_key or _SETTINGS_KEYS.fullmatch(key) is not None, *place, key)
    elif isinstance(value, list):
        for inside in value:
            yield from _settings_of(inside, below_key, *place)
    elif below_key and (value is True or (isinstance(value, str) and value)):
        yield (*place, value)


def _metadata(folder: str, name: str) -> dict[str, object]:
    """Return the metadata of a file; nothing of one that has no suffix, is not executable and not git's."""
    path = os.path.join(folder, name)  # noqa: PTH118 - of tens of thousands of files
    try:
        facts = os.stat(path)  # noqa: PTH116
    except OSError:
        return {}
    if "." not in name and name not in _OF_GIT and not facts.st_mode & 0o111:
        return {}
    return {path: (facts.st_mode, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino)}


def _content(path: Path, depth: int = 0) -> dict[str, object]:
    """Return mode, target and digest of a file, or of each file of a folder, by name."""
    name = str(path)
    try:
        status = path.stat()
        if path.is_dir():
            inside = [path / entry for entry in names_in(path) if entry not in _ANEW] if depth < _DEEPEST else []
            return {key: value for entry in inside for key, value in _content(entry, depth + 1).items()}
        large = status.st_size > _LARGEST or not path.is_file()
        content: object = (status.st_size, status.st_mtime_ns) if large else _digest(path)
        return {name: (status.st_mode, os.path.realpath(path), content)}
    except OSError:
        return {}


def _digest(path: Path) -> bytes:
    """Return a digest of a file; of JSON without blanks and the address of its schema, which OpenCode adds."""
    data = path.read_bytes()
    if path.suffix in (".json", ".jsonc"):
        data = re.sub(rb'\s+|"\$schema"\s*:\s*"[^"]*"\s*,?', b"", data)
    return hashlib.sha256(data).digest()


def _tree(repository: Repo) -> dict[str, object]:
    """Return the metadata of changed and untracked files by path, without those git ignores."""
    status = repository.git.run(["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"])
    found: dict[str, object] = {}
    for line in status.split(b"\0")[:-1]:
        path = path_from_bytes(line[3:])
        try:
            facts = (repository.root / path).lstat()
        except OSError:
            found[path] = line[:2]
            continue
        found[path] = (line[:2], facts.st_mode, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino)
    return found
