"""Hints for files that may not be read or written, usually because a run with ``sudo`` made them."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from pathlib import Path

_CHECK = "check that you may read and write there, and that it is not on a read-only file system"
_FOLDER = "selfreview"


def access_hint(path: Path) -> str:
    """Return a hint about a path that is denied.

    A command that takes a folder over from another user names only one that selfreview made for itself: that of a git
    directory, of the person's data or of their settings. None gives anything to root.
    """
    above = [path, *path.parents]
    at = next((at for at, place in enumerate(above) if _is_ours(place)), None)
    owner = _other_owner(reversed(above[: at + 1])) if at is not None and hasattr(os, "geteuid") else None
    if owner is None or at is None:
        return _CHECK
    whose = f"it belongs to {_name(owner)}"
    if os.geteuid() == 0:
        return f"{whose}: run selfreview as {_name(owner)}, without sudo"
    folder = str(above[at])
    if not folder.isprintable():  # it would be shown as something else than what a shell has to be given
        return f"{whose}: {_CHECK}"
    after = ", as after sudo" if owner == 0 else ""
    return f"{whose}{after}: sudo chown -R {_name(os.geteuid())} {shlex.quote(folder)}"


def _is_ours(place: Path) -> bool:
    """Return whether a folder is one that selfreview made for itself, and no checkout of that name."""
    if place.name != _FOLDER:
        return False
    if os.path.lexists(place.parent / "HEAD"):  # a git directory; a bare one can have a working tree in it
        return not os.path.lexists(place / ".git")
    return place in _own_folders()


def _own_folders() -> list[Path]:
    import platformdirs

    named = [Path(os.environ.get(name, "")) for name in ("SELFREVIEW_DATA_DIR", "SELFREVIEW_CONFIG_DIR")]
    try:
        usual = [
            platform(_FOLDER, appauthor=False)
            for platform in (platformdirs.user_data_path, platformdirs.user_config_path)
        ]
    except RuntimeError:  # nobody's home can be found
        usual = []
    return named + usual


def _other_owner(places: Iterable[Path]) -> int | None:
    """Return the owner of the first of these places that does not belong to whoever runs this, or None."""
    for place in places:
        try:
            owner = place.lstat().st_uid
        except OSError:
            continue
        if owner != os.geteuid():
            return owner
    return None


def _name(user: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:  # no name in this container
        return str(user)
