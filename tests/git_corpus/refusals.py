"""Places and repositories that cannot be reviewed: one line that says so, never an empty change."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from .expect import modified
from .registry import case
from .repo import Repo, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .expect import Check
    from .repo import Lab


@case()
def not_a_repository(lab: Lab) -> Iterator[Check]:
    folder = lab.folder().write({"f.txt": text(3)})
    yield folder.refuses()
    yield folder.refuses("--staged")
    yield folder.refuses("--commit", "HEAD")


@case()
def bare_repository(lab: Lab) -> Iterator[Check]:
    source = lab.repo({"f.txt": text(3)})
    lab.git("clone", "-q", "--bare", str(source.path), "bare.git", cwd=lab.root)
    bare = Repo(lab, lab.root / "bare.git")
    yield bare.refuses()
    yield bare.refuses("--staged")


@case()
def inside_the_git_folder(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(3)}).write({"f.txt": text(3, {1: "one"})})
    yield repo.refuses(sub=".git")
    yield repo.refuses("--staged", sub=".git/objects")


@case("posix")
def owned_by_somebody_else(lab: Lab) -> Iterator[Check]:
    """Git does not trust the configuration of such a repository; `safe.directory` is the person's decision."""
    repo = lab.repo({"f.txt": text(3)}).write({"f.txt": text(3, {1: "one"})})
    if os.geteuid() != 0:
        pytest.skip("only root gives a folder away")
    for path in (repo.path, repo.at(".git")):
        os.chown(path, 12345, 12345)
    yield repo.refuses(hint=True)
    yield repo.refuses("--staged", hint=True)
    lab.global_config.write_text(f"[safe]\n\tdirectory = {repo.path}\n")
    yield repo.check(files=[modified("f.txt", 1, removed=1)])


@case()
def head_is_broken(lab: Lab) -> Iterator[Check]:
    """An unreadable HEAD is not an unborn one."""
    repo = lab.repo({"f.txt": text(3)}).write({"f.txt": text(3, {1: "one"})})
    repo.write({".git/refs/heads/main": "0123456789abcdef0123456789abcdef01234567\n"})
    yield repo.refuses()
    yield repo.refuses("--staged")
    repo.write({".git/HEAD": "garbage\n"})
    yield repo.refuses()


@case()
def index_is_broken(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(3)}).write({"f.txt": text(3, {1: "one"}), ".git/index": b"DIRC\0\0\0\2garbage"})
    yield repo.refuses()
    yield repo.refuses("--staged")


@case()
def content_is_missing(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(3)})
    blob = repo.rev("HEAD:f.txt")
    repo.commit({"f.txt": text(3, {1: "one"})})
    repo.at(f".git/objects/{blob[:2]}/{blob[2:]}").unlink()
    yield repo.refuses("--commit", "HEAD")


@case()
def configuration_is_broken(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(3)}).write({"f.txt": text(3, {1: "one"})})
    with repo.at(".git/config").open("a") as stream:
        stream.write("[core\n")
    yield repo.refuses()


@case()
def format_of_the_future(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(3)}).config({"core.repositoryFormatVersion": "99"})
    yield repo.refuses()


@case("posix")
def git_is_not_installed(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(3)})
    (lab.root / "empty").mkdir()
    yield repo.refuses(env={"PATH": str(lab.root / "empty")}, hint=True)


@case("posix")
def git_prints_and_fails(lab: Lab) -> Iterator[Check]:
    """A git that dies half-way must not pass for one that had little to say."""
    real = next(path for folder in lab.env["PATH"].split(os.pathsep) if os.access(path := f"{folder}/git", os.X_OK))
    lab.script(
        "git",
        f'"{real}" "$@"\ncode=$?\ncase " $* " in *" diff"*) echo fatal: broken pipe >&2; exit 128;; esac\nexit $code',
    )
    repo = lab.repo({"f.txt": text(3)}).write({"f.txt": text(3, {1: "one"})})
    path = os.pathsep.join((str(lab.root / "bin"), lab.env["PATH"]))
    yield repo.check(env={"PATH": path}, exits=(4, 5))
    yield repo.check("--commit", "HEAD", env={"PATH": path}, exits=(4, 5))


@case("posix")
def folder_was_deleted(lab: Lab) -> Iterator[Check]:
    """The current folder is gone while the shell still stands in it."""
    if not os.access("/bin/sh", os.X_OK):
        pytest.skip("no /bin/sh")
    repo = lab.repo({"f.txt": text(3)})
    repo.at("gone").mkdir()
    yield repo.refuses(sub="gone", prefix=("/bin/sh", "-c", 'rmdir ../gone; exec "$0" "$@"'))
    repo.at("gone").mkdir(exist_ok=True)
    yield repo.refuses("--diff", "missing.patch", sub="gone", prefix=("/bin/sh", "-c", 'rmdir ../gone; exec "$0" "$@"'))
