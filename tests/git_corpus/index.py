"""The index against HEAD and against the tree: what is staged, what is not, what git was told not to look at."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .expect import added, deleted, modified, renamed
from .registry import case
from .repo import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .expect import Check
    from .repo import Lab


@case()
def partly_staged(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(10)}).write({"f.txt": text(10, {2: "two"})}).add()
    repo.write({"f.txt": text(10, {2: "two", 8: "eight"})})
    yield repo.check("--staged", files=[modified("f.txt", 2, removed=1)])
    yield repo.check(files=[modified("f.txt", 2, 8, removed=2)])


@case()
def staged_lines_move_in_the_tree(lab: Lab) -> Iterator[Check]:
    """The same staged line has one number in the index and another in the tree."""
    repo = lab.repo({"f.txt": text(10)}).write({"f.txt": text(10, {5: "five"})}).add()
    repo.write({"f.txt": "a\nb\n" + text(10, {5: "five"})})
    yield repo.check("--staged", files=[modified("f.txt", 5, removed=1)])
    yield repo.check(files=[modified("f.txt", (1, 2), 7, removed=1)])


@case()
def staged_and_taken_back_in_the_tree(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(10)}).write({"f.txt": text(10, {5: "five"})}).add()
    repo.write({"f.txt": text(10)})
    yield repo.check("--staged", files=[modified("f.txt", 5, removed=1)])
    yield repo.check(files=[])


@case()
def staged_untracked_and_deleted(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"a.txt": text(3, tag="a"), "b.txt": text(4, tag="b"), "c.txt": text(5, tag="c")})
    repo.git("rm", "-q", "a.txt")
    repo.at("b.txt").unlink()
    repo.write({"new/staged.txt": text(2, tag="s")}).add("new/staged.txt").write({"new/deep/er.txt": text(6, tag="u")})
    yield repo.check("--staged", files=[deleted("a.txt", 3), added("new/staged.txt", 2)])
    yield repo.check(
        files=[deleted("a.txt", 3), deleted("b.txt", 4), added("new/staged.txt", 2), added("new/deep/er.txt", 6)]
    )


@case()
def staged_then_deleted_in_the_tree(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(5)}).write({"f.txt": text(5, {1: "one"}), "new.txt": text(3, tag="new")}).add()
    repo.at("f.txt").unlink()
    repo.at("new.txt").unlink()
    yield repo.check("--staged", files=[modified("f.txt", 1, removed=1), added("new.txt", 3)])
    yield repo.check(files=[deleted("f.txt", 5)])


@case()
def removed_from_the_index_only(lab: Lab) -> Iterator[Check]:
    """A commit would delete the file; the tree has it still, untracked and unchanged."""
    repo = lab.repo({"f.txt": text(5), "g.txt": text(5, tag="g")})
    repo.git("rm", "-q", "--cached", "f.txt", "g.txt")
    repo.write({"g.txt": text(5, {2: "two"}, tag="g")})
    yield repo.check("--staged", files=[deleted("f.txt", 5), deleted("g.txt", 5)])
    yield repo.check(files=[modified("g.txt", 2, removed=1)])


@case()
def removed_from_the_index_and_ignored(lab: Lab) -> Iterator[Check]:
    """The usual way to stop tracking a file: it is gone for everyone else."""
    repo = lab.repo({"local.txt": text(5)})
    repo.git("rm", "-q", "--cached", "local.txt")
    repo.write({".gitignore": "local.txt\n"})
    yield repo.check(files=[added(".gitignore", 1), deleted("local.txt", 5)])


@case()
def intent_to_add(lab: Lab) -> Iterator[Check]:
    """`git add -N` stages a name, not content."""
    repo = lab.repo({"f.txt": text(5)}).write({"new.txt": text(4), "empty.txt": ""})
    repo.git("add", "-N", "new.txt", "empty.txt")
    yield repo.check("--staged", files=[])
    yield repo.check(files=[added("new.txt", 4), added("empty.txt", 0)])


@case()
def intent_to_add_then_deleted(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(5)}).write({"new.txt": text(4), "f.txt": text(5, {1: "one"})})
    repo.git("add", "-N", "new.txt")
    repo.at("new.txt").unlink()
    yield repo.check(files=[modified("f.txt", 1, removed=1)])


@case()
def assume_unchanged(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"local.txt": text(5), "f.txt": text(5)})
    repo.git("update-index", "--assume-unchanged", "local.txt")
    repo.write({"local.txt": text(5, {1: "mine"}), "f.txt": text(5, {2: "two"})})
    yield repo.check(files=[modified("f.txt", 2, removed=1)])


@case()
def skip_worktree(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"local.txt": text(5), "gone.txt": text(5), "f.txt": text(5)})
    repo.git("update-index", "--skip-worktree", "local.txt", "gone.txt")
    repo.write({"local.txt": text(5, {1: "mine"}), "f.txt": text(5, {2: "two"})}).at("gone.txt").unlink()
    yield repo.check(files=[modified("f.txt", 2, removed=1)])
    repo.git("add", "f.txt")
    yield repo.check("--staged", files=[modified("f.txt", 2, removed=1)])


def sparse(lab: Lab, *more: str) -> Iterator[Check]:
    """Folders outside the cone are neither deleted nor part of the change."""
    repo = lab.repo({"in/f.txt": text(5), "out/g.txt": text(5), "out/deep/h.txt": text(5), "top.txt": text(5)})
    repo.git("sparse-checkout", "set", "--cone", *more, "in")
    repo.write({"in/f.txt": text(5, {2: "two"}), "top.txt": text(5, {3: "three"}), "in/new.txt": text(2)})
    files = [modified("in/f.txt", 2, removed=1), modified("top.txt", 3, removed=1), added("in/new.txt", 2)]
    yield from repo.everywhere(files, "tree", "staged")


@case()
def sparse_checkout(lab: Lab) -> Iterator[Check]:
    yield from sparse(lab)


@case()
def sparse_index(lab: Lab) -> Iterator[Check]:
    yield from sparse(lab, "--sparse-index")


@case()
def sparse_checkout_with_a_file_outside(lab: Lab) -> Iterator[Check]:
    """A file outside the cone that is there nevertheless counts, as `git status` says."""
    repo = lab.repo({"in/f.txt": text(5), "out/g.txt": text(5), "out/h.txt": text(5)})
    repo.git("sparse-checkout", "set", "--cone", "in")
    repo.write({"out/g.txt": text(5, {4: "four"})})
    yield repo.check(files=[modified("out/g.txt", 4, removed=1)])


@case()
def split_index(lab: Lab) -> Iterator[Check]:
    """Half of the index is in a second file beside it."""
    repo = lab.repo({f"{number}.txt": text(3, tag=f"tag{number}") for number in range(30)})
    repo.config({"core.splitIndex": "true", "splitIndex.maxPercentChange": "100"})
    repo.git("update-index", "--split-index")
    repo.write({"3.txt": text(3, {1: "one"}, tag="tag3"), "new.txt": text(2)}).add("3.txt")
    yield repo.check("--staged", files=[modified("3.txt", 1, removed=1)])
    yield repo.check(files=[modified("3.txt", 1, removed=1), added("new.txt", 2)])


@case()
def index_version_4(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"a/b.txt": text(3), "a/bc.txt": text(3)}).config({"feature.manyFiles": "true"})
    repo.git("update-index", "--index-version", "4")
    repo.write({"a/bc.txt": text(3, {2: "two"}), "a/bcd.txt": text(1)})
    yield from repo.everywhere([modified("a/bc.txt", 2, removed=1), added("a/bcd.txt", 1)])


@case()
def another_git_is_at_work(lab: Lab) -> Iterator[Check]:
    """A lock on the index stops writers, not readers."""
    repo = lab.repo({"f.txt": text(5)}).write({"f.txt": text(5, {2: "two"}), "new.txt": text(1)}).add("f.txt")
    repo.write({".git/index.lock": ""})
    yield repo.check(files=[modified("f.txt", 2, removed=1), added("new.txt", 1)])
    yield repo.check("--staged", files=[modified("f.txt", 2, removed=1)])


@case()
def stale_stat_data(lab: Lab) -> Iterator[Check]:
    """A file that was touched or rewritten as it was is not a change, and the index is not rewritten for it."""
    repo = lab.repo({"f.txt": text(5), "g.txt": text(5)})
    content = repo.at("f.txt").read_bytes()
    repo.at("f.txt").unlink()
    repo.write({"f.txt": content, "g.txt": text(5, {5: "five"})})
    yield repo.check(files=[modified("g.txt", 5, removed=1)])
    yield repo.check("--staged", files=[])


@case()
def changed_in_the_same_instant(lab: Lab) -> Iterator[Check]:
    """Same size, same time as the index: only git's rule for such entries, and the index's own time, show it."""
    repo = lab.repo({"f.txt": text(5)})
    repo.config({"core.trustctime": "false", "core.checkStat": "minimal"})
    repo.write({"f.txt": text(5, {2: "aaa"})})
    os.utime(repo.at("f.txt"), (10**9, 10**9))
    repo.add()
    os.utime(repo.at(".git/index"), (10**9, 10**9))
    repo.write({"f.txt": text(5, {2: "bbb"})})
    os.utime(repo.at("f.txt"), (10**9, 10**9))
    yield repo.check(files=[modified("f.txt", 2, removed=1)])
    repo.git("commit", "-qm", "the index has aaa")
    yield repo.check(files=[modified("f.txt", 2, removed=1)])


@case()
def no_index_at_all(lab: Lab) -> Iterator[Check]:
    """Without an index everything is staged for deletion, and untracked."""
    repo = lab.repo({"f.txt": text(5), "g.txt": text(5, tag="g")})
    repo.at(".git/index").unlink()
    repo.write({"g.txt": text(5, {1: "one"}, tag="g")})
    yield repo.check("--staged", files=[deleted("f.txt", 5), deleted("g.txt", 5)])
    yield repo.check(files=[modified("g.txt", 1, removed=1)])


@case()
def many_files(lab: Lab) -> Iterator[Check]:
    """More names than fit into one command line."""
    folder = "folder-with-a-long-name-" * 8
    names = [f"{folder}/{number:04}.txt" for number in range(800)]
    repo = lab.repo({names[0]: text(2), "old.txt": text(9)}).write(dict.fromkeys(names, "one\n"))
    repo.at("old.txt").rename(repo.at("new.txt"))
    files = [modified(names[0], 1, removed=2), renamed("old.txt", "new.txt")]
    yield from repo.everywhere([*files, *(added(name, 1) for name in names[1:])], "tree", "commit")
