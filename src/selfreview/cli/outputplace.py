"""Refusal to write a report through a symbolic link, which the change under review may have brought."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from selfreview.errors import UsageError


def check_place(file: Path, environ: Mapping[str, str]) -> None:
    """Refuse a file whose path goes through a symbolic link below a repository's working tree.

    Such a link can be a part of the change, and would have the report overwrite any file it likes. Links elsewhere are
    a person's own.

    Args:
        file: Where a report is to go, relative to the current folder or absolute.
        environ: Names the working tree where git's own variables do.

    Raises:
        UsageError: If there is such a link.
    """
    place = Path.cwd()
    for part in file.parts:  # ".." is followed as the system does: from where a link leads to
        name = place / part
        is_link = os.path.islink(name)  # noqa: PTH114 - Path.is_symlink raises for a name that cannot be
        if is_link and part not in ("..", file.anchor) and _in_working_tree(place, environ):
            raise UsageError(
                f"{file} is not written: {part} is a symbolic link of the working tree",
                hint="name a file outside of the repository, or remove the link",
            )
        place = Path(os.path.realpath(name))  # unlike Path.resolve, of a loop too


def _in_working_tree(folder: Path, environ: Mapping[str, str]) -> bool:
    above = (folder, *folder.parents)
    if any(os.path.lexists(one / ".git") for one in above):
        return True
    named = environ.get("GIT_WORK_TREE") or ("." if environ.get("GIT_DIR") else None)
    return named is not None and Path(named).resolve() in above
