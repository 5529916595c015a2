"""What a configured command's findings depend on besides the files themselves."""

from __future__ import annotations

import hashlib
import json
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from selfreview.api import ReviewContext
from selfreview.reviewers._tool import program_key


def cache_key(table: Mapping[str, Any], program: Path | None, context: ReviewContext) -> bytes | None:
    """Digest the table, the executable and every file that ``inputs`` names.

    Returns:
        None without ``inputs``, and where one of them cannot be read for what it is: a link, a pipe, a file that is
        not there any more.
    """
    patterns = table.get("inputs")
    if patterns is None or program is None:
        return None
    root = context.tree()
    try:
        parts = [json.dumps(dict(table), sort_keys=True), program_key(root / program)]
        digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape"))
        for path in sorted({path for pattern in patterns for path in root.glob(pattern)}):
            mode = path.lstat().st_mode
            if stat.S_ISDIR(mode):
                continue
            if not stat.S_ISREG(mode):
                return None
            data = path.read_bytes()
            name = path.relative_to(root).as_posix().encode("utf-8", "surrogateescape")
            digest.update(b"%d:%b%d:%b" % (len(name), name, len(data), data))
    except (OSError, NotImplementedError, ValueError):  # the latter two: a pattern that leads out of the tree
        return None
    return digest.digest()
