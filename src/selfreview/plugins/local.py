"""The local plugin: ``selfreview_conf.py`` at the top level of a repository.

Only that one file's code runs. It is compiled from the very bytes that were agreed to, so that a change between the
question and the start has no effect; the repository is not put on ``sys.path``, so that what the file imports comes
from the Python environment selfreview is installed in; and nothing is written next to it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType

from selfreview.errors import PluginError
from selfreview.plugins import attribution
from selfreview.trust import CONF_NAME

NAME = "selfreview_conf"
"""The local plugin's name, for ``-p no:selfreview_conf``."""


def load(source: bytes, root: Path) -> ModuleType:
    """Run the local plugin's code as a new module.

    Args:
        source: The file's bytes, as agreed to.
        root: The repository's top level, for ``__file__`` and messages.

    Raises:
        PluginError: If it cannot be compiled or raises; names the file and the line.
    """
    import hashlib

    path = str(root / CONF_NAME)
    # Data classes and msgspec look up a class's module in sys.modules, so it has to be there, under a name that
    # nothing else can have.
    digest = hashlib.sha256(os.fsencode(path) + b"\0" + source).hexdigest()
    unique = f"{NAME}_{digest[:16]}"
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
        raise PluginError(
            f"{where}: {attribution.describe(error)}", hint=f"fix {CONF_NAME}, or turn it off with -p no:{NAME}"
        ) from error
