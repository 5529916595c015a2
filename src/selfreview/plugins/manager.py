"""Finding, loading and calling plugins: pluggy, without a global manager."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import FunctionType, MethodType, ModuleType
from typing import Any

import pluggy

from selfreview import hookspecs
from selfreview.api import PROJECT_NAME, OptionParser
from selfreview.errors import PluginError, RegistrationError, SelfreviewError
from selfreview.plugins import attribution, finder
from selfreview.plugins.builtins import Builtins
from selfreview.plugins.finder import Candidate, PluginRecord, Selection, State, find
from selfreview.text.suggestion import did_you_mean
from selfreview.trust.subject import CONF_NAME

_OF_EVERY_OBJECT = frozenset({*dir(object), "__dict__", "__module__", "__weakref__"})


class _Hooks(pluggy.PluginManager):
    """A hook finder that does not inspect all other names of a plugin, which would take a tenth of a run's own time."""

    def parse_hookimpl_opts(self, plugin: object, name: str) -> pluggy.HookimplOpts | None:
        if name in _OF_EVERY_OBJECT:
            return None
        value = vars(plugin).get(name) if isinstance(plugin, ModuleType) else None
        if not isinstance(plugin, ModuleType) or isinstance(value, (staticmethod, classmethod, MethodType)):
            return super().parse_hookimpl_opts(plugin, name)
        return vars(value).get(f"{self.project_name}_impl") if type(value) is FunctionType else None


