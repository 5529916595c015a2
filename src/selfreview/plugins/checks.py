"""Checks of a plugin's hooks: one that is misspelt, or not marked as a hook, would otherwise go unnoticed."""

from __future__ import annotations

import inspect

import pluggy

from selfreview.errors import PluginError
from selfreview.plugins.names import did_you_mean


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
