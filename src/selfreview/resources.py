"""The files beside the code: ``templates/`` and ``hooks/``.

In a wheel they lie in the package, in a checkout and an editable install at the top level.
"""

from __future__ import annotations

from pathlib import Path

KINDS = ("templates", "hooks")


def folder(kind: str) -> Path:
    """Return the folder of one kind.

    Args:
        kind: ``"templates"`` or ``"hooks"``.

    Raises:
        FileNotFoundError: If this installation lacks it, which is a defect of the package.
    """
    if kind not in KINDS:
        raise ValueError(f"no such kind of resource: {kind}")
    package = Path(__file__).resolve().parent
    for candidate in (package / "_data" / kind, package.parent.parent / kind):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"selfreview was installed without its {kind} folder")


def read(kind: str, name: str) -> bytes:
    """Return the bytes of one file, by its path below the folder."""
    return folder(kind).joinpath(*name.split("/")).read_bytes()
