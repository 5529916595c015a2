"""Submodules are one line each, and repositories inside repositories are somebody else's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .expect import Why, added, deleted, modified, type_changed
from .registry import case
from .repo import Repo, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .expect import Check
    from .repo import Lab


def library(lab: Lab) -> Repo:
    """What becomes a submodule: a repository of two commits, one of them on the branch `next`."""
    repo = lab.repo({"lib.txt": text(4)}, name="library").branch("next")
    repo.commit({"lib.txt": text(4, {1: "one"})})
    return repo.switch("main")


def with_submodule(lab: Lab, **settings: str) -> Repo:
    """A repository whose first commit has the submodule `sub`."""
    repo = lab.repo({"f.txt": text(3)})
    source = library(lab)
    repo.git("submodule", "--quiet", "add", source.path.as_uri(), "sub")
    for key, value in settings.items():
        repo.git("config", "-f", ".gitmodules", f"submodule.sub.{key}", value)
    repo.commit()
    return repo


def inside(repo: Repo) -> Repo:
    """The submodule's own working tree."""
    return Repo(repo.lab, repo.at("sub"))


MOVED = modified("sub", 1, removed=1).excluded()


@case()
def submodule_added(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(3)})
    repo.git("submodule", "--quiet", "add", library(lab).path.as_uri(), "sub")
    yield from repo.everywhere([added(".gitmodules", 3), added("sub", 1).excluded()], "tree", "staged")


@case()
def moved(lab: Lab) -> Iterator[Check]:
    repo = with_submodule(lab)
    inside(repo).git("checkout", "-q", "origin/next")
    repo.write({"f.txt": text(3, {2: "two"})})
    yield from repo.everywhere([modified("f.txt", 2, removed=1), MOVED], "tree", "staged", "commit", "patch")


@case()
def dirty(lab: Lab) -> Iterator[Check]:
    """What is inside has not been committed there, so there is nothing to commit here: it is listed as not reviewed."""
    repo = with_submodule(lab)
    repo.write({"sub/lib.txt": text(4, {3: "three"}), "sub/new.txt": text(2), "f.txt": text(3, {2: "two"})})
    yield repo.check(files=[modified("f.txt", 2, removed=1), modified("sub").excluded()])
    repo.add("f.txt")
    yield repo.check("--staged", files=[modified("f.txt", 2, removed=1)])


@case()
def dirty_and_ignored_by_configuration(lab: Lab) -> Iterator[Check]:
    """Files that a build leaves there, where the person has told `git status` so."""
    repo = with_submodule(lab)
    repo.config({"submodule.sub.ignore": "untracked"})
    repo.write({"sub/new.txt": text(2), "f.txt": text(3, {2: "two"})})
    yield repo.check(files=[modified("f.txt", 2, removed=1)])


@case()
def moved_and_dirty(lab: Lab) -> Iterator[Check]:
    repo = with_submodule(lab)
    inside(repo).git("checkout", "-q", "origin/next")
    repo.write({"sub/lib.txt": text(4, {3: "three"})})
    yield repo.check(files=[MOVED])


@case()
def commit_made_inside(lab: Lab) -> Iterator[Check]:
    repo = with_submodule(lab)
    inside(repo).commit({"lib.txt": text(4, {4: "four"})})
    yield from repo.everywhere([MOVED], "tree", "staged")


@case()
def removed(lab: Lab) -> Iterator[Check]:
    repo = with_submodule(lab)
    repo.git("rm", "-q", "sub")
    files = [modified(".gitmodules", removed=3), deleted("sub", 1).excluded(Why.EITHER)]
    yield from repo.everywhere(files, "tree", "staged")


@case()
def not_checked_out(lab: Lab) -> Iterator[Check]:
    """After a plain clone the submodule is an empty folder, which is not a deletion."""
    clone = lab.clone(with_submodule(lab))
    clone.write({"f.txt": text(3, {2: "two"})})
    yield from clone.everywhere([modified("f.txt", 2, removed=1)])


@case()
def ignored_by_gitmodules(lab: Lab) -> Iterator[Check]:
    """`ignore = all` keeps `git status` quiet; a review names what a commit would take."""
    repo = with_submodule(lab, ignore="all")
    inside(repo).git("checkout", "-q", "origin/next")
    repo.git("update-index", "--cacheinfo", f"160000,{inside(repo).rev()},sub")
    yield repo.check("--staged", files=[MOVED])
    yield repo.check(files=[MOVED])
    repo.git("commit", "-qm", "moved")
    yield repo.check("--commit", "HEAD", files=[MOVED])