class PluginManager:
    """The plugins of one run.

    Use: :meth:`load`, perhaps :meth:`load_local`, :meth:`set_up` after each, then :meth:`call` and
    :meth:`call_observers`.

    Args:
        arguments: The values of every ``-p``, in order.
        environ: The environment.
        builtins: The plugins that selfreview comes with.

    Attributes:
        notes: Sentences for a person about what was asked for and had no effect.

    Raises:
        UsageError: If ``-p`` names no plugin, or turns an essential one off.
    """

    def __init__(
        self,
        *,
        arguments: Sequence[str] = (),
        environ: Mapping[str, str] | None = None,
        builtins: Builtins | None = None,
    ) -> None:
        self.notes: list[str] = []
        self._builtins = builtins or Builtins()
        self._selection = Selection.parse(arguments, environ or {}, self._builtins.modules)
        self._pluggy = _Hooks(PROJECT_NAME)
        self._pluggy.add_hookspecs(hookspecs)
        self._records: dict[str, PluginRecord] = {}
        self._ready: set[str] = set()

    def load(self, *, only: str | None = None) -> None:
        """Load the built-ins, the requested plugins, and those that installed distributions offer.

        Args:
            only: The name of the one plugin to load instead; the others are not imported.

        Raises:
            PluginError: If one cannot be found or imported, or two share a name.
        """
        for candidate in find(self._selection, self._builtins, self.notes):
            if only is not None and candidate.name != only:
                continue
            if candidate.state == "on":
                self._register(candidate.load(), candidate.name, candidate.source, essential=candidate.essential)
            else:
                self._note(candidate, candidate.state)

    def load_local(self, source: bytes, root: Path) -> None:
        """Load ``selfreview_conf.py``, unless it is blocked; only call this once it is trusted.

        Args:
            source: The bytes that are trusted.
            root: The repository's top level.

        Raises:
            PluginError: If it cannot be loaded; names the file and the line.
        """
        if self.blocks(finder.LOCAL_NAME):
            self.withhold_local("blocked", root)
            return
        self._register(finder.load_local(source, root), finder.LOCAL_NAME, CONF_NAME)

    def withhold_local(self, state: State, root: Path) -> None:
        """Record that ``selfreview_conf.py`` exists and is not loaded."""
        self._records[finder.LOCAL_NAME] = PluginRecord(
            name=finder.LOCAL_NAME, source=CONF_NAME, state=state, file=str(root / CONF_NAME)
        )

    def blocks(self, name: str) -> bool:
        """Return whether ``-p no:NAME`` was given for a name."""
        return name in self._selection.blocked

    def set_up(self, parser: OptionParser) -> None:
        """Let the plugins loaded since the last call add their hooks, check them, and let them declare their keys.

        Raises:
            PluginError: If a hook is misspelt, unmarked or has the wrong arguments, if a plugin has none, or raises.
        """
        plugins = dict(self._pluggy.list_name_plugin())
        earlier = [plugin for name, plugin in plugins.items() if name in self._ready]
        self._invoke("selfreview_addhooks", {"pluginmanager": self._pluggy}, without=earlier)
        check_hooks(self._pluggy)
        self._check_that_all_do_something()
        self._invoke("selfreview_addoption", {"parser": parser}, without=earlier)
        self._ready.update(plugins)

    def call(self, hook: str, /, **arguments: Any) -> Any:
        """Call a registration or deciding hook of every plugin; return what pluggy does for that hook.

        Raises:
            PluginError: If a plugin raises; names the plugin and the hook. Errors for people pass as they are.
        """
        return self._invoke(hook, arguments)

    def call_added(self, hook: str, /, **arguments: Any) -> Any:
        """Call a hook of the plugins that selfreview does not come with; otherwise as :meth:`call`."""
        own = [plugin for name, plugin in self._pluggy.list_name_plugin() if self._is_built_in(name)]
        return self._invoke(hook, arguments, without=own)

    def call_observers(
        self, hook: str, /, *, report: Callable[[str, str, BaseException], None], **arguments: Any
    ) -> list[Any]:
        """Call a hook plugin by plugin, so that one that raises does not keep the others from being called.

        Args:
            hook: The hook's name.
            report: Called with the plugin's name, the hook's name and the exception of each that raised.
            arguments: The hook's arguments.

        Returns:
            What the plugins returned, except None.
        """
        results: list[Any] = []
        implementations = getattr(self._pluggy.hook, hook).get_hookimpls()
        for plugin in dict.fromkeys(impl.plugin for impl in reversed(implementations)):
            others = [other for _, other in self._pluggy.list_name_plugin() if other is not plugin]
            try:
                returned = self._pluggy.subset_hook_caller(hook, remove_plugins=others)(**arguments)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # noqa: BLE001 - the error boundary that observers are promised
                report(self._pluggy.get_name(plugin) or "?", hook, error)
            else:
                results.extend(returned if isinstance(returned, list) else [returned])
        return [result for result in results if result is not None]

    def blamed(self, error: BaseException) -> PluginError | None:
        """Return the error that blames a person's plugin for an unexpected exception, or None for no plugin."""
        files = {r.file: r.name for r in self._records.values() if r.file is not None and r.source != "built-in"}
        found = attribution.place_in(error, files)
        if found is None:
            return None
        name, place = files[found[0]], found[1]
        return PluginError(
            f"plugin {name!r} failed: {attribution.describe(error)} ({place})",
            hint=f"fix it, or turn it off: -p no:{name}",
        )

    def records(self) -> list[PluginRecord]:
        """Return a record of every plugin, loaded or not, in the order of loading."""
        hooks: dict[str, set[str]] = {}
        for caller in hook_callers(self._pluggy):
            for impl in caller.get_hookimpls():
                hooks.setdefault(impl.plugin_name, set()).add(caller.name)
        for name, record in self._records.items():
            if self._pluggy.has_plugin(name):
                record.hooks = tuple(sorted(hooks.get(name, ())))
        return list(self._records.values())

    def left_out(self) -> dict[str, PluginRecord]:
        """Return the plugins that are installed, or named by ``-p no:NAME``, and not loaded, by name."""
        blocked = [PluginRecord(name=name, source="-p", state="blocked") for name in sorted(self._selection.blocked)]
        entries = [] if self._selection.autoload else finder.entry_points()
        unasked = [PluginRecord(name=e.name, source=finder.entry_point_source(e), state="off") for e in entries]
        found = {record.name: record for record in (*blocked, *unasked, *self._records.values())}
        return {name: record for name, record in found.items() if record.state != "on"}

    def _check_that_all_do_something(self) -> None:
        """Raise a PluginError for a plugin without a hook; the repository's own file may be empty."""
        for record in self.records():
            if record.state == "on" and not record.hooks and record.source not in ("built-in", CONF_NAME):
                raise PluginError(
                    f"plugin {record.name!r} ({record.source}) has no hooks",
                    hint="name the module whose functions are marked with @hookimpl from selfreview.api, and not "
                    "something in it",
                )

    def _is_built_in(self, name: str) -> bool:
        return name in self._records and self._records[name].source == "built-in"

    def _note(self, candidate: Candidate, state: State) -> None:
        self._records[candidate.name] = PluginRecord(
            name=candidate.name, source=candidate.source, state=state, essential=candidate.essential
        )

    def _register(self, plugin: object, name: str, source: str, *, essential: bool = False) -> None:
        if type(plugin).__hash__ is None:
            raise PluginError(f"plugin {name!r} ({source}) is an object that cannot be told apart: it is not hashable")
        if self._pluggy.is_registered(plugin):
            return  # one plugin asked for under two names: the first stands
        try:
            self._pluggy.register(plugin, name=name)
        except pluggy.PluginValidationError as error:
            raise self._invalid(name, error) from error
        self._records[name] = PluginRecord(
            name=name, source=source, state="on", essential=essential, file=getattr(plugin, "__file__", None)
        )

    def _invoke(self, hook: str, arguments: Mapping[str, Any], *, without: Sequence[object] = ()) -> Any:
        caller = self._pluggy.subset_hook_caller(hook, remove_plugins=without)
        try:
            return caller(**arguments)
        except RegistrationError as error:
            names, place = self._origin(error, caller)
            raise self._refused(error, names, place) from error
        except (SelfreviewError, KeyboardInterrupt):
            raise
        except pluggy.PluginValidationError as error:
            raise self._invalid(self._pluggy.get_name(error.plugin) or "?", error) from error
        except BaseException as error:
            names, place = self._origin(error, caller)
            raise PluginError(
                f"plugin {' or '.join(map(repr, names)) or '?'} failed in hook {hook}: {attribution.describe(error)}"
                + (f" ({place})" if place else "")
            ) from error

    def _origin(self, error: BaseException, caller: pluggy.HookCaller) -> tuple[list[str], str | None]:
        """Return the names of the plugins whose hook raised, and the place, ``FILE:LINE``."""
        names = attribution.culprits(error, caller.get_hookimpls())
        files = [record.file for name in names if (record := self._records.get(name)) is not None and record.file]
        codes = [getattr(i.function, "__code__", None) for i in caller.get_hookimpls() if i.plugin_name in names]
        files += [code.co_filename for code in codes if code is not None]
        return names, attribution.location(error, files[0] if files else None) or attribution.location(error)

    def _refused(self, error: RegistrationError, names: Sequence[str], place: str | None) -> RegistrationError:
        """Return the error that names the plugins which register what cannot be used."""
        if error.earlier is None:
            message = f"plugin {' or '.join(map(repr, names)) or '?'}: {error.message}"
            return RegistrationError(message + (f" ({place})" if place else ""), hint=error.hint)
        file = error.earlier.rpartition(":")[0]
        first = [record.name for record in self._records.values() if record.file == file]
        both = [*first[:1], *names[:1]]
        sides = [self._side(first, error.earlier), self._side(names, place)]
        turned_off = [f"-p no:{name}" for name in both if name in self._records and not self._records[name].essential]
        return RegistrationError(
            f"{error.message}: {' and '.join(sides)}",
            hint="give one another name" if len({*both}) < len(both) else f"leave one out: {' or '.join(turned_off)}",
        )

    def _side(self, names: Sequence[str], place: str | None) -> str:
        if names and self._is_built_in(names[0]):
            return f"of plugin {names[0]!r} (built-in)"
        return f"of plugin {names[0]!r} ({place or '?'})" if names else f"at {place}"

    def _invalid(self, name: str, error: pluggy.PluginValidationError) -> PluginError:
        first, *lines = str(error).splitlines()
        message, hint = "; ".join(lines), None
        hook = first.rpartition(" for hook ")[2].strip("'")
        function = getattr(error.plugin, hook)
        known = [argument for argument in getattr(self._pluggy.hook, hook).spec.argnames if argument != "self"]
        unknown = sorted({*inspect.signature(function).parameters} - {*known, "self"})
        if unknown:
            message = f"{hook} has no argument {', '.join(map(repr, unknown))}"
            near = did_you_mean(unknown[0], known)
            hint = f"{near} " * bool(near) + f"it may take: {', '.join(known) or 'nothing'}"
        code = inspect.unwrap(function).__code__
        message += f" ({code.co_filename}:{code.co_firstlineno})"
        return PluginError(f"plugin {name!r} implements a hook wrongly: {message}", hint=hint)


