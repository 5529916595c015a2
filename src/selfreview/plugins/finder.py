"""Discovery of plugins: built in, installed, or the repository's own; and which of them are enabled.

Of a repository, only the code of ``selfreview_conf.py`` at its top level runs. It is compiled from the very bytes that
were agreed to, so that a change between the question and the start has no effect; the repository is not put on
``sys.path``, so that what the file imports comes from the Python environment selfreview is installed in; and nothing is
written next to it.
"""

from __future__ import annotations

import dataclasses
import importlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Literal

from selfreview.errors import PluginError, UsageError
from selfreview.plugins import attribution
from selfreview.plugins.builtins import Builtins, load
from selfreview.text.suggestion import did_you_mean

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

LOCAL_NAME = "selfreview_conf"
"""The local plugin's name, for ``-p no:selfreview_conf``."""
GROUP = "selfreview"
"""The group of entry points that installed distributions offer."""
_SECTION = b"[selfreview]"


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


State = Literal["on", "off", "blocked", "untrusted"]


@dataclasses.dataclass(kw_only=True)
class PluginRecord:
    """One plugin, loaded or not.

    Attributes:
        name: What a person types after ``-p``.
        source: ``built-in``, ``entry point DIST VERSION``, ``-p``, ``SELFREVIEW_PLUGINS`` or ``selfreview_conf.py``.
        state: ``on``; ``off`` (not asked for); ``blocked`` (``-p no:NAME``); ``untrusted`` (see ``selfreview trust``).
        essential: Whether it cannot be turned off.
        hooks: Names of the hooks that it implements, sorted; empty unless ``on``.
        file: Path of its module, or None where it is not known.
    """

    name: str
    source: str
    state: State
    essential: bool = False
    hooks: tuple[str, ...] = ()
    file: str | None = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Candidate:
    """A plugin that could be loaded.

    Attributes:
        name, source, state, essential: As in :class:`~selfreview.plugins.finder.PluginRecord`.
        load: Imports it and returns the plugin object; raises a ``PluginError``.
    """

    name: str
    source: str
    state: State
    load: Callable[[], object]
    essential: bool = False


def find(selection: Selection, builtins: Builtins, notes: list[str]) -> list[Candidate]:
    """Return every plugin in the order of loading: built-ins, ``-p``, ``SELFREVIEW_PLUGINS``, other entry points.

    Args:
        selection: What the person asked for.
        builtins: The plugins that selfreview comes with.
        notes: Gets a sentence for each name that was blocked and does not exist.

    Raises:
        PluginError: If two plugins share a name.
        UsageError: If an essential plugin is blocked.
    """
    found: dict[str, Candidate] = {}
    entries = _entries(selection, builtins)
    for candidate in (
        *_builtin(selection, builtins),
        *_asked(selection, builtins, entries),
        *_offered(selection, entries),
    ):
        other = found.setdefault(candidate.name, candidate)
        if other.state != "on":
            found[candidate.name] = candidate
        elif other.source != candidate.source and candidate.state == "on":
            raise PluginError(
                f"two plugins are named {candidate.name!r}: {other.source} and {candidate.source}",
                hint="uninstall one, or set SELFREVIEW_DISABLE_PLUGIN_AUTOLOAD=1",
            )
    known = {*found, LOCAL_NAME, *(entry.module for entry in entries)}
    for name in sorted(selection.blocked - known):
        near = did_you_mean(name, sorted(known))
        notes.append(f"-p no:{name} has no effect: there is no such plugin" + (f"; {near}" if near else ""))
    return list(found.values())


def _entries(selection: Selection, builtins: Builtins) -> list[EntryPoint]:
    named = {*selection.asked, *selection.blocked, *selection.modules} - {*builtins.modules, LOCAL_NAME}
    return entry_points() if selection.autoload or named else []


def _builtin(selection: Selection, builtins: Builtins) -> Iterator[Candidate]:
    for name, module in builtins.modules.items():
        essential = name in builtins.essential
        if essential and name in selection.blocked:
            raise UsageError(f"-p no:{name}: plugin {name!r} cannot be turned off")
        yield Candidate(
            name=name,
            source="built-in",
            state="blocked" if name in selection.blocked else "on",
            essential=essential,
            load=partial(_load, name, "built-in", partial(load, module)),
        )


def _asked(selection: Selection, builtins: Builtins, entries: list[EntryPoint]) -> Iterator[Candidate]:
    origins = {**dict.fromkeys(selection.modules, "SELFREVIEW_PLUGINS"), **dict.fromkeys(selection.asked, "-p")}
    for name in dict.fromkeys((*selection.asked, *selection.modules)):
        if name in builtins.modules:
            continue
        matching = [entry for entry in entries if name in (entry.name, entry.module)]
        if matching:
            yield from (_from_entry(entry, selection, on=True) for entry in matching)
            continue
        known = [*builtins.modules, *(entry.name for entry in entries)]
        yield Candidate(
            name=name,
            source=origins[name],
            state="blocked" if name in selection.blocked else "on",
            load=partial(_load, name, origins[name], partial(_import_named, name, origins[name], known)),
        )


