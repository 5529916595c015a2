"""Untracked files count unless something says they are ignored; tracked ones always do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .expect import added, modified
from .registry import case
from .repo import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .expect import Check
    from .repo import Lab


@case()
def rules_of_every_kind(lab: Lab) -> Iterator[Check]:
    """The repository's, a folder's, a negation, the clone's own `info/exclude`."""
    repo = lab.repo({".gitignore": "*.log\n!keep.log\ncache/\n/rooted.txt\n", "deep/.gitignore": "*.tmp\n"})
    repo.write({".git/info/exclude": "private.txt\n"})
    ignored = ["a.log", "deep/b.log", "deep/c.tmp", "cache/d.txt", "deep/cache/e.txt", "rooted.txt", "private.txt"]
    wanted = ["keep.log", "f.tmp", "deep/rooted.txt", "new/deeper/g.txt"]
    repo.write({name: text(2, tag=name) for name in (*ignored, *wanted)})
    yield repo.check(files=[added(name, 2) for name in wanted])


@case()
def new_rules_are_part_of_the_change(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(2)})
    repo.write({".gitignore": "*.log\n", "sub/.gitignore": "*\n!.gitignore\n!kept.txt\n"})
    repo.write({"a.log": text(2), "sub/b.txt": text(2), "sub/kept.txt": text(3)})
    files = [added(".gitignore", 1), added("sub/.gitignore", 3), added("sub/kept.txt", 3)]
    yield from repo.everywhere(files)


@case()
def tracked_file_in_an_ignored_folder(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"out/keep.txt": text(4), "f.log": text(4)})
    repo.commit({".gitignore": "out/\n*.log\n"})
    repo.write({"out/keep.txt": text(4, {2: "two"}), "f.log": text(4, {3: "three"}), "out/new.txt": text(2)})
    yield from repo.everywhere(
        [modified("out/keep.txt", 2, removed=1), modified("f.log", 3, removed=1)], "tree", "staged"
    )


@case()
def added_by_force(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({".gitignore": "*.log\n"}).write({"forced.log": text(2), "other.log": text(2)})
    repo.git("add", "-f", "forced.log")
    yield repo.check(files=[added("forced.log", 2)])
    yield repo.check("--staged", files=[added("forced.log", 2)])


@case()
def a_persons_own_rules(lab: Lab) -> Iterator[Check]:
    rules = lab.home / "my-ignores"
    rules.write_text("*.swp\n.idea/\n")
    lab.global_config.write_text(f"[core]\n\texcludesFile = {rules.as_posix()}\n")
    repo = lab.repo({"f.txt": text(2)}).write({"f.swp": text(1), ".idea/x.txt": text(1), "g.txt": text(3)})
    yield repo.check(files=[added("g.txt", 3)])


@case()
def rules_in_the_default_place(lab: Lab) -> Iterator[Check]:
    """`$XDG_CONFIG_HOME/git/ignore` counts without any setting."""
    (lab.home / "config/git").mkdir(parents=True)
    (lab.home / "config/git/ignore").write_text("*.swp\n")
    repo = lab.repo({"f.txt": text(2)}).write({"f.swp": text(1), "g.txt": text(3)})
    yield repo.check(files=[added("g.txt", 3)])


@case()
def new_folder_with_and_without_ignored_files(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({".gitignore": "*.pyc\n"})
    repo.write({"pkg/a.txt": text(2, tag="a"), "pkg/a.pyc": b"\0", "only/b.pyc": b"\0", "pkg/sub/c.txt": text(1)})
    repo.at("empty").mkdir()
    yield from repo.everywhere([added("pkg/a.txt", 2), added("pkg/sub/c.txt", 1)])
