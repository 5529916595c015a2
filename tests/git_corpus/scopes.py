"""The flags that say what is under review."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .expect import added, deleted, modified
from .registry import case
from .repo import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .expect import Check
    from .repo import Lab


@case()
def every_layer_of_a_branch(lab: Lab) -> Iterator[Check]:
    """Committed, staged, unstaged and untracked content, told apart by the flags."""
    repo = lab.repo({name: text(9, tag=name) for name in "abcd"}).branch("topic")
    base, first = repo.rev(), repo.commit({"a": text(9, {1: "one"}, tag="a")})
    second = repo.commit({"a": text(9, {1: "one", 2: "two"}, tag="a"), "b": text(9, {3: "three"}, tag="b")})
    repo.write({"b": text(9, {3: "three", 4: "four"}, tag="b"), "c": text(9, {5: "five"}, tag="c")}).add()
    repo.write({"c": text(9, {5: "five", 6: "six"}, tag="c"), "e": text(2, tag="e")}).at("d").unlink()
    tree = [
        modified("a", (1, 2), removed=2),
        modified("b", (3, 4), removed=2),
        modified("c", (5, 6), removed=2),
        deleted("d", 9),
        added("e", 2),
    ]
    known = {"mergeBase": base, "head": second}
    yield repo.check(files=tree, scope={**known, "uncommitted": True})
    yield repo.check("--base", "main", files=tree, scope=known)
    yield repo.check("--base", first, files=[modified("a", 2, removed=1), *tree[1:]], scope={"mergeBase": first})
    committed = [modified("a", (1, 2), removed=2), modified("b", 3, removed=1)]
    yield repo.check("--base", "main", "--head", "HEAD", files=committed, scope={**known, "uncommitted": False})
    yield repo.check("--base", "main", "--head", first, files=[modified("a", 1, removed=1)], scope={"head": first})
    yield repo.check("--staged", files=[modified("b", 4, removed=1), modified("c", 5, removed=1)])
    yield repo.check("--commit", "HEAD", files=[modified("a", 2, removed=1), modified("b", 3, removed=1)])
    yield repo.check("--commit", "HEAD~1", files=[modified("a", 1, removed=1)])
    yield repo.check("--range", f"{base}..{first}", files=[modified("a", 1, removed=1)])
    yield repo.check("--base", "HEAD", files=[modified("b", 4, removed=1), *tree[2:]])


@case()
def nothing_changed(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(3)})
    for argv in ((), ("--staged",), ("--base", "main", "--head", "HEAD")):
        yield repo.check(*argv, files=[])


@case()
def empty_commit(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(3)})
    repo.commit(message="empty")
    yield repo.check("--commit", "HEAD", files=[])


@case()
def root_commit(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(3), "dir/g.txt": text(2), "empty": ""})
    repo.commit({"f.txt": text(3, {1: "one"})})
    files = [added("f.txt", 3), added("dir/g.txt", 2), added("empty", 0)]
    yield repo.check("--commit", "HEAD~1", files=files)


@case()
def ranges(lab: Lab) -> Iterator[Check]:
    """Two dots compare ends, three dots start at the merge base."""
    repo = lab.repo({"f.txt": text(9)})
    fork = repo.rev()
    repo.branch("topic").commit({"f.txt": text(9, {2: "two"}), "t.txt": text(3, tag="t")})
    repo.switch("main").commit({"f.txt": text(9, {8: "eight"}), "m.txt": text(4, tag="m")})
    repo.write({"untracked.txt": text(1)})
    ends = [modified("f.txt", 2, 8, removed=2), added("t.txt", 3), deleted("m.txt", 4)]
    since_fork = [modified("f.txt", 2, removed=1), added("t.txt", 3)]
    yield repo.check("--range", "main..topic", files=ends)
    yield repo.check("--range", "main...topic", files=since_fork, scope={"mergeBase": fork})
    yield repo.check("--range", "..topic", files=ends)
    yield repo.check(
        "--range", "topic..", files=[modified("f.txt", 2, 8, removed=2), added("m.txt", 4), deleted("t.txt", 3)]
    )
    yield repo.check("--base", "main", "--head", "topic", files=since_fork, scope={"mergeBase": fork})
    yield repo.check("--range", "topic..topic", files=[])


@case()
def unborn_branch(lab: Lab) -> Iterator[Check]:
    """Before the first commit everything is new."""
    repo = lab.repo().write({"staged.txt": text(3, tag="s"), "dir/both.txt": text(4, tag="b")}).add()
    repo.write({"dir/both.txt": text(5, tag="b"), "untracked.txt": text(2, tag="u")})
    yield repo.check("--staged", files=[added("staged.txt", 3), added("dir/both.txt", 4)])
    yield repo.check(files=[added("staged.txt", 3), added("dir/both.txt", 5), added("untracked.txt", 2)])
    yield repo.refuses("--commit", "HEAD")
    yield repo.refuses("--base", "main")


@case()
def unborn_and_empty(lab: Lab) -> Iterator[Check]:
    repo = lab.repo()
    yield repo.check(files=[])
    yield repo.check("--staged", files=[])


@case()
def orphan_branch(lab: Lab) -> Iterator[Check]:
    """A new root, not born yet, beside a repository with history: the index is all there is."""
    repo = lab.repo({"f.txt": text(3)})
    repo.git("checkout", "-q", "--orphan", "pages")
    repo.git("rm", "-rqf", ".")
    repo.write({"index.txt": text(4, tag="page")}).add()
    yield repo.check("--staged", files=[added("index.txt", 4)])
    yield repo.check(files=[added("index.txt", 4)])


@case()
def sub_folder(lab: Lab) -> Iterator[Check]:
    """The whole change counts wherever one stands, with paths from the top."""
    repo = lab.repo({"src/deep/a.txt": text(5), "b.txt": text(5)}).branch("topic")
    repo.write(
        {
            "src/deep/a.txt": text(5, {2: "two"}),
            "b.txt": text(5, {3: "three"}),
            "c.txt": text(1, tag="c"),
            "src/d.txt": text(1, tag="d"),
        }
    )
    files = [
        modified("src/deep/a.txt", 2, removed=1),
        modified("b.txt", 3, removed=1),
        added("c.txt", 1),
        added("src/d.txt", 1),
    ]
    yield repo.check(files=files, sub="src/deep")
    repo.add()
    yield repo.check("--staged", files=files, sub="src/deep")
    repo.git("commit", "-qm", "change")
    yield repo.check("--commit", "HEAD", files=files, sub="src/deep")
    yield repo.check("--base", "main", files=files, sub="src")


@case()
def new_folder_as_current_folder(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(3)}).write({"new/g.txt": text(2), "f.txt": text(3, {1: "one"})})
    repo.at("new/empty").mkdir()
    yield repo.check(sub="new/empty", files=[added("new/g.txt", 2), modified("f.txt", 1, removed=1)])


@case()
def flags_that_exclude_each_other(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(3)}).write({"f.txt": text(3, {1: "one"})})
    repo.add()
    yield repo.refuses("--staged", "--commit", "HEAD")
    yield repo.refuses("--range", "HEAD..HEAD", "--base", "main")
    yield repo.refuses("--diff", "-", "--staged")
    yield repo.refuses("--staged", "--head", "HEAD")


@case()
def trees_under_review(lab: Lab) -> Iterator[Check]:
    """The result names the tree that was looked at; collecting alone may leave it out, but not get it wrong."""
    repo = lab.repo({"f.txt": text(3)}).branch("topic")
    repo.commit({"f.txt": text(3, {1: "one"})})
    tree = (None, repo.rev("HEAD^{tree}"))
    yield repo.check(files=[modified("f.txt", 1, removed=1)], scope={"tree": tree, "uncommitted": False})
    yield repo.check("--base", "main", "--head", "HEAD", files=[modified("f.txt", 1, removed=1)], scope={"tree": tree})
    yield repo.check("--commit", "HEAD", files=[modified("f.txt", 1, removed=1)], scope={"tree": tree})
    repo.write({"f.txt": text(3, {1: "one", 3: "three"})}).add()
    index = (None, repo.git("write-tree").decode().strip())
    yield repo.check("--staged", files=[modified("f.txt", 3, removed=1)], scope={"tree": index, "uncommitted": True})
    yield repo.check(files=[modified("f.txt", 1, 3, removed=2)], scope={"tree": index, "uncommitted": True})
