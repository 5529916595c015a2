"""Modes, symbolic links, files that become folders, and things git does not store."""

from __future__ import annotations

import os
import shutil
import stat
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from .expect import added, deleted, modified, type_changed
from .registry import case
from .repo import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .expect import Check
    from .repo import Lab, Repo


def link(repo: Repo, name: str, target: str) -> None:
    """A symbolic link, in place of whatever is there."""
    repo.at(name).unlink(missing_ok=True)
    repo.at(name).symlink_to(target)


@case("posix")
def mode_only(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"run.sh": text(5), "lib.sh": text(5)})
    repo.git("update-index", "--chmod=+x", "lib.sh")
    repo.at("lib.sh").chmod(0o755)
    repo.git("commit", "-qm", "executable")
    repo.at("run.sh").chmod(0o755)
    repo.at("lib.sh").chmod(0o644)
    yield from repo.everywhere([modified("run.sh"), modified("lib.sh")], "tree", "patch")


@case("posix")
def mode_and_content(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"run.sh": text(5)}).write({"run.sh": text(5, {2: "two"})})
    repo.at("run.sh").chmod(0o755)
    yield from repo.everywhere([modified("run.sh", 2, removed=1)], "tree", "patch")


@case("posix")
def file_mode_switched_off(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"run.sh": text(5), "f.txt": text(3)}).config({"core.fileMode": "false"})
    repo.at("run.sh").chmod(0o755)
    repo.write({"f.txt": text(3, {1: "one"})})
    yield from repo.everywhere([modified("f.txt", 1, removed=1)])


@case("posix")
def new_links(lab: Lab) -> Iterator[Check]:
    """To a file, to nothing, out of the repository, to a folder with files that are not part of the change."""
    repo = lab.repo({"dir/f.txt": text(3)})
    outside = lab.folder("outside").write({"secret.txt": text(100)})
    targets = {
        "file": "dir/f.txt",
        "nothing": "does/not/exist",
        "out": "../outside/secret.txt",
        "absolute": str(outside.at("secret.txt")),
        "folder": "dir",
        "outer": "../outside",
        "self": "self",
    }
    for name, target in targets.items():
        link(repo, name, target)
    yield from repo.everywhere([added(name, 1) for name in targets], "tree", "patch")


@case("posix")
def new_target(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(3)})
    link(repo, "link", "f.txt")
    repo.commit()
    link(repo, "link", "g.txt")
    yield from repo.everywhere([modified("link", 1, removed=1).excluded()], "tree", "patch")


@case("posix")
def link_removed(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(3)})
    link(repo, "link", "f.txt")
    repo.commit()
    repo.at("link").unlink()
    yield from repo.everywhere([deleted("link", 1)], "tree", "patch")


@case("posix")
def file_behind_a_link_changes(lab: Lab) -> Iterator[Check]:
    """The link itself is as it was."""
    repo = lab.repo({"f.txt": text(3)})
    link(repo, "link", "f.txt")
    repo.commit()
    repo.write({"f.txt": text(3, {2: "two"})})
    yield from repo.everywhere([modified("f.txt", 2, removed=1)])


@case("posix")
def file_becomes_link_and_back(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"a": text(5), "target.txt": text(4, tag="target")})
    link(repo, "b", "target.txt")
    repo.commit()
    link(repo, "a", "target.txt")
    repo.at("b").unlink()
    repo.write({"b": text(3, tag="file")})
    files = [type_changed("a", 1, removed=5).excluded(), type_changed("b", (1, 3), removed=1)]
    yield from repo.everywhere(files, "tree", "patch")


@case("posix")
def file_becomes_folder(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"thing": text(5), "keep": text(1)})
    repo.at("thing").unlink()
    repo.write({"thing/inner.txt": text(3, tag="inner")})
    yield from repo.everywhere([deleted("thing", 5), added("thing/inner.txt", 3)], "tree", "patch")


