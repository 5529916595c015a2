"""Python files whose name makes ruff skip them without a report."""

from __future__ import annotations

import itertools
import posixpath
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from selfreview.api import ChangedFile, ReviewContext

_NO_PYTHON = re.compile(r"(?i).*\.(?:md|toml|ipynb)|(?:.*/)?(?:pipfile|poetry\.lock)", re.DOTALL)
"""File names that ruff takes for text, settings or a notebook, whatever the content."""


def stand_ins(files: Sequence[ChangedFile], root: Path, context: ReviewContext) -> dict[str, ChangedFile]:
    """Write the files that ruff would pass over, next to themselves, under names of modules; return them by path.

    Args:
        files: What is Python, by its name or its first line.
        root: The folder that stands for the top level.
        context: What is under review.
    """
    found: dict[str, ChangedFile] = {}
    for file in files:
        data = context.read(file) if _NO_PYTHON.fullmatch(file.path) else None
        if data is not None:
            folder = posixpath.dirname(file.path)
            names = (posixpath.join(folder, f"script_{number}.py") for number in itertools.count(1))
            name = next(name for name in names if not (root / name).exists())
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(data)
            found[file.path] = msgspec.structs.replace(file, path=name)
    return found