def check_hooks(manager: pluggy.PluginManager) -> None:
    """Check every registered plugin's hooks against the specifications.

    Raises:
        PluginError: If a plugin implements a hook that does not exist (unless marked ``optionalhook``), or defines a
            function named like a hook without ``@hookimpl``.
    """
    callers = hook_callers(manager)
    known = sorted(caller.name for caller in callers if caller.has_spec())
    for caller in callers:
        if caller.has_spec():
            continue
        for impl in caller.get_hookimpls():
            if not impl.optionalhook:
                raise PluginError(
                    f"plugin {impl.plugin_name!r} implements an unknown hook {caller.name!r}",
                    hint=did_you_mean(caller.name, known) or "a hook that may be missing is marked optionalhook=True",
                )
    for name, plugin in manager.list_name_plugin():
        defined = set(dir(plugin))  # as pluggy looks for them
        for attribute in known:
            if attribute in defined and _is_unmarked(manager, plugin, attribute):
                raise PluginError(
                    f"plugin {name!r} defines {attribute} without marking it as a hook",
                    hint="decorate it with @hookimpl from selfreview.api",
                )


def hook_callers(manager: pluggy.PluginManager) -> list[pluggy.HookCaller]:
    """Return the caller of each hook, specified or not."""
    return [caller for caller in vars(manager.hook).values() if isinstance(caller, pluggy.HookCaller)]


def _is_unmarked(manager: pluggy.PluginManager, plugin: object, attribute: str) -> bool:
    value = inspect.getattr_static(plugin, attribute, None)
    return inspect.isroutine(value) and manager.parse_hookimpl_opts(plugin, attribute) is None
