"""The resolved configuration as plugins and commands read it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from selfreview.api import Key
from selfreview.config.merge import Merged
from selfreview.config.registry import KeyRegistry

HEAD_CODE = frozenset({"command", "checks", "workspace"})
"""Tables whose commands run what the change holds: tests, or a linter's configuration that is code."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Setting:
    """A key with its value and where that comes from, for ``selfreview config``.

    Attributes:
        key: The declaration.
        value: The value in force.
        origin: As :meth:`Config.origin` says it.
        withheld: Where an untrusted repository sets the key to no effect, or None.
    """

    key: Key
    value: Any
    origin: str
    withheld: str | None = None


class Config:
    """The resolved configuration; a :class:`selfreview.api.ConfigView`.

    Values are copies: changing one changes nothing for others.

    Attributes:
        notes: Sentences for a person about what was left out.
    """

    def __init__(
        self,
        keys: KeyRegistry,
        merged: Merged,
        *,
        root: Path | None,
        trusted: bool,
        notes: Sequence[str],
        head_code: bool = True,
    ) -> None:
        self._keys = keys
        self._merged = merged
        self._root = root
        self._trusted = trusted
        self._head_code = head_code
        self.notes = tuple(notes)

    @property
    def root(self) -> Path | None:
        """Top level of the repository, or None outside of one."""
        return self._root

    @property
    def trusted(self) -> bool:
        """Return whether commands and code from the repository's configuration may run."""
        return self._trusted

    def __getitem__(self, name: str) -> Any:
        """Return a key's value; see :class:`selfreview.api.ConfigView`.

        What an untrusted repository says of a key that can make something run is left out, except of tables, whose
        users ask :meth:`may_run` for each part: they have to name what they skip.
        """
        key = self._keys.get(name)
        if key is None:
            raise KeyError(name)
        return _copy(self._merged.values.get(name, key.default))

    def table(self, name: str) -> Mapping[str, Any]:
        """Return a table key's value; empty where nobody sets it."""
        value = self[name]
        return value if isinstance(value, dict) else {}

    def origin(self, name: str) -> str:
        """Say where a key's value, or that of a part of a table (``"command.eslint"``), comes from.

        Returns:
            ``default``, ``FILE:LINE``, ``env NAME`` or ``command line``; of a table that several sources make together
            one of these for each, joined by commas, the strongest last.
        """
        path = tuple(name.split("."))
        return ", ".join(dict.fromkeys(source.place(path) for source in self._merged.sources_of(path))) or "default"

    def may_run(self, name: str) -> bool:
        """Return whether programs of a key or part of a table may run; see :class:`selfreview.api.ConfigView`."""
        if not self._head_code and name.partition(".")[0] in HEAD_CODE:
            return False
        sources = self._merged.sources_of(tuple(name.split(".")))
        return self._trusted or all(source.kind != "repository" for source in sources)

    def settings(self) -> list[Setting]:
        """Return every declared key in the order of declaration."""
        withheld = self._merged.withheld
        return [
            Setting(key=key, value=self[key.name], origin=self.origin(key.name), withheld=withheld.get(key.name))
            for key in self._keys
        ]


def _copy(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, (list, tuple)) else value
