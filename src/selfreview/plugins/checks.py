"""Mistakes in a plugin that would otherwise go unnoticed: a hook that is misspelt, or not marked as one."""

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
    known = sorted(name for name, caller in vars(manager.hook).items() if _is_specified(caller))
    for name, plugin in manager.list_name_plugin():
        for caller in manager.get_hookcallers(plugin) or ():
            if caller.has_spec():
                continue
            if any(impl.plugin is plugin and not impl.optionalhook for impl in caller.get_hookimpls()):
                raise PluginError(
                    f"plugin {name!r} implements an unknown hook {caller.name!r}",
                    hint=did_you_mean(caller.name, known) or "a hook that may be missing is marked optionalhook=True",
                )
        for attribute in known:
            if _is_unmarked(manager, plugin, attribute):
                raise PluginError(
                    f"plugin {name!r} defines {attribute} without marking it as a hook",
                    hint="decorate it with @hookimpl from selfreview.api",
                )


def _is_specified(caller: object) -> bool:
    return isinstance(caller, pluggy.HookCaller) and caller.has_spec()


def _is_unmarked(manager: pluggy.PluginManager, plugin: object, attribute: str) -> bool:
    value = inspect.getattr_static(plugin, attribute, None)
    return inspect.isroutine(value) and manager.parse_hookimpl_opts(plugin, attribute) is None
