"""Cache key of a configured command: everything that its findings depend on besides the files themselves."""

from __future__ import annotations

import json
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from selfreview.api import ReviewContext
from selfreview.reviewers._tool import digest, program_key


def cache_key(table: Mapping[str, Any], program: Path | None, context: ReviewContext) -> bytes | None:
    """Digest the table, the executable and every file that ``inputs`` names.

    Returns:
        None where the program is missing, and where one of them cannot be read for what it is: a link, a pipe, a file
        that is not there any more.
    """
    if program is None:
        return None
    patterns = table["inputs"]
    root = context.tree()
    try:
        parts: list[str | bytes] = [json.dumps(dict(table), sort_keys=True), program_key(root / program)]
        for path in sorted({path for pattern in patterns for path in root.glob(pattern)}):
            mode = path.lstat().st_mode
            if stat.S_ISREG(mode):
                parts += [path.relative_to(root).as_posix(), path.read_bytes()]
            elif not stat.S_ISDIR(mode):
                return None
    except (OSError, NotImplementedError, ValueError):  # the latter two: a pattern that leads out of the tree
        return None
    return digest(parts)
