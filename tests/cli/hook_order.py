"""A plugin with every hook that is given the configuration, and the rule on the order in which they are called."""

from __future__ import annotations

import json
from pathlib import Path

PLUGIN = """
import inspect, json, os
from pathlib import Path
from selfreview import hookspecs
from selfreview.api import hookimpl

configs = []  # kept, so that no two have one id

def recorder(name):
    def called(config):
        configs.append(config)
        with Path(os.environ["HOOK_ORDER"]).open("a") as stream:
            stream.write(json.dumps([os.getpid(), id(config), name]) + "\\n")
        if name in os.environ.get("HOOK_RAISES", ""):
            raise ValueError("no")
        return os.environ.get("HOOK_VETO") if name in VETOES else None
    return hookimpl(called)

VETOES = ("selfreview_before_apply", "selfreview_before_push")
for name, hook in list(vars(hookspecs).items()):
    if name.startswith("selfreview_") and "config" in inspect.signature(hook).parameters:
        globals()[name] = recorder(name)
"""


class HookOrder:
    """The hooks that commands call, written down by a plugin.

    Args:
        folder: Where the plugin and its notes are.
    """

    def __init__(self, folder: Path) -> None:
        self._notes = folder / "told-hooks"
        (folder / "recording_hooks.py").write_text(PLUGIN)
        self.environment = {
            "PYTHONPATH": str(folder),
            "SELFREVIEW_PLUGINS": "recording_hooks",
            "HOOK_ORDER": str(self._notes),
        }

    def check(self) -> list[list[str]]:
        """Check the order of the hooks called since; return those of each configuration, in the order of configuring.

        Plugins register at any time. A workspace is reviewed with a configuration of its own, and by plugins that are
        configured.
        """
        calls = [json.loads(line) for line in self._notes.read_text().splitlines()] if self._notes.exists() else []
        self._notes.unlink(missing_ok=True)
        found: dict[tuple[int, int], list[str]] = {}
        current: list[tuple[int, int]] = []
        for process, config, name in calls:
            key, hook = (process, config), name.removeprefix("selfreview_")
            if hook == "configure":
                assert key not in found, calls
                current.append(key)
            elif key in found:
                assert key in current, (hook, calls)
            elif hook.startswith("register_"):
                continue
            else:
                assert current, (hook, calls)
                key = current[-1]
            found.setdefault(key, []).append(hook)
            if hook == "unconfigure":
                current.remove(key)
        assert not current, calls
        return list(found.values())