@case()
def ignored_by_configuration(lab: Lab) -> Iterator[Check]:
    repo = with_submodule(lab)
    repo.config({"diff.ignoreSubmodules": "all", "submodule.sub.ignore": "all", "diff.submodule": "diff"})
    inside(repo).git("checkout", "-q", "origin/next")
    repo.write({"f.txt": text(3, {2: "two"})}).add()
    yield repo.check("--staged", files=[MOVED, modified("f.txt", 2, removed=1)])
    repo.git("commit", "-qm", "moved")
    yield repo.check("--commit", "HEAD", files=[MOVED, modified("f.txt", 2, removed=1)])


@case()
def becomes_files(lab: Lab) -> Iterator[Check]:
    """The submodule is replaced by a folder of files."""
    repo = with_submodule(lab)
    repo.git("rm", "-q", "sub")
    repo.write({"sub/own.txt": text(3, tag="own")})
    files = [modified(".gitmodules", removed=3), deleted("sub", 1).excluded(Why.EITHER), added("sub/own.txt", 3)]
    yield from repo.everywhere(files, "tree", "commit")


@case()
def becomes_a_file(lab: Lab) -> Iterator[Check]:
    repo = with_submodule(lab)
    repo.git("rm", "-q", "sub")
    repo.write({"sub": text(3, tag="own")})
    change = type_changed("sub", (1, 3), removed=1)
    yield from repo.everywhere([modified(".gitmodules", removed=3), change.excluded(Why.EITHER)], "tree", "commit")


@case()
def from_inside(lab: Lab) -> Iterator[Check]:
    """In the submodule's folder the submodule is the repository."""
    repo = with_submodule(lab)
    repo.write({"sub/lib.txt": text(4, {3: "three"}), "sub/new.txt": text(2), "f.txt": text(3, {2: "two"})})
    sub = inside(repo)
    yield sub.check("--base", "HEAD", files=[modified("lib.txt", 3, removed=1), added("new.txt", 2)])
    sub.git("checkout", "-q", "origin/next", "--detach", "-m")
    yield sub.check("--commit", "HEAD", files=[modified("lib.txt", 1, removed=1)])


def embedded(lab: Lab, *, commits: bool) -> Iterator[Check]:
    """A repository inside the tree that is nobody's submodule: listed with a reason, never opened."""
    repo = lab.repo({"f.txt": text(3)}).write({"f.txt": text(3, {2: "two"})})
    inner = lab.repo({"inner.txt": text(50)} if commits else None, name="repo/nested/inner")
    inner.write({"more.txt": text(5)})
    change = modified("f.txt", 2, removed=1)
    yield repo.check(files=[change, added("nested/inner", 0).excluded()])
    repo.add("f.txt")
    yield repo.check("--staged", files=[change])


@case()
def embedded_repository(lab: Lab) -> Iterator[Check]:
    yield from embedded(lab, commits=True)


@case()
def embedded_repository_without_commits(lab: Lab) -> Iterator[Check]:
    yield from embedded(lab, commits=False)


@case()
def worktree_inside_the_repository(lab: Lab) -> Iterator[Check]:
    """Agents keep linked worktrees below the repository; their files are on another branch."""
    repo = lab.repo({"f.txt": text(3)}).write({"f.txt": text(3, {2: "two"})})
    repo.git("worktree", "add", "-q", "-b", "agent", "trees/agent")
    repo.write({"trees/agent/f.txt": text(3, {1: "one"}), "trees/agent/new.txt": text(9)})
    change = modified("f.txt", 2, removed=1)
    yield repo.check(files=[change, added("trees/agent", 0).excluded()])
    linked = Repo(lab, repo.at("trees/agent"))
    yield linked.check(files=[modified("f.txt", 1, removed=1), added("new.txt", 9)])


@case()
def embedded_repository_added_as_a_link(lab: Lab) -> Iterator[Check]:
    """`git add nested` makes a submodule without `.gitmodules`."""
    repo = lab.repo({"f.txt": text(3)})
    lab.repo({"inner.txt": text(50)}, name="repo/nested")
    repo.git("add", "nested")
    yield from repo.everywhere([added("nested", 1).excluded()], "staged", "commit")
