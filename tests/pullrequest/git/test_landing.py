"""What of a hook's work on a fix is put back."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import cast

from selfreview.apply.patches import Patch
from selfreview.git.entry import PLAIN, Entry
from selfreview.git.repo import discover
from selfreview.pullrequest.git.landing import as_applied, left_over, put_back
from tests.conftest import Workspace


def test_what_is_left() -> None:
    assert left_over([]) == []
    assert left_over(["b", "a", "c"])[0].startswith("a and 2 more were edited meanwhile")


def test_only_what_was_as_applied_before_is_put_back(workspace: Workspace) -> None:
    files = {name: Entry(PLAIN, f"{name} fixed\n".encode()) for name in ("one", "two", "gone")}
    listed = [SimpleNamespace(name=name, new=name) for name in files]
    patch = cast(Patch, SimpleNamespace(manifest=SimpleNamespace(files=listed), entry=files.get))
    for name in ("one", "gone"):
        workspace.write(name, files[name].data)
    workspace.write("two", "a person's\n")
    applied = as_applied(workspace.root, patch)
    assert applied == {"one", "gone"}
    workspace.write("one", "formatted\n")
    (workspace.root / "gone").unlink()
    (told,) = put_back(discover(workspace.root, os.environ), patch, applied)
    assert [(workspace.root / name).read_text() for name in files] == ["one fixed\n", "a person's\n", "gone fixed\n"]
    assert workspace.git("cat-file", "-p", told.rpartition(" ")[2]) == "formatted"
