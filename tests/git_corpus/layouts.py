"""Where the repository, its git folder, its objects and its working tree can be."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from .expect import added, deleted, modified
from .registry import case
from .repo import Repo, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .expect import Check
    from .repo import Lab


def usual(repo: Repo) -> Iterator[Check]:
    """An edit and a new file, in a repository that has `f.txt` of nine lines and is otherwise special."""
    repo.write({"f.txt": text(9, {4: "four"}), "new.txt": text(2, tag="new")})
    yield repo.add("f.txt").check(files=[modified("f.txt", 4, removed=1), added("new.txt", 2)])


@case()
def sha256(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(9)}, "--object-format=sha256")
    root = repo.rev()
    assert len(root) == 64
    yield repo.check("--commit", root, files=[added("f.txt", 9)], scope={"head": root})
    yield from usual(repo)
    yield repo.check("--staged", files=[modified("f.txt", 4, removed=1)])
    repo.commit()
    yield repo.check(
        "--base",
        root,
        "--head",
        "HEAD",
        files=[modified("f.txt", 4, removed=1), added("new.txt", 2)],
        scope={"mergeBase": root},
    )


@case()
def sha256_unborn(lab: Lab) -> Iterator[Check]:
    repo = lab.repo(None, "--object-format=sha256").write({"f.txt": text(3)}).add().write({"g.txt": text(2)})
    yield repo.check("--staged", files=[added("f.txt", 3)])
    yield repo.check(files=[added("f.txt", 3), added("g.txt", 2)])


@case()
def linked_worktree(lab: Lab) -> Iterator[Check]:
    """Its files, its index and its HEAD are its own; what happens in the main tree is not part of it."""
    main = lab.repo({"f.txt": text(9)})
    main.git("worktree", "add", "-q", "-b", "topic", "../linked")
    main.write({"f.txt": text(9, {9: "elsewhere"}), "elsewhere.txt": text(5)}).add()
    linked = Repo(lab, lab.root / "linked")
    yield from usual(linked)
    yield linked.check("--staged", files=[modified("f.txt", 4, removed=1)])
    linked.commit()
    yield linked.check(
        files=[modified("f.txt", 4, removed=1), added("new.txt", 2)],
        scope={"mergeBase": main.rev("main"), "head": linked.rev()},
    )
    yield main.check(files=[modified("f.txt", 9, removed=1), added("elsewhere.txt", 5)])


@case()
def detached_worktree(lab: Lab) -> Iterator[Check]:
    main = lab.repo({"f.txt": text(9)})
    main.commit({"g.txt": text(3, tag="g")})
    main.git("worktree", "add", "-q", "--detach", "../linked", "HEAD~1")
    linked = Repo(lab, lab.root / "linked").write({"f.txt": text(9, {4: "four"})})
    yield linked.check(files=[modified("f.txt", 4, removed=1)])


@case()
def separate_git_folder(lab: Lab) -> Iterator[Check]:
    yield from usual(lab.repo({"f.txt": text(9)}, "--separate-git-dir=../storage"))


@case()
def core_worktree(lab: Lab) -> Iterator[Check]:
    """The configuration of the git folder says where the files are."""
    repo = lab.repo({"f.txt": text(9)})
    files = lab.folder("files").write({"f.txt": text(9, {4: "four"}), "new.txt": text(2, tag="new")})
    repo.config({"core.worktree": str(files.path)})
    repo.at("f.txt").unlink()
    env = {"GIT_DIR": str(repo.at(".git"))}
    yield files.check(env=env, files=[modified("f.txt", 4, removed=1), added("new.txt", 2)])


@case()
def dotfiles(lab: Lab) -> Iterator[Check]:
    """A git folder beside the files it tracks, found through the environment only."""
    home = lab.folder("person").write({".profile": text(4), ".config/app.txt": text(5)})
    env = {"GIT_DIR": str(lab.root / "dotfiles"), "GIT_WORK_TREE": str(home.path)}
    home.git("init", "-q", "--template=", "-b", "main", env=env)
    home.git("add", "-A", env=env)
    home.git("commit", "-qm", "first", env=env)
    home.git("config", "status.showUntrackedFiles", "no", env=env)
    home.write({".profile": text(4, {2: "two"}), ".config/app.txt": text(5, {1: "one"})})
    files = [modified(".profile", 2, removed=1), modified(".config/app.txt", 1, removed=1)]
    yield home.check(env=env, files=files)
    yield home.check(env=env, files=files, sub=".config")
    home.git("add", ".profile", env=env)
    yield home.check("--staged", env=env, files=files[:1])


@case()
def git_dir_alone(lab: Lab) -> Iterator[Check]:
    """With GIT_DIR and no GIT_WORK_TREE the current folder is the top."""
    repo = lab.repo({"f.txt": text(9)}).write({"f.txt": text(9, {4: "four"})})
    yield repo.check(env={"GIT_DIR": ".git"}, files=[modified("f.txt", 4, removed=1)])
    yield repo.check(env={"GIT_DIR": str(repo.at(".git"))}, files=[modified("f.txt", 4, removed=1)])


@case()
def alternates(lab: Lab) -> Iterator[Check]:
    """A clone that borrows its objects."""
    source = lab.repo({"f.txt": text(9)}, name="source")
    lab.git("clone", "-q", "-s", "--template=", str(source.path), "repo", cwd=lab.root)
    yield from usual(Repo(lab, lab.root / "repo"))


@case()
def partial_clone(lab: Lab) -> Iterator[Check]:
    """Contents that were never fetched are fetched by git when they are needed."""
    source = lab.repo({"f.txt": text(9), "other.txt": text(4, tag="other")}, name="source")
    source.commit({"f.txt": text(9, {4: "four"})})
    source.config({"uploadpack.allowFilter": "true", "uploadpack.allowAnySHA1InWant": "true"})
    clone = lab.clone(source, "--filter=blob:none")
    yield clone.check("--commit", "HEAD", files=[modified("f.txt", 4, removed=1)])


@case()
def partial_clone_whose_source_is_gone(lab: Lab) -> Iterator[Check]:
    """What cannot be read is an error, not an empty change."""
    source = lab.repo({"f.txt": text(9)}, name="source")
    source.commit({"f.txt": text(9, {4: "four"})})
    source.config({"uploadpack.allowFilter": "true", "uploadpack.allowAnySHA1InWant": "true"})
    clone = lab.clone(source, "--filter=blob:none")
    shutil.rmtree(source.path)
    yield clone.check("--commit", "HEAD", exits=(4, 5))


@case("posix")
def through_a_link(lab: Lab) -> Iterator[Check]:
    """The current folder is reached through a symbolic link."""
    repo = lab.repo({"f.txt": text(9), "sub/g.txt": text(3, tag="g")})
    (lab.root / "alias").symlink_to(repo.path)
    (lab.root / "deep").symlink_to(repo.at("sub"))
    repo.write({"sub/g.txt": text(3, {1: "one"}, tag="g")})
    yield Repo(lab, lab.root / "deep").check(files=[modified("sub/g.txt", 1, removed=1)])
    yield Repo(lab, lab.root / "deep").check("g.txt", files=[modified("sub/g.txt", 1, removed=1)])
    alias = Repo(lab, lab.root / "alias")
    yield alias.check(str(alias.at("sub/g.txt")), files=[modified("sub/g.txt", 1, removed=1)])


@case("linux")
def odd_folder_names(lab: Lab) -> Iterator[Check]:
    """Git prints the top folder as a line; these make that line hard to read."""
    for name in ("two words \N{PARTY POPPER}", "ends with newline\n", " spaces ", b"latin-\xe9", "-x"):
        repo = lab.repo({"f.txt": text(9)}, name=name).write({"f.txt": text(9, {4: "four"}), "sub/g.txt": text(1)})
        yield repo.check(sub="sub", files=[modified("f.txt", 4, removed=1), added("sub/g.txt", 1)])


@case()
def git_file_with_a_relative_path(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(9)})
    repo.at(".git").rename(lab.root / "storage")
    repo.write({".git": "gitdir: ../storage\n"})
    yield from usual(repo)


@case()
def new_commits_in_the_main_tree(lab: Lab) -> Iterator[Check]:
    """`main` moves on in one tree while `topic` is reviewed in the other."""
    main = lab.repo({"f.txt": text(9), "g.txt": text(2, tag="g")})
    main.git("worktree", "add", "-q", "-b", "topic", "../linked")
    main.commit({"f.txt": text(9, {9: "nine"})})
    linked = Repo(lab, lab.root / "linked").write({"f.txt": text(9, {1: "one"})})
    linked.at("g.txt").unlink()
    yield linked.check(files=[modified("f.txt", 1, removed=1), deleted("g.txt", 2)], scope={"mergeBase": linked.rev()})


@case()
def nested_below_another_repository(lab: Lab) -> Iterator[Check]:
    """The innermost repository counts."""
    outer = lab.repo({"outer.txt": text(3)}, name="outer").write({"outer.txt": text(3, {1: "one"})})
    inner = lab.repo({"f.txt": text(9)}, name="outer/inner")
    assert Path(outer.path) in inner.path.parents
    yield from usual(inner)
