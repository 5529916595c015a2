"""Pieces that the cases about patches are made of."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from .expect import File, modified
from .registry import register

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .expect import Check
    from .repo import Lab

Patch = str | bytes

# One hunk that changes line 2 of three, and the file it makes of f.txt.
HUNK = "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n"
EDIT = modified("f.txt", 2, removed=1)
INDEX = "index 1111111..2222222 100644\n"
NO_NEWLINE = "\\ No newline at end of file\n"
SIGNATURE = "-- \n2.39.5\n\n"


def git(old: str, new: str, hunk: str = HUNK, *, header: str = INDEX) -> str:
    """One file in git's form."""
    return f"diff --git {old} {new}\n{header}--- {old}\n+++ {new}\n{hunk}"


def edit(hunk: str = HUNK, *, name: str = "f.txt", header: str = INDEX) -> str:
    """A change of one file, with git's usual prefixes."""
    return git(f"a/{name}", f"b/{name}", hunk, header=header)


def new(name: str, lines: str, count: int, *, mode: str = "100644") -> str:
    """A new file in git's form; `lines` carry their plus signs."""
    header = f"new file mode {mode}\nindex 0000000..1111111\n"
    return f"diff --git a/{name} b/{name}\n{header}--- /dev/null\n+++ b/{name}\n@@ -0,0 +1,{count} @@\n{lines}"


def gone(name: str, lines: str, count: int, *, mode: str = "100644") -> str:
    """A deleted file in git's form; `lines` carry their minus signs."""
    header = f"deleted file mode {mode}\nindex 1111111..0000000\n"
    return f"diff --git a/{name} b/{name}\n{header}--- a/{name}\n+++ /dev/null\n@@ -1,{count} +0,0 @@\n{lines}"


def plain(old: str, new_name: str, hunk: str = HUNK) -> str:
    """One file as `diff -u` writes it."""
    return f"--- {old}\n+++ {new_name}\n{hunk}"


def moved(verb: str, old: str, new_name: str, *, percent: int = 100) -> str:
    """The extended header of a rename or a copy."""
    return f"similarity index {percent}%\n{verb} from {old}\n{verb} to {new_name}\n"


def whole(content: Patch, files: list[File], lab: Lab) -> Iterator[Check]:
    """The patch as a file, in a folder that is no repository."""
    folder = lab.folder().write({"x.patch": content})
    yield folder.check("--diff", "x.patch", files=files)


def register_all(theme: str, forms: Mapping[str, tuple[Patch, list[File]]]) -> None:
    """One case for each patch."""
    for situation, (content, files) in forms.items():
        register(f"{theme}.{situation}", partial(whole, content, files))
