"""Registries of named objects, and of commands, that plugins register."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from selfreview.errors import PluginError

if TYPE_CHECKING:
    import click


class Named(Protocol):
    """An object with a name."""

    @property
    def name(self) -> str:
        """Unique within its registry; what a person types."""


N = TypeVar("N", bound=Named)


class Registry(Generic[N]):
    """Objects of one kind by name, in order of registration.

    Args:
        kind: What it holds, in the singular, for messages (``"reviewer"``).
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._items: dict[str, N] = {}

    def add(self, item: N) -> None:
        """Register an object.

        Raises:
            PluginError: If the name is taken, or is not a plain word.
        """
        name = item.name
        if not name or not name.replace("-", "").replace("_", "").replace(".", "").isalnum():
            raise PluginError(f"{self.kind} name {name!r} is not made of letters, digits, '-', '_' and '.'")
        if name in self._items:
            raise PluginError(
                f"two plugins register a {self.kind} named {name!r}", hint=f"turn one off with -p no:{name}"
            )
        self._items[name] = item

    def get(self, name: str) -> N | None:
        """Return the object of that name, or None."""
        return self._items.get(name)

    def names(self) -> list[str]:
        """Return all names in order of registration."""
        return list(self._items)

    def __iter__(self) -> Iterator[N]:
        return iter(self._items.values())

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, name: object) -> bool:
        return name in self._items


class CommandRegistry(Protocol):
    """The commands that plugins register."""

    def add(self, command: click.Command) -> None:
        """Register a command, or a group of commands, under its name.

        Args:
            command: What ``@click.command(name=…)`` makes. It gets the rest of the command line. The number that it
                returns is the exit code; None is 0. A :class:`~selfreview.errors.SelfreviewError` is shown to the
                person in one line, with its hint.

        Raises:
            PluginError: If it is no command of click, has no name or one that is not a plain word, or another plugin
                registers a command of that name.
        """
