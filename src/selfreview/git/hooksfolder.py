"""The folder that git takes hooks from, and who else takes them from there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from selfreview.errors import HookError
from selfreview.git.repo import Repo, working_trees
from selfreview.git.run import first_line


class HooksFolder(NamedTuple):
    """The folder in which git looks for hooks.

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


def hooks_in_tree(repo: Repo) -> tuple[str, ...]:
    """Return the paths that git takes for hooks, from the top level of a working tree; ``""`` is that level itself.

    These are folders that ``core.hooksPath`` names, in whatever file of settings, and files that links among the hooks
    lead to. One in another working tree of the repository counts as well: a branch brings a file to all of them.

    Raises:
        GitError: If git does not say.
        HookError: If git does not say.
    """
    values = [value for _, value in _all_configured(repo) if value]
    roots = [repo.root, *(tree.path for tree in working_trees(repo.git))]
    folders = [Path(root, value) for root in roots for value in values]
    linked = [path for folder in (*folders, repo.common_dir / "hooks") for path in _links(folder)]
    found = {place for path in (*folders, *linked) for root in roots for place in _below(path, root)}
    # Husky's own folder has scripts that run those beside it.
    found |= {place.rpartition("/")[0] for place in found if place.endswith("/_")}
    return tuple(sorted(found))


def _links(folder: Path) -> Iterator[Path]:
    """Yield the symbolic links of a folder, which need not exist."""
    try:
        yield from (path for path in folder.iterdir() if path.is_symlink())
    except OSError:
        return


def _below(path: Path, root: Path) -> Iterator[str]:
    """Yield where a path is below a folder, as it is written and with links followed."""
    for place, top in ((os.path.normpath(path), os.path.normpath(root)), tuple(map(os.path.realpath, (path, root)))):
        if Path(place).is_relative_to(top):
            yield "" if place == top else Path(place).relative_to(top).as_posix()


def _configured(repo: Repo) -> tuple[str | None, str | None]:
    """Return where ``core.hooksPath`` is set and to what."""
    return next(reversed(_all_configured(repo)), (None, None))


def _all_configured(repo: Repo) -> list[tuple[str, str]]:
    """Return where ``core.hooksPath`` is set and to what; the last one counts.

    Every call of git sets it itself, last, so that no hook runs; that value is left out.
    """
    done = repo.git.call(["config", "-z", "--show-origin", "--type=path", "--get-all", "core.hooksPath"])
    fields = done.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]
    if done.returncode != 0 or len(fields) < 2:
        said = first_line(done.stderr)
        raise HookError(f"git does not say where hooks are{said and f': {said}'}", hint="selfreview doctor")
    return list(zip(fields[:-2:2], fields[1:-2:2], strict=True))


def _inside(path: Path, folder: Path) -> bool:
    return path.is_relative_to(os.path.realpath(folder))
