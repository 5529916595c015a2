"""Renames and copies, whatever the configuration says about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .expect import added, deleted, modified, renamed
from .registry import case
from .repo import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .expect import Check
    from .repo import Lab


@case()
def pure(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"old.txt": text(10), "keep.txt": text(2)})
    repo.git("mv", "old.txt", "new.txt")
    yield from repo.everywhere([renamed("old.txt", "new.txt")], "tree", "patch")


@case()
def with_edits(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"old.txt": text(20)})
    repo.at("old.txt").unlink()
    repo.write({"dir/new.txt": text(20, {3: "three", 4: "four", 12: "twelve"}) + "more\n"})
    yield from repo.everywhere([renamed("old.txt", "dir/new.txt", (3, 4), 12, 21, removed=3)], "tree", "patch")


@case()
def too_different(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"old.txt": text(10)})
    repo.at("old.txt").unlink()
    repo.write({"new.txt": text(10, tag="row")})
    yield from repo.everywhere([added("new.txt", 10), deleted("old.txt", 10)], "tree", "staged")


@case()
def chain_in_one_change(lab: Lab) -> Iterator[Check]:
    """a becomes b while b becomes c: each is one rename, b is no modification of itself."""
    repo = lab.repo({"a.txt": text(10, tag="alpha"), "b.txt": text(10, tag="beta")})
    for old, new in (("b.txt", "c.txt"), ("a.txt", "b.txt")):
        repo.at(old).rename(repo.at(new))
    # Git only follows names that are gone: b stays, so b is rewritten and c has a's place to come from.
    files = [modified("b.txt", (1, 10), removed=10), added("c.txt", 10), deleted("a.txt", 10)]
    yield from repo.everywhere(files)


@case()
def chain_over_commits(lab: Lab) -> Iterator[Check]:
    """Over the branch as a whole there is one rename, from the first name to the last."""
    repo = lab.repo({"a.txt": text(20)}).branch("topic")
    repo.git("mv", "a.txt", "b.txt")
    repo.commit({"b.txt": text(20, {2: "two"})})
    repo.git("mv", "b.txt", "c.txt")
    repo.commit({"c.txt": text(20, {2: "two", 9: "nine"})})
    repo.git("mv", "c.txt", "d.txt")
    yield repo.check("--staged", files=[renamed("c.txt", "d.txt")])
    yield repo.check("--commit", "HEAD", files=[renamed("b.txt", "c.txt", 9, removed=1)])
    yield repo.check("--base", "main", "--head", "HEAD", files=[renamed("a.txt", "c.txt", 2, 9, removed=2)])
    yield repo.check(files=[renamed("a.txt", "d.txt", 2, 9, removed=2)])


@case()
def renamed_and_back(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"a.txt": text(10)}).branch("topic")
    repo.git("mv", "a.txt", "b.txt")
    repo.commit()
    repo.git("mv", "b.txt", "a.txt")
    repo.commit()
    yield repo.check(files=[])
    yield repo.check("--commit", "HEAD", files=[renamed("b.txt", "a.txt")])


@case("linux")
def case_only(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"readme.txt": text(10)})
    repo.git("mv", "readme.txt", "README.txt")
    yield from repo.everywhere([renamed("readme.txt", "README.txt")], "tree", "patch")


@case()
def swapped_names(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"a.txt": text(8, tag="alpha"), "b.txt": text(8, tag="beta")})
    repo.write({"a.txt": text(8, tag="beta"), "b.txt": text(8, tag="alpha")})
    yield from repo.everywhere(
        [modified("a.txt", (1, 8), removed=8), modified("b.txt", (1, 8), removed=8)], "tree", "staged"
    )


@case()
def many_files_of_a_folder(lab: Lab) -> Iterator[Check]:
    names = [f"{number:02}.txt" for number in range(25)]
    repo = lab.repo({f"old/{name}": text(9, tag=f"tag{name}") for name in names})
    repo.at("old").rename(repo.at("new"))
    repo.write({f"new/{name}": text(9, {5: "five"}, tag=f"tag{name}") for name in names[:5]})
    files = [
        renamed(f"old/{name}", f"new/{name}", *([5] if name in names[:5] else []), removed=int(name in names[:5]))
        for name in names
    ]
    yield from repo.everywhere(files, "tree", "commit")


@case()
def only_one_side_is_staged(lab: Lab) -> Iterator[Check]:
    """The new name is staged, the old one is gone from the tree but still in the index."""
    repo = lab.repo({"old.txt": text(10)}).write({"new.txt": text(10)}).add("new.txt")
    repo.at("old.txt").unlink()
    yield repo.check("--staged", files=[added("new.txt", 10)])
    yield repo.check(files=[renamed("old.txt", "new.txt")])


@case()
def renamed_then_edited_in_the_tree(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"old.txt": text(10)})
    repo.git("mv", "old.txt", "new.txt")
    repo.write({"new.txt": text(10, {10: "ten"})})
    yield repo.check("--staged", files=[renamed("old.txt", "new.txt")])
    yield repo.check(files=[renamed("old.txt", "new.txt", 10, removed=1)])


@case()
def copy_is_new_content(lab: Lab) -> Iterator[Check]:
    """Nobody has reviewed the copy in its new place, so all of its lines count, `diff.renames=copies` or not."""
    repo = lab.repo({"a.txt": text(10)}).config({"diff.renames": "copies"})
    repo.write({"b.txt": text(10), "a.txt": text(10, {1: "one"})})
    yield from repo.everywhere([modified("a.txt", 1, removed=1), added("b.txt", 10)])


@case()
def one_old_name_two_new_ones(lab: Lab) -> Iterator[Check]:
    """One of the two is the rename; which one is git's choice. The other is new."""
    repo = lab.repo({"old.txt": text(10)})
    repo.at("old.txt").unlink()
    repo.write({"b.txt": text(10), "c.txt": text(10)})
    answers = ((renamed("old.txt", "b.txt"), added("c.txt", 10)), (renamed("old.txt", "c.txt"), added("b.txt", 10)))
    yield repo.check(choices=answers)
    repo.add()
    yield repo.check("--staged", choices=answers)
