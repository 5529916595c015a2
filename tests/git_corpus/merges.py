"""Merges: under way, conflicting, finished, with more than two parents or more than one base."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .expect import added, deleted, modified
from .registry import case
from .repo import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .expect import Check
    from .repo import Lab, Repo


def apart(lab: Lab, *, conflict: bool) -> Repo:
    """`topic` and `main` each with a commit of their own, `main` checked out."""
    repo = lab.repo({"f.txt": text(9)}).branch("topic")
    repo.commit({"f.txt": text(9, {2: "topic"}), "topic.txt": text(3, tag="topic")})
    repo.switch("main").commit({"f.txt": text(9, {2 if conflict else 8: "main"}), "main.txt": text(4, tag="main")})
    return repo


@case()
def under_way(lab: Lab) -> Iterator[Check]:
    repo = apart(lab, conflict=False)
    repo.git("merge", "-q", "--no-commit", "topic")
    files = [modified("f.txt", 2, removed=1), added("topic.txt", 3)]
    yield repo.check("--staged", files=files)
    yield repo.check(files=files)


@case()
def conflict(lab: Lab) -> Iterator[Check]:
    """Neither the index nor the tree can be reviewed; what is committed can."""
    repo = apart(lab, conflict=True)
    repo.git("merge", "-q", "topic", fails=True)
    yield repo.refuses()
    yield repo.refuses("--staged")
    yield repo.refuses("--base", "HEAD")
    yield repo.check("--commit", "topic", files=[modified("f.txt", 2, removed=1), added("topic.txt", 3)])
    yield repo.check(
        "--base", "main", "--head", "topic", files=[modified("f.txt", 2, removed=1), added("topic.txt", 3)]
    )


@case()
def conflict_resolved(lab: Lab) -> Iterator[Check]:
    repo = apart(lab, conflict=True)
    repo.git("merge", "-q", "topic", fails=True)
    repo.write({"f.txt": text(9, {2: "both"})}).add()
    files = [modified("f.txt", 2, removed=1), added("topic.txt", 3)]
    yield repo.check("--staged", files=files)
    yield repo.check(files=files)
    repo.git("commit", "-qm", "merge")
    yield repo.check("--commit", "HEAD", files=files)


@case()
def conflict_of_deletion(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(9), "g.txt": text(2, tag="g")}).branch("topic")
    repo.git("rm", "-q", "f.txt")
    repo.git("commit", "-qm", "gone")
    repo.switch("main").commit({"f.txt": text(9, {2: "two"})})
    repo.git("merge", "-q", "topic", fails=True)
    yield repo.refuses()
    yield repo.refuses("--staged")
    repo.git("rm", "-q", "f.txt")
    yield repo.check("--staged", files=[deleted("f.txt", 9)])


@case()
def conflict_of_two_additions(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(2)}).branch("topic")
    repo.commit({"new.txt": text(5, tag="theirs")})
    repo.switch("main").commit({"new.txt": text(5, tag="ours")})
    repo.git("cherry-pick", "topic", fails=True)
    yield repo.refuses()
    yield repo.refuses("--staged")


@case()
def rebase_stopped(lab: Lab) -> Iterator[Check]:
    """Half-way through a rebase HEAD is detached, on top of the new base."""
    repo = lab.repo({"f.txt": text(9)}).branch("topic")
    repo.commit({"one.txt": text(2, tag="one")})
    repo.commit({"two.txt": text(3, tag="two")})
    repo.switch("main").commit({"main.txt": text(4, tag="main")})
    repo.switch("topic").git("rebase", "-q", "--exec", "false", "main", fails=True)
    repo.write({"f.txt": text(9, {5: "five"})})
    yield repo.check(
        files=[added("one.txt", 2), modified("f.txt", 5, removed=1)], scope={"mergeBase": repo.rev("main")}
    )


@case()
def rebase_conflict(lab: Lab) -> Iterator[Check]:
    repo = apart(lab, conflict=True).switch("topic")
    repo.git("rebase", "-q", "main", fails=True)
    yield repo.refuses()


@case()
def merge_commit(lab: Lab) -> Iterator[Check]:
    """Against its first parent: what the merge brought to the branch it was made on."""
    repo = apart(lab, conflict=False)
    repo.git("merge", "-q", "-m", "merge", "topic")
    yield repo.check("--commit", "HEAD", files=[modified("f.txt", 2, removed=1), added("topic.txt", 3)])
    yield repo.check("--range", "HEAD^2..HEAD", files=[modified("f.txt", 8, removed=1), added("main.txt", 4)])


@case()
def evil_merge(lab: Lab) -> Iterator[Check]:
    """A merge that also does something of its own."""
    repo = apart(lab, conflict=False)
    repo.git("merge", "-q", "--no-commit", "topic")
    repo.commit({"evil.txt": text(2, tag="evil"), "main.txt": text(4, {1: "evil"}, tag="main")}, "merge")
    files = [
        modified("f.txt", 2, removed=1),
        added("topic.txt", 3),
        added("evil.txt", 2),
        modified("main.txt", 1, removed=1),
    ]
    yield repo.check("--commit", "HEAD", files=files)


@case()
def merge_that_takes_nothing(lab: Lab) -> Iterator[Check]:
    repo = apart(lab, conflict=True)
    repo.git("merge", "-q", "-s", "ours", "-m", "merge", "topic")
    yield repo.check("--commit", "HEAD", files=[])


@case()
def octopus(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(9)})
    for name in ("one", "two", "three"):
        repo.branch(name, "main").commit({f"{name}.txt": text(2, tag=name)})
    repo.switch("main").commit({"main.txt": text(4, tag="main")})
    repo.git("merge", "-q", "-m", "octopus", "one", "two", "three")
    yield repo.check("--commit", "HEAD", files=[added("one.txt", 2), added("two.txt", 2), added("three.txt", 2)])


@case()
def criss_cross(lab: Lab) -> Iterator[Check]:
    """Two branches that merged each other have two merge bases; the tool names the one it took."""
    repo = lab.repo({"f.txt": text(9)}).branch("topic")
    repo.commit({"topic.txt": text(3, tag="topic")})
    one = repo.rev()
    repo.switch("main").commit({"main.txt": text(4, tag="main")})
    two = repo.rev()
    repo.git("merge", "-q", "-m", "merge", one)
    repo.switch("topic").git("merge", "-q", "-m", "merge", two)
    repo.write({"f.txt": text(9, {5: "five"})})
    own = modified("f.txt", 5, removed=1)
    answers = ((own, added("main.txt", 4)), (own, added("topic.txt", 3)), (own,))
    yield repo.check(choices=answers)
    repo.commit()
    yield repo.check("--base", "main", "--head", "topic", choices=answers)
    yield repo.check("--range", "main...topic", choices=answers)


@case()
def unrelated_histories(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(9)})
    repo.git("checkout", "-q", "--orphan", "other")
    repo.commit({"f.txt": text(9, {2: "two"}), "other.txt": text(3, tag="other")})
    yield repo.refuses(hint=True)
    yield repo.refuses("--base", "main", hint=True)
    yield repo.refuses("--range", "main...other", hint=True)
    yield repo.check("--range", "main..other", files=[modified("f.txt", 2, removed=1), added("other.txt", 3)])
    yield repo.check("--commit", "other", files=[added("f.txt", 9), added("other.txt", 3)])


@case()
def stash_is_no_part_of_it(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(9)}).write({"f.txt": text(9, {2: "two"}), "u.txt": text(1)})
    repo.git("stash", "push", "-q", "-u")
    repo.write({"f.txt": text(9, {5: "five"})})
    yield repo.check(files=[modified("f.txt", 5, removed=1)])
    yield repo.check("--commit", "stash@{0}", files=[modified("f.txt", 2, removed=1)])
