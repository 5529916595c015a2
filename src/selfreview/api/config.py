"""Configuration as plugins declare and read it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, Protocol

KeyKind = Literal["str", "int", "float", "bool", "list", "table", "str_or_list", "str_or_table"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Key:
    """One configuration key, declared once.

    Attributes:
        name: ``"max_iterations"``, or ``"claude.model"`` for a key of a table.
        kind: Its type in TOML: ``str``, ``int``, ``float``, ``bool``, ``list`` (of strings), ``table`` (a free one such
            as ``[checks]``, whose values ``check`` must look at), ``str_or_list`` or ``str_or_table``.
        default: Value when nobody sets it.
        help: One sentence for ``selfreview config`` and the reference.
        choices: Allowed values, where there is a fixed set.
        minimum: Smallest number allowed.
        env: Environment variable; by default ``SELFREVIEW_`` and the name in capitals, dots as ``__``. Lists are
            split at commas. Tables have none.
        user_only: Refused in a repository's file (credentials, endpoints).
        executes: Whether its value can make something run: part of what ``selfreview trust`` covers.
        check: Called with the value of each source; returns what is wrong with it, or None.
        check_merged: The same, called once with what all sources make together.
    """

    name: str
    kind: KeyKind
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    env: str | None = None
    user_only: bool = False
    executes: bool = False
    check: Callable[[Any], str | None] | None = None
    check_merged: Callable[[Any], str | None] | None = None


class OptionParser(Protocol):
    """The interface by which ``selfreview_addoption`` declares keys."""

    def add_key(self, key: Key) -> None:
        """Declare a key.

        Raises:
            PluginError: If the name is declared already.
        """


class ConfigView(Protocol):
    """The resolved configuration, read-only."""

    @property
    def root(self) -> Path | None:
        """Top level of the repository, or None outside of one."""

    @property
    def trusted(self) -> bool:
        """Return whether commands and code from the repository's configuration may run."""

    def __getitem__(self, name: str) -> Any:
        """Return a key's value.

        Raises:
            KeyError: If no such key is declared.
        """

    def get(self, name: str, default: Any = None) -> Any:
        """Return a key's value, or the default where no such key is declared, as where its plugin is left out."""

    def origin(self, name: str) -> str:
        """Say where a key's value comes from: ``default``, ``FILE:LINE``, ``env NAME`` or ``command line``."""

    def table(self, name: str) -> Mapping[str, Any]:
        """Return a table key's value; empty where nobody sets it."""

    def files(self, name: str, *suffixes: str) -> Mapping[str, bytes]:
        """Return the files of the repository that a key names, themselves or by a folder above them, by path.

        They come from where the repository's settings do: in a gate from the base, else from the working tree.

        Args:
            name: A key with a list of paths.
            suffixes: Endings of the files below folders.

        Raises:
            ConfigError: If a path that the key names is not there, or a file cannot be read.
        """

    def may_run(self, name: str) -> bool:
        """Return whether the programs of a key, or of a part of a table (``"command.eslint"``), may run.

        False where any of it comes from a repository's file that is not trusted. What the person's own file says may
        always run. In a gate, what runs code of the change (``command``, ``checks``, ``workspace``) may not, wherever
        it comes from, unless that was allowed.
        """
