"""The person's own file."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from selfreview.config import toml
from selfreview.config.files import read_file
from selfreview.config.sources import Source
from selfreview.errors import ConfigError


def user_source(environ: Mapping[str, str]) -> Source | None:
    """Return what the person's own file says, or None where there is none.

    It is ``config.toml`` in the platform's configuration folder, or in ``SELFREVIEW_CONFIG_DIR``.

    Raises:
        ConfigError: If it cannot be read or parsed, or ``SELFREVIEW_CONFIG_DIR`` is not an absolute path: a relative
            one would let a repository bring a file that passes for the person's own.
    """
    folder = user_folder(environ)
    if folder is None:
        return None
    path = folder / "config.toml"
    data = read_file(path, str(path))
    if data is None:
        return None
    file = toml.parse(data, str(path))
    return Source(kind="user", values=file.document, place=file.place)


def user_folder(environ: Mapping[str, str]) -> Path | None:
    """Return the folder of the person's own file, or None where there is no such place.

    Raises:
        ConfigError: If ``SELFREVIEW_CONFIG_DIR`` is not an absolute path.
    """
    given = environ.get("SELFREVIEW_CONFIG_DIR")
    if given:
        if not Path(given).is_absolute():
            raise ConfigError(f"SELFREVIEW_CONFIG_DIR must be an absolute path, not {given!r}")
        return Path(given)
    return _usual_linux_folder(environ) or _platform_folder()


def _usual_linux_folder(environ: Mapping[str, str]) -> Path | None:
    """Return the folder that platformdirs would return, where that is plain, or None.

    Importing platformdirs takes longer than everything else that configuration needs, in every run.
    """
    if sys.platform != "linux" or "ANDROID_DATA" in environ:
        return None
    for base, below in ((environ.get("XDG_CONFIG_HOME", ""), ""), (environ.get("HOME", ""), ".config")):
        if base.startswith("/"):
            return Path(base, below, "selfreview")
    return None


def _platform_folder() -> Path | None:
    import platformdirs

    try:
        folder = platformdirs.user_config_path("selfreview", appauthor=False)
    except RuntimeError:  # nobody's home can be found, as for an unknown user in a container
        return None
    return folder if folder.is_absolute() else None  # a relative one would lie in the current folder
