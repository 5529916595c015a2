"""Parsing of ``-p`` and ``SELFREVIEW_PLUGINS``, before anything is imported."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from selfreview.errors import UsageError


@dataclasses.dataclass(frozen=True, kw_only=True)
class Selection:
    """The plugins that a person selected.

    Attributes:
        asked: Names after ``-p``, in order, each once.
        blocked: Names after ``-p no:``.
        modules: Names in ``SELFREVIEW_PLUGINS``, in order, each once.
        autoload: Whether entry points are loaded without being asked for.
    """

    asked: tuple[str, ...]
    blocked: frozenset[str]
    modules: tuple[str, ...]
    autoload: bool

    @classmethod
    def parse(cls, arguments: Sequence[str], environ: Mapping[str, str], builtins: Mapping[str, str]) -> Selection:
        """Read the values of every ``-p``, of which a later one wins, and the environment.

        Args:
            arguments: Values of ``-p``.
            environ: The environment.
            builtins: Short name to module; a module's name stands for its short name.

        Raises:
            UsageError: If a name is empty.
        """
        short = {place.replace(":", "."): name for name, place in builtins.items()}
        wanted: dict[str, bool] = {}
        for argument in arguments:
            name = argument.strip().removeprefix("no:").strip()
            if not name:
                raise UsageError(f"-p {argument!r} names no plugin")
            name = short.get(name, name)
            wanted[name] = not argument.strip().startswith("no:")
        listed = (name.strip() for name in environ.get("SELFREVIEW_PLUGINS", "").split(","))
        return cls(
            asked=tuple(name for name, on in wanted.items() if on),
            blocked=frozenset(name for name, on in wanted.items() if not on),
            modules=tuple(dict.fromkeys(short.get(name, name) for name in listed if name)),
            # As pytest has it: any value but the empty one.
            autoload=not environ.get("SELFREVIEW_DISABLE_PLUGIN_AUTOLOAD"),
        )


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that was probably meant, or None."""
    import difflib

    return next(iter(difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)), None)


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """Return ``did you mean 'NAME'?``, or None where nothing is near."""
    near = closest(name, known)
    return f"did you mean {near!r}?" if near else None
