"""`PATH...` limits the change; paths are files as they are spelt, relative to where the person stands."""

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
def files_and_folders(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"src/a.txt": text(4), "src/deep/b.txt": text(4), "docs/c.txt": text(4), "top.txt": text(4)})
    for name in ("src/a.txt", "src/deep/b.txt", "docs/c.txt", "top.txt"):
        repo.write({name: text(4, {2: "changed"})})
    repo.write({"src/new.txt": text(2)})
    change = {name: modified(name, 2, removed=1) for name in ("src/a.txt", "src/deep/b.txt", "docs/c.txt", "top.txt")}
    below_src = [change["src/a.txt"], change["src/deep/b.txt"], added("src/new.txt", 2)]
    yield repo.check("src", files=below_src)
    yield repo.check("src/", "top.txt", files=[*below_src, change["top.txt"]])
    yield repo.check("./docs/../docs/c.txt", files=[change["docs/c.txt"]])
    yield repo.check(str(repo.at("top.txt")), files=[change["top.txt"]])
    repo.commit()
    yield repo.check("--commit", "HEAD", "docs", files=[change["docs/c.txt"]])


@case()
def relative_to_the_current_folder(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"src/a.txt": text(4), "a.txt": text(4)})
    repo.write({"src/a.txt": text(4, {1: "inner"}), "a.txt": text(4, {4: "outer"})})
    inner, outer = modified("src/a.txt", 1, removed=1), modified("a.txt", 4, removed=1)
    yield repo.check(sub="src", files=[inner, outer])
    yield repo.check("a.txt", sub="src", files=[inner])
    yield repo.check("../a.txt", sub="src", files=[outer])
    yield repo.check(".", sub="src", files=[inner])


@case("posix")
def literal_names(lab: Lab) -> Iterator[Check]:
    """A shell completes names with magic in them; they mean themselves."""
    names = ["[ab].txt", "a.txt", ":(top)x.txt", "-n.txt"]
    repo = lab.repo({name: text(3, tag=f"tag{number}") for number, name in enumerate(names)})
    for number, name in enumerate(names):
        repo.write({name: text(3, {2: "two"}, tag=f"tag{number}")})
    for name in names:
        dashes = ("--",) if name.startswith("-") else ()
        yield repo.check(*dashes, name, files=[modified(name, 2, removed=1)])
    repo.add()
    yield repo.check("--staged", "[ab].txt", files=[modified("[ab].txt", 2, removed=1)])


@case("linux")
def a_name_that_is_not_utf8(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({b"caf\xe9.txt": text(3), "other.txt": text(3)})
    repo.write({b"caf\xe9.txt": text(3, {1: "one"}), "other.txt": text(3, {1: "one"})})
    yield repo.check(b"caf\xe9.txt", files=[modified(b"caf\xe9.txt", 1, removed=1)])


@case()
def what_is_not_there_any_more(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"gone/a.txt": text(3), "gone.txt": text(2), "keep.txt": text(1)})
    repo.at("gone/a.txt").unlink()
    repo.at("gone").rmdir()
    repo.at("gone.txt").unlink()
    yield repo.check("gone.txt", files=[deleted("gone.txt", 2)])
    yield repo.check("gone", files=[deleted("gone/a.txt", 3)])


@case()
def a_branch_of_the_same_name(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"topic": text(3), "main": text(3)}).branch("topic")
    repo.write({"topic": text(3, {2: "two"}), "main": text(3, {3: "three"})})
    topic, main = modified("topic", 2, removed=1), modified("main", 3, removed=1)
    yield repo.check("topic", files=[topic])
    yield repo.check("--base", "main", "main", files=[main])
    yield repo.check("--base", "topic", files=[main, topic])


@case()
def nothing_of_the_change_is_there(lab: Lab) -> Iterator[Check]:
    """A path that exists and did not change is nothing to review, not an error."""
    repo = lab.repo({"a.txt": text(3), "b.txt": text(3)}).write({"a.txt": text(3, {1: "one"})})
    yield repo.check("b.txt", files=[])


@case("posix")
def a_prefix_is_not_a_folder(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"src/a.txt": text(3), "src2/a.txt": text(3), "src.txt": text(3)})
    for name in ("src/a.txt", "src2/a.txt", "src.txt"):
        repo.write({name: text(3, {1: "one"})})
    yield repo.check("src", files=[modified("src/a.txt", 1, removed=1)])


@case()
def outside_the_repository(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"a.txt": text(3)}).write({"a.txt": text(3, {1: "one"})})
    yield repo.refuses("../elsewhere.txt")
