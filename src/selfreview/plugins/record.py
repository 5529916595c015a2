"""Information on one plugin, for ``selfreview plugins`` and ``--trace-config``."""

from __future__ import annotations

import dataclasses
from typing import Literal

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
