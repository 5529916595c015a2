"""A review only reads: index, working tree, refs and objects are byte for byte what they were."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

import pytest

from tests.conftest import Workspace


def state(root: Path) -> dict[str, tuple[int, str]]:
    """Every file below a folder with its mode and digest, git's own files included, the store left out."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if name.startswith(".git/selfreview") or path.is_dir():
            continue
        content = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
        found[name] = (path.lstat().st_mode, hashlib.sha256(content).hexdigest())
    return found


@pytest.mark.parametrize("arguments", [[], ["--staged"], ["--commit", "HEAD"], ["--base", "main", "--head", "HEAD"]])
def test_nothing_is_written(workspace: Workspace, arguments: list[str]) -> None:
    workspace.commit(**{"staged.py": "a = 1\n", "both.py": "a = 1\n", "same.py": "a = 1\n", "gone.py": "a = 1\n"})
    workspace.write("staged.py", "a = 2\n")
    workspace.write("both.py", "a = 2\n")
    workspace.git("add", "staged.py", "both.py")
    workspace.write("both.py", "a = 3\n")
    workspace.write("new.py", "a = undefined_name\n")
    workspace.write("crlf.txt", b"one\r\ntwo\r\n")
    (workspace.root / "gone.py").unlink()
    if sys.platform != "win32":
        (workspace.root / "link").symlink_to("nowhere")
    os.utime(workspace.root / "same.py", (1, 1))  # looks changed to git until it has read it
    before = state(workspace.root)
    workspace.selfreview("run", *arguments)
    assert state(workspace.root) == before
