"""One change with a bit of everything, to be looked at under every setting there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .expect import added, deleted, modified, renamed
from .repo import text

if TYPE_CHECKING:
    from .repo import Lab, Repo

ACCENTED = "n\u00e4w name.txt"

# The last commit: two edits close to each other and a removed line, a rename, a deletion, a new file.
COMMITTED = (
    added("added.txt", 4),
    deleted("gone.txt", 3),
    renamed("old name.txt", ACCENTED, 2, removed=1),
    modified("src/app.txt", 3, 6, removed=3),
)
# The index: a rename.
STAGED = (renamed("added.txt", "moved.txt"),)
# The working tree: that rename, two more edits, an untracked file.
PENDING = (*STAGED, added("fresh.txt", 2), modified("src/app.txt", 10, 12, removed=2))
# All of it at once, since the first commit.
WHOLE = (
    *COMMITTED[1:3],
    added("moved.txt", 4),
    added("fresh.txt", 2),
    modified("src/app.txt", 3, 6, 10, 12, removed=5),
)
SINCE_FIRST = ("--base", "HEAD~1")


def mixed(lab: Lab) -> Repo:
    """Two commits on main, something staged, something not, something untracked."""
    app = "\n" + "".join(text(20).splitlines(keepends=True)[1:])  # starts with an empty line, for context
    rows = app.splitlines(keepends=True)
    rows[2], rows[5], rows[14] = "three\n", "six\n", ""
    repo = lab.repo({"src/app.txt": app, "old name.txt": text(12, tag="old"), "gone.txt": text(3, tag="gone")})
    repo.at("gone.txt").unlink()
    repo.at("old name.txt").unlink()
    repo.commit(
        {
            "src/app.txt": "".join(rows),
            ACCENTED: text(12, {2: "two"}, tag="old"),
            "added.txt": text(4, tag="added"),
        }
    )
    repo.git("mv", "added.txt", "moved.txt")
    rows[9], rows[11] = "ten\n", "twelve\n"
    return repo.write({"src/app.txt": "".join(rows), "fresh.txt": text(2, tag="fresh")})
