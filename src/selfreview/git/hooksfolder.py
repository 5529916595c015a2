"""The folder that git takes hooks from, and who else takes them from there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from selfreview.errors import HookError
from selfreview.git.repo import Repo


class HooksFolder(NamedTuple):
    """Where git looks for hooks.

    Attributes:
        path: The folder, with symbolic links followed; it need not exist.
        setting: Where ``core.hooksPath`` is set, or None where it is not.
        tracked: Whether it is in the working tree, so that it can be committed and others may use the same files.
        shared: Whether it is outside of this repository, so that other repositories may use it.
        husky: Whether husky made it; husky writes it anew with every installation of packages.
    """

    path: Path
    setting: str | None
    tracked: bool
    shared: bool
    husky: bool


def hooks_folder(repo: Repo) -> HooksFolder:
    """Find the folder.

    Raises:
        HookError: If ``core.hooksPath`` names something that cannot hold hooks.
    """
    setting, value = _configured(repo)
    # Git takes it relative to where it runs hooks, which is the top level.
    path = Path(os.path.realpath(repo.root / value if value is not None else repo.common_dir / "hooks"))
    if value == "" or (path.exists() and not path.is_dir()):
        raise HookError(
            f"core.hooksPath is {value!r}, so git runs no hooks here ({setting})"
            if value is not None
            else f"{path} is not a folder",
            hint="git config --unset core.hooksPath" if value is not None else None,
        )
    private = _inside(path, repo.common_dir) or _inside(path, repo.git_dir)
    tracked = not private and _inside(path, repo.root)
    husky = path.name == "_" and path.parent.name == ".husky"
    return HooksFolder(path, setting, tracked, not private and not tracked, husky)


def default_folder(repo: Repo) -> Path:
    """Return the folder that git uses where nothing is configured."""
    return Path(os.path.realpath(repo.common_dir / "hooks"))


def _configured(repo: Repo) -> tuple[str | None, str | None]:
    """Return where ``core.hooksPath`` is set and to what.

    Every call of git sets it itself, last, so that no hook runs; that value is left out.
    """
    done = repo.git.call(["config", "-z", "--show-origin", "--type=path", "--get-all", "core.hooksPath"])
    fields = done.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]
    if done.returncode != 0 or len(fields) < 2:
        raise HookError("git does not say where hooks are", hint="selfreview doctor")
    origin, value = fields[-4:-2] or (None, None)
    return origin, value


def _inside(path: Path, folder: Path) -> bool:
    return path.is_relative_to(os.path.realpath(folder))
