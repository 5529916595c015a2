"""Names of commits: ambiguous, odd, symbolic, replaced, or not commits at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .expect import added, modified
from .registry import case
from .repo import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .expect import Check
    from .repo import Lab, Repo


def branch_of_three(lab: Lab) -> Repo:
    """`topic`, three commits after `main`, each with a file of its own."""
    repo = lab.repo({"f.txt": text(9)}).branch("topic")
    for number in (1, 2, 3):
        repo.commit({f"{number}.txt": text(number, tag=f"tag{number}")}, f"commit {number}")
    return repo


ONE, TWO, THREE = added("1.txt", 1), added("2.txt", 2), added("3.txt", 3)


@case()
def every_way_to_name_a_commit(lab: Lab) -> Iterator[Check]:
    repo = branch_of_three(lab)
    repo.git("tag", "-a", "-m", "annotated", "heavy", "HEAD~1")
    repo.git("tag", "-a", "-m", "of a tag", "nested", "heavy")
    repo.git("branch", "feature/\u00fc-\N{PARTY POPPER}", "HEAD~1")
    odd, short = "feature/\u00fc-\N{PARTY POPPER}", repo.rev("HEAD~1")[:9]
    for name in ("nested", "HEAD@{1}", ":/commit 2", short):
        yield repo.check("--commit", name, files=[TWO])
    for name in ("heavy^{}", "HEAD^{/commit 2}", odd):
        yield repo.check("--base", name, files=[THREE])
    yield repo.check("--range", "HEAD@{3}..HEAD@{1}", files=[ONE, TWO])
    repo.switch("main")
    yield repo.check("--commit", "@{-1}", files=[THREE])


@case()
def packed(lab: Lab) -> Iterator[Check]:
    repo = branch_of_three(lab)
    repo.git("tag", "-a", "-m", "annotated", "heavy", "HEAD~1")
    repo.git("pack-refs", "--all", "--prune")
    repo.git("repack", "-adq")
    yield repo.check(files=[ONE, TWO, THREE])
    yield repo.check("--base", "heavy", files=[THREE])


@case()
def tag_and_branch_of_the_same_name(lab: Lab) -> Iterator[Check]:
    """A pushed tag shadows no branch: a short name is the branch's, and the tag has to be said in full."""
    repo = branch_of_three(lab)
    repo.git("tag", "main", "HEAD~1")
    repo.git("tag", "topic", "main~1")
    yield repo.check(files=[ONE, TWO, THREE])
    yield repo.check("--base", "refs/heads/main", files=[ONE, TWO, THREE])
    yield repo.check("--base", "refs/tags/main", files=[THREE])
    yield repo.check("--base", "main", files=[ONE, TWO, THREE])


@case()
def branch_and_file_of_the_same_name(lab: Lab) -> Iterator[Check]:
    repo = branch_of_three(lab).write({"topic": text(2, tag="a"), "main": text(2, tag="b"), "HEAD": text(2, tag="c")})
    new = [added("topic", 2), added("main", 2), added("HEAD", 2)]
    yield repo.check("--base", "main", files=[ONE, TWO, THREE, *new])
    yield repo.check("--commit", "topic", files=[THREE])
    yield repo.check("--range", "main..topic", files=[ONE, TWO, THREE])
    yield repo.check("--commit", "HEAD", files=[THREE])


@case()
def branch_called_like_a_revision(lab: Lab) -> Iterator[Check]:
    """Git refuses to make such a branch today, but old repositories and plumbing have them."""
    repo = branch_of_three(lab)
    repo.git("update-ref", "refs/heads/HEAD", "main")
    repo.git("update-ref", "refs/heads/-x", "main")
    yield repo.check(files=[ONE, TWO, THREE])
    yield repo.check("--commit", "HEAD", files=[THREE])
    yield repo.check("--base", "refs/heads/-x", files=[ONE, TWO, THREE])


@case()
def not_commits(lab: Lab) -> Iterator[Check]:
    repo = branch_of_three(lab)
    repo.git("tag", "blob", "HEAD:f.txt")
    for name in ("HEAD:f.txt", "blob", "HEAD^{tree}"):
        yield repo.refuses("--base", name)
    yield repo.refuses("--commit", "blob")
    yield repo.refuses("--range", "blob..HEAD")
    yield repo.refuses("--commit", "HEAD^@")
    yield repo.refuses("--commit", "main..topic")


@case()
def names_that_are_options(lab: Lab) -> Iterator[Check]:
    """A revision never reaches git as an option."""
    repo = branch_of_three(lab)
    target = lab.root / "pwned"
    for flag in ("--base", "--commit", "--range", "--head"):
        more = ("--base", "main") if flag == "--head" else ()
        yield repo.refuses(*more, f"{flag}=--output={target}", never=(target,))
    yield repo.refuses("--range", f"--output={target}..HEAD", never=(target,))
    yield repo.refuses("--commit", "--all")


@case()
def replaced_commit(lab: Lab) -> Iterator[Check]:
    """Git shows a replaced commit as its replacement, and so does a review of it."""
    repo = branch_of_three(lab)
    repo.git("replace", "--graft", "HEAD", "main")
    yield repo.check("--commit", "HEAD", files=[ONE, TWO, THREE])


@case()
def grafted_history(lab: Lab) -> Iterator[Check]:
    repo = branch_of_three(lab)
    repo.write({".git/info/grafts": f"{repo.rev()} {repo.rev('HEAD~2')}\n"})
    yield repo.check("--commit", "HEAD", files=[TWO, THREE])
    yield repo.check(files=[ONE, TWO, THREE])


@case()
def symbolic(lab: Lab) -> Iterator[Check]:
    repo = branch_of_three(lab)
    repo.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    repo.git("symbolic-ref", "refs/heads/loop", "refs/heads/loop")
    yield repo.check("--base", "alias", files=[ONE, TWO, THREE])
    yield repo.refuses("--base", "loop")


@case()
def fetched(lab: Lab) -> Iterator[Check]:
    repo = branch_of_three(lab)
    other = lab.repo(name="other")
    other.git("fetch", "-q", "../repo", "topic")
    other.git("checkout", "-q", "-b", "work", "FETCH_HEAD")
    other.write({"f.txt": text(9, {4: "four"})})
    yield other.check("--base", "FETCH_HEAD", files=[modified("f.txt", 4, removed=1)])
    assert repo.rev() == other.rev()
