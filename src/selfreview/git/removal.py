"""Remove a folder of our own, whatever became of it."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path


def remove_folder(folder: Path) -> bool:
    """Remove a folder, also where something in it was made read-only; return whether it is gone."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        for place, folders, _ in os.walk(folder):
            for name in folders:
                path = Path(place, name)
                if not path.is_symlink():
                    with contextlib.suppress(OSError):  # another user's, such as of a container that ran here
                        path.chmod(0o700)
        shutil.rmtree(folder, ignore_errors=True)
    return not folder.exists()
