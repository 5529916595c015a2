"""Journal of the apply or undo in progress, and of the last one: written before the first file is touched."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from selfreview.errors import ApplyError
from selfreview.model.wire import from_json


class Journal(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Apply or undo in progress, or the last one.

    Attributes:
        patch: Id of the patch.
        undo: Whether it is being taken back.
        staged: Whether its files are staged too.
        at: When it began.
        permissions: By number, the permissions of the files that were there, for one that is put back.
        folders: Path and permissions of the folders that were there and may go with the files, or for one of them.
        index: By number, what the index held of the files that are to be staged, as git writes it; empty where absent.
        head: The commit that was checked out when it was applied; empty where there was none.
        root: Top level of a tree that the git directory does not belong to, as it is shown; None for its own.
        branch: The branch that was checked out then, ``""`` for none; None: not known.
    """

    patch: str
    undo: bool
    staged: bool
    at: str
    permissions: dict[int, int] = {}
    folders: list[tuple[bytes, int]] = []
    index: dict[int, str] = {}
    head: str = ""
    root: str | None = None
    branch: str | None = None


class Recovery(NamedTuple):
    """Outcome of recovering an interrupted apply.

    Attributes:
        journal: What had been begun.
        completed: Whether it is done now; otherwise it was taken back.
        skipped: Files that were left alone: the person had edited them meanwhile, or has put something in their place.
        unstaged: Why files were not staged though that was begun, by path.
    """

    journal: Journal
    completed: bool
    skipped: tuple[str, ...]
    unstaged: Mapping[str, str] = MappingProxyType({})


def read_journal(path: Path) -> Journal | None:
    """Return the journal in a file, or None where there is none.

    Raises:
        ApplyError: If it cannot be read.
    """
    try:
        return from_json(path.read_bytes(), Journal)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as error:
        raise ApplyError(f"{path} cannot be read: {error}", hint="look at it, and remove it") from error