@case("posix")
def folder_becomes_file(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"thing/inner.txt": text(3, tag="inner"), "keep": text(1)})
    shutil.rmtree(repo.at("thing"))
    repo.write({"thing": text(5)})
    yield from repo.everywhere([added("thing", 5), deleted("thing/inner.txt", 3)], "tree", "patch")


@case("posix")
def folder_becomes_link(lab: Lab) -> Iterator[Check]:
    """What lies behind the link is not in the repository, even where it has the same names."""
    repo = lab.repo({"dir/f.txt": text(3), "other/f.txt": text(3)})
    shutil.rmtree(repo.at("dir"))
    repo.at("dir").symlink_to("other")
    yield from repo.everywhere([added("dir", 1).excluded(), deleted("dir/f.txt", 3)], "tree", "staged")


@case("posix")
def link_becomes_folder(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"other/f.txt": text(3)})
    link(repo, "dir", "other")
    repo.commit()
    repo.at("dir").unlink()
    repo.write({"dir/g.txt": text(4, tag="new")})
    yield from repo.everywhere([deleted("dir", 1), added("dir/g.txt", 4)], "tree", "staged")


@case("linux")
def pipes_and_sockets_are_not_content(lab: Lab) -> Iterator[Check]:
    """Git ignores them, and opening one would wait forever."""
    repo = lab.repo({"f.txt": text(3)}).write({"f.txt": text(3, {1: "one"}), "dir/new.txt": text(2)})
    os.mkfifo(repo.at("pipe"))
    os.mkfifo(repo.at("dir/pipe.txt"))
    os.mknod(repo.at("socket"), stat.S_IFSOCK | 0o644)
    yield repo.check(files=[modified("f.txt", 1, removed=1), added("dir/new.txt", 2)])
    yield repo.check("--staged", files=[])


@case("posix")
def pipe_in_place_of_a_file(lab: Lab) -> Iterator[Check]:
    """The content is gone; what the thing is called that stands there now is not settled."""
    repo = lab.repo({"f.txt": text(3), "g.txt": text(3)}).write({"g.txt": text(3, {1: "one"})})
    repo.at("f.txt").unlink()
    os.mkfifo(repo.at("f.txt"))
    gone = deleted("f.txt", 3).or_status("modified", "type_changed")
    other = modified("g.txt", 1, removed=1)
    unread = replace(gone, removed=0).excluded()
    yield repo.check(choices=((gone, other), (gone.excluded(), other), (unread, other)))
    yield repo.check("--staged", files=[])


@case("posix")
def link_to_a_pipe(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(3)})
    os.mkfifo(lab.root / "pipe")
    link(repo, "f.txt", "../pipe")
    link(repo, "new", "../pipe")
    yield from repo.everywhere([type_changed("f.txt", 1, removed=3), added("new", 1)], "tree", "staged")


@case("posix")
def unreadable_file(lab: Lab) -> Iterator[Check]:
    """What cannot be read cannot be reviewed: an error, or listed with the reason, but never silence."""
    prefix: tuple[str, ...] = ()
    if os.geteuid() == 0:
        if not shutil.which("setpriv"):
            pytest.skip("root reads everything, and there is no setpriv to stop it")
        prefix = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")
    repo = lab.repo({"f.txt": text(3), "locked.txt": text(3)}).write({"f.txt": text(3, {1: "one"})})
    repo.write({"locked.txt": text(3, {2: "two"}), "new.txt": text(2)})
    for name in ("locked.txt", "new.txt"):
        repo.at(name).chmod(0)
    other = modified("f.txt", 1, removed=1)
    yield repo.check(
        exits=(0, 4, 5), prefix=prefix, files=[other, modified("locked.txt").excluded(), added("new.txt", 0).excluded()]
    )
    yield repo.check("--staged", prefix=prefix, files=[])
    for name in ("locked.txt", "new.txt"):
        repo.at(name).chmod(0o644)