def _offered(selection: Selection, entries: list[EntryPoint]) -> Iterator[Candidate]:
    asked = {*selection.asked, *selection.modules}
    for entry in entries:
        if not asked & {entry.name, entry.module}:
            yield _from_entry(entry, selection, on=selection.autoload)


def _from_entry(entry: EntryPoint, selection: Selection, *, on: bool) -> Candidate:
    source = entry_point_source(entry)
    blocked = selection.blocked & {entry.name, entry.module}
    return Candidate(
        name=entry.name,
        source=source,
        state="blocked" if blocked else "on" if on else "off",
        load=partial(_load, entry.name, source, entry.load),
    )


def _import_named(name: str, source: str, known: list[str]) -> object:
    """Import the module that a person named; a missing module gets another error than one that fails."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if not f"{name}.".startswith(f"{error.name}."):
            raise  # the module is there, and something that it imports is not
        raise PluginError(
            f"{source}: there is no plugin named {name!r}",
            hint=did_you_mean(name, known)
            or "it is neither built in, nor an installed entry point, nor a module that can be imported; with "
            "PYTHONPATH=. those of the current folder can be",
        ) from error


def _load(name: str, source: str, load: Callable[[], object]) -> object:
    """Import a plugin within an error boundary."""
    try:
        return load()
    except (PluginError, KeyboardInterrupt):
        raise
    except BaseException as error:
        place = attribution.location(error)
        raise PluginError(
            f"plugin {name!r} ({source}) cannot be imported: {attribution.describe(error)}"
            + (f" ({place})" if place else ""),
            hint=f"leave it out with -p no:{name}",
        ) from error


def entry_points() -> list[EntryPoint]:
    """Return the group's entry points, sorted by name and distribution, without importing any of them."""
    if _surely_none():
        return []
    import importlib.metadata

    found = importlib.metadata.entry_points(group=GROUP)
    return sorted(found, key=lambda entry: (entry.name, entry_point_source(entry)))


def entry_point_source(entry: EntryPoint) -> str:
    """Return the source of an entry point, as it is shown: ``entry point DIST VERSION``."""
    if entry.dist is None:
        return "entry point"
    return f"entry point {entry.dist.name} {entry.dist.version}"


def _surely_none() -> bool:
    """Return whether no distribution can offer entry points, without importing ``importlib.metadata``.

    That import costs more than everything else the manager does, and most people have no plugin installed. This looks
    where the standard finder would look; wherever anything is unusual it answers False.
    """
    for finder in sys.meta_path:
        if finder is not PathFinder and hasattr(finder, "find_distributions"):
            return False
    return not any(_may_offer(folder or ".") for folder in dict.fromkeys(sys.path))


def _may_offer(folder: str) -> bool:
    if os.path.isfile(folder) or folder.endswith(".egg"):  # noqa: PTH113 - a zip file, or an old style egg
        return True
    try:
        names = os.listdir(folder)  # noqa: PTH208 - pathlib is slow here, and this is start-up time
    except OSError:
        return False  # the standard finder skips it too
    for name in names:
        if not name.lower().endswith((".dist-info", ".egg-info", ".egg")):
            continue
        try:
            with open(os.path.join(folder, name, "entry_points.txt"), "rb") as file:  # noqa: PTH118, PTH123
                if any(line.strip() == _SECTION for line in file):
                    return True
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            return True
    return False


def load_local(source: bytes, root: Path) -> ModuleType:
    """Run the local plugin's code as a new module.

    Args:
        source: The file's bytes, as agreed to.
        root: The repository's top level, for ``__file__`` and messages.

    Raises:
        PluginError: If it cannot be compiled or raises; names the file and the line.
    """
    import hashlib

    from selfreview.trust.subject import CONF_NAME  # here, as completing and helping need none of trust

    path = str(root / CONF_NAME)
    # Data classes and msgspec look up a class's module in sys.modules, so it has to be there, under a name that
    # nothing else can have.
    digest = hashlib.sha256(os.fsencode(path) + b"\0" + source).hexdigest()
    unique = f"{LOCAL_NAME}_{digest[:16]}"
    module = ModuleType(unique)
    module.__file__ = path
    earlier = sys.modules.get(unique)
    sys.modules[unique] = module
    try:
        _run(source, path, module)
    except BaseException:  # whatever it is, it passes on
        del sys.modules[unique]
        if earlier is not None:
            sys.modules[unique] = earlier
        raise
    return module


def _run(source: bytes, path: str, module: ModuleType) -> None:
    try:
        exec(compile(source, path, "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - the person agreed to it
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        where = attribution.location(error, path) or path
        hint = f"fix {Path(path).name}, or turn it off with -p no:{LOCAL_NAME}"
        raise PluginError(f"{where}: {attribution.describe(error)}", hint=hint) from error
