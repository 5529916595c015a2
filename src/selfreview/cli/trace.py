"""``--trace-config``: which plugins and which configuration a run uses."""

from __future__ import annotations

from selfreview.cli import console
from selfreview.config.bootstrap import Loaded


def trace(loaded: Loaded) -> None:
    """Print plugins and non-default keys on standard error."""
    console.note("plugins:")
    for record in loaded.manager.records():
        hooks = ", ".join(name.removeprefix("selfreview_") for name in record.hooks)
        console.note(f"  {record.name}  {record.state}  {record.source}" + (f"  ({hooks})" if hooks else ""))
    console.note("configuration that is set:")
    for setting in loaded.config.settings():
        if setting.origin != "default":
            console.note(f"  {setting.key.name} = {setting.value!r}  ({setting.origin})")
