"""Inside a hook git hands over an index of its own, and paths to it; the review must see that one."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

from .expect import added, deleted, modified
from .registry import case
from .repo import text
from .tool import command

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .expect import Check, File
    from .repo import Lab, Repo


def hook(repo: Repo, name: str, *argv: str, sub: str = ".") -> None:
    """Run the tool in a hook and keep what it says; the hook itself always succeeds."""
    kept = repo.lab.root / "kept"
    kept.mkdir()
    words = " ".join(shlex.quote(str(word)) for word in command(*argv))
    where = shlex.quote(str(kept))
    script = repo.lab.script(
        name, f"cd {shlex.quote(sub)} && {words} >{where}/out 2>{where}/err; echo $? >{where}/code"
    )
    repo.config({"core.hooksPath": str(script.parent)})


def seen(repo: Repo, files: Sequence[File]) -> Iterator[Check]:
    """What the hook kept."""
    yield replace(repo.check(files=files), captured=repo.lab.root / "kept", argv=("in the hook",))


def two_changes(lab: Lab) -> Repo:
    """One file staged, another one not, one untracked."""
    repo = lab.repo({"a.txt": text(5, tag="a"), "b.txt": text(5, tag="b"), "gone.txt": text(2)})
    repo.write({"a.txt": text(5, {1: "one"}, tag="a")}).add("a.txt")
    return repo.write({"b.txt": text(5, {2: "two"}, tag="b"), "new.txt": text(3)})


STAGED = modified("a.txt", 1, removed=1)
UNSTAGED = modified("b.txt", 2, removed=1)


@case("posix")
def plain_commit(lab: Lab) -> Iterator[Check]:
    repo = two_changes(lab)
    hook(repo, "pre-commit", "--staged")
    repo.git("commit", "-qm", "staged")
    yield from seen(repo, [STAGED])


@case("posix")
def commit_all(lab: Lab) -> Iterator[Check]:
    """`git commit -a` stages into an index that is not `.git/index`."""
    repo = two_changes(lab)
    repo.at("gone.txt").unlink()
    hook(repo, "pre-commit", "--staged")
    repo.git("commit", "-qam", "all")
    yield from seen(repo, [STAGED, UNSTAGED, deleted("gone.txt", 2)])


@case("posix")
def commit_one_path(lab: Lab) -> Iterator[Check]:
    """`git commit PATH` takes that path only, and leaves what is staged for later."""
    repo = two_changes(lab)
    hook(repo, "pre-commit", "--staged")
    repo.git("commit", "-qm", "one path", "b.txt")
    yield from seen(repo, [UNSTAGED])


@case("posix")
def amend(lab: Lab) -> Iterator[Check]:
    """While amending, HEAD is still the commit that will be replaced."""
    repo = two_changes(lab)
    hook(repo, "pre-commit", "--staged")
    repo.git("commit", "-q", "--amend", "-m", "amended")
    yield from seen(repo, [STAGED])


@case("posix")
def first_commit(lab: Lab) -> Iterator[Check]:
    repo = lab.repo().write({"a.txt": text(3)}).add().write({"b.txt": text(2)})
    hook(repo, "pre-commit", "--staged")
    repo.git("commit", "-qm", "first")
    yield from seen(repo, [added("a.txt", 3)])


@case("posix")
def linked_worktree(lab: Lab) -> Iterator[Check]:
    """Here git also exports GIT_DIR."""
    main = lab.repo({"a.txt": text(5)})
    main.git("worktree", "add", "-q", "-b", "topic", "../linked")
    main.write({"a.txt": text(5, {5: "elsewhere"})})
    repo = type(main)(lab, lab.root / "linked")
    repo.write({"a.txt": text(5, {2: "two"})})
    hook(repo, "pre-commit", "--staged")
    repo.git("commit", "-qam", "linked")
    yield from seen(repo, [modified("a.txt", 2, removed=1)])


@case("posix")
def from_a_sub_folder(lab: Lab) -> Iterator[Check]:
    """GIT_INDEX_FILE may be relative, to a folder that is not the hook's current one any more."""
    repo = two_changes(lab).write({"sub/f.txt": text(2, tag="f")}).add("sub/f.txt")
    hook(repo, "pre-commit", "--staged", sub="sub")
    lab.git("commit", "-qm", "from below", cwd=repo.at("sub"))
    yield from seen(repo, [STAGED, added("sub/f.txt", 2)])


@case("posix")
def default_scope_in_a_hook(lab: Lab) -> Iterator[Check]:
    """The working tree is the same one, whichever index git exports."""
    repo = two_changes(lab)
    hook(repo, "pre-commit")
    repo.git("commit", "-qm", "one path", "b.txt")
    yield from seen(repo, [STAGED, UNSTAGED, added("new.txt", 3)])


@case("posix")
def merge_commit(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"a.txt": text(5)}).branch("topic")
    repo.commit({"topic.txt": text(2, tag="topic")})
    repo.switch("main").commit({"main.txt": text(2, tag="main")})
    hook(repo, "pre-merge-commit", "--staged")
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    yield from seen(repo, [added("topic.txt", 2)])


@case("posix")
def before_a_push(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"a.txt": text(5)})
    lab.git("init", "-q", "--bare", "--template=", "remote.git", cwd=lab.root)
    repo.git("remote", "add", "origin", "../remote.git")
    repo.git("push", "-q", "-u", "origin", "main")
    repo.commit({"a.txt": text(5, {3: "three"})})
    hook(repo, "pre-push", "--base", "origin/main", "--head", "HEAD")
    repo.write({"a.txt": text(5)}).git("push", "-q")
    yield from seen(repo, [modified("a.txt", 3, removed=1)])


@case("posix")
def through_a_git_alias(lab: Lab) -> Iterator[Check]:
    """`git -c KEY=VALUE alias` hands its settings down in GIT_CONFIG_PARAMETERS."""
    repo = two_changes(lab).write({"sub/f.txt": text(2, tag="f")})
    hook(repo, "pre-commit", "--staged")
    repo.config({"alias.review": f"!{lab.root / 'bin' / 'pre-commit'}", "core.hooksPath": "none"})
    lab.git("-c", "diff.noprefix=true", "-c", "diff.renames=false", "review", cwd=repo.at("sub"))
    yield from seen(repo, [STAGED])
