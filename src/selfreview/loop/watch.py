"""Compare what is a person's own before and after an agent ran: the tree, git's settings, dotfiles of the home folder.

Where the system holds the agent, only what the program itself may write is compared: a person may work on meanwhile.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

from selfreview.errors import ToolError
from selfreview.git.repo import Repo
from selfreview.llm.confinement import Around, home_folder, repository_of
from selfreview.llm.unshown import agent_settings, instructs
from selfreview.loop.guard.surroundings import surroundings
from selfreview.model.change import path_from_bytes
from selfreview.model.wire import display_path

_DOTFILES = (
    *(".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv"),
    *(
        ".zprofile",
        ".zlogin",
        ".config/fish/config.fish",
        ".config/fish/conf.d",
        ".xprofile",
        ".xsessionrc",
        ".config/autostart",
        ".config/systemd/user",
    ),
    *(
        ".local/bin",
        "Library/LaunchAgents",
        ".gitconfig",
        ".config/git",
        ".ssh/authorized_keys",
        ".ssh/config",
        ".ssh/rc",
        ".npmrc",
        ".config/pip",
        ".vimrc",
    ),
)
"""What runs by itself, or decides what is run, of a home folder."""
_OF_AGENTS = re.compile(r"(settings|config|hooks|mcp|opencode|crush|polic(y|ies)|plugins?)([-._].*)?", re.IGNORECASE)
"""What an agent takes settings from in its own folder, by name."""
_NO_ORDERS = frozenset({".system", ".claude/plugins"})
"""What programs write there by themselves."""
_T = TypeVar("_T")
_DEEPEST = 6
_LARGEST = 4 * 2**20
_MOST_NAMES = 3


class ReachedError(ToolError):
    """Something that is the person's own changed while an agent ran, outside of its folder."""


class _Seen(NamedTuple):
    """What there is: digests of what no person's ordinary work changes, and of what it does, by what it is called."""

    grave: Mapping[str, object]
    ordinary: Mapping[str, object]


class Watch:
    """What is a person's own, as it was when this was made.

    Args:
        kept: What the agent is kept from.
        of_git: Whether git's own files are looked at.
    """

    def __init__(self, kept: Around, *, of_git: bool = True) -> None:
        self._kept = kept
        self._of_git = of_git
        self._repository = None if kept.root is None or kept.whole else repository_of(kept.root)
        self._before = self._look()

    def reached(self, name: str) -> ReachedError | None:
        """Return an error for what changed since and should not have; None where nothing did.

        Who changed it cannot be told: a program that runs as the person can do what the person can.
        """
        changed = _names_of(self._before.grave, self._look().grave)
        if changed is None:
            return None
        return ReachedError(
            f"{changed} changed while {name} ran, outside of the folder that it was given",
            hint="if that was you, or another program of yours, run it again; if not, look at it before you use it",
        )

    def noticed(self, name: str) -> str | None:
        """Return a note on what changed since in the person's tree, where people work on meanwhile."""
        changed = _names_of(self._before.ordinary, self._look().ordinary)
        if changed is None:
            return None
        return f"{changed} changed in your repository while {name} ran: if that was not you, look at it"

    def over(self, run: Callable[[], _T], name: str) -> _T:
        """Run something, and return what it does where nothing changed meanwhile.

        Raises:
            ReachedError: If something did, which counts before whatever else went wrong.
        """
        try:
            done = run()
        except ToolError as error:
            if (reached := self.reached(name)) is not None:
                raise reached from error
            raise
        if (reached := self.reached(name)) is not None:
            raise reached
        return done

    def _look(self) -> _Seen:
        grave: dict[str, object] = {}
        home, repository = home_folder(), self._repository
        if home is not None:
            for path in (*_of_agents(home), *(() if self._kept.whole else (home / name for name in _DOTFILES))):
                grave |= _content(path, home)
        if repository is None:
            return _Seen(grave, {})
        ordinary = _tree(repository)
        for folder in {repository.git_dir, repository.common_dir} if self._of_git else ():
            found = surroundings(folder)
            grave[f"settings or hooks in {folder}"] = found.settings
            ordinary[f"branches or tags in {folder}"] = found.references
        return _Seen(grave, ordinary)


def _names_of(before: Mapping[str, object], now: Mapping[str, object]) -> str | None:
    """Return in words what differs, or None where nothing does."""
    names = sorted(name for name in {*before, *now} if before.get(name) != now.get(name))
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(map(display_path, names[:_MOST_NAMES])) + more if names else None


def _of_agents(home: Path) -> Iterator[Path]:
    """Yield what agents take settings, orders or code from, in their folders below the home folder."""
    folders = [home / name for name in _names(home) if name.startswith(".") and agent_settings(name) is not None]
    config = home / ".config"
    folders += [config / name for name in _names(config) if agent_settings(f".{name}") is not None]
    folders += [Path(os.environ[name]) for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME") if os.environ.get(name)]
    for folder in folders:
        for name in _names(folder):
            is_order = instructs(name) or agent_settings(f".x/{name}") is not None or _OF_AGENTS.fullmatch(name)
            if is_order and f"{folder.name}/{name}" not in _NO_ORDERS:
                yield folder / name


def _names(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir())
    except OSError:
        return []


def _content(path: Path, home: Path, depth: int = 0) -> dict[str, object]:
    """Return what a file holds, or each file of a folder, by name; of a link, where it leads, too."""
    name = f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else str(path)
    try:
        status = path.stat()
        if path.is_dir():
            inside = [path / entry for entry in _names(path) if entry not in _NO_ORDERS] if depth < _DEEPEST else []
            return {key: value for entry in inside for key, value in _content(entry, home, depth + 1).items()}
        large = status.st_size > _LARGEST or not path.is_file()
        held: object = (status.st_size, status.st_mtime_ns) if large else _digest(path)
        return {name: (status.st_mode, os.path.realpath(path), held)}
    except OSError:
        return {}


def _digest(path: Path) -> bytes:
    """Return a digest of a file; of JSON without blanks and the address of its schema, which OpenCode adds."""
    data = path.read_bytes()
    if path.suffix in (".json", ".jsonc"):
        data = re.sub(rb'\s+|"\$schema"\s*:\s*"[^"]*"\s*,?', b"", data)
    return hashlib.sha256(data).digest()


def _tree(repository: Repo) -> dict[str, object]:
    """Return what a tree has that no commit has, by path: changed and untracked files, without those git ignores."""
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
