"""`.gitattributes` may convert content, as git does; it may not hide lines from the review."""

from __future__ import annotations

import os
import shlex
import sys
from functools import partial
from typing import TYPE_CHECKING

from .expect import added, modified
from .registry import case, register
from .repo import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .expect import Check
    from .repo import Lab

HIDING = {
    "no_diff": "*.txt -diff",
    "binary": "*.txt binary",
    "no_text": "*.txt -text",
    "unknown_driver": "*.txt diff=nobody",
    "built_in_driver": "*.txt diff=python",
    "merge_driver": "*.txt merge=ours -merge export-ignore export-subst",
    "whitespace": "*.txt whitespace=-trailing-space",
    "macro": "[attr]hidden -diff -text\n*.txt hidden",
}


def hidden(lines: str, lab: Lab) -> Iterator[Check]:
    """Text stays text, whatever the attributes call it."""
    repo = lab.repo({".gitattributes": lines + "\n", "f.txt": text(8)})
    repo.write({"f.txt": text(8, {3: "three", 7: "seven"}), "new.txt": text(4, tag="new")})
    yield from repo.everywhere([modified("f.txt", 3, 7, removed=2), added("new.txt", 4)], "tree")


for situation, rules in HIDING.items():
    register(f"attributes.{situation}", partial(hidden, rules))


@case()
def the_change_brings_the_attribute(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(8)})
    repo.write({".gitattributes": "*.txt -diff\n", "f.txt": text(8, {3: "three"}), "sub/.gitattributes": "* binary\n"})
    repo.write({"sub/new.txt": text(4, tag="new")})
    files = [
        added(".gitattributes", 1),
        modified("f.txt", 3, removed=1),
        added("sub/.gitattributes", 1),
        added("sub/new.txt", 4),
    ]
    yield from repo.everywhere(files, "tree", "staged")


@case()
def attributes_of_the_clone(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"f.txt": text(8)}).write({".git/info/attributes": "* -diff\n", "f.txt": text(8, {3: "three"})})
    yield from repo.everywhere([modified("f.txt", 3, removed=1)])


@case()
def binary_called_text(lab: Lab) -> Iterator[Check]:
    """Git shows the lines, because the attribute says so; the bytes say binary. Neither loses anything."""
    repo = lab.repo({".gitattributes": "*.bin diff text\n", "a.bin": b"\0\1\n\2\n"})
    repo.write({"a.bin": b"\0\1\n\3\n", "b.bin": b"\0\n"})
    lines = (modified("a.bin", 2, removed=1), added("b.bin", 1))
    yield repo.check(choices=(lines, tuple(file.as_binary() for file in lines)))


@case("posix")
def drivers_with_programs(lab: Lab) -> Iterator[Check]:
    """A textconv, an external command, a driver that says binary: no program runs, no line is lost."""
    program, marker = lab.trap()
    repo = lab.repo(
        {
            ".gitattributes": "*.conv diff=conv\n*.ext diff=ext\n*.bin diff=bin\n",
            "f.conv": text(5),
            "f.ext": text(5),
            "f.bin": text(5),
        }
    )
    repo.config(
        {
            "diff.conv.textconv": str(program),
            "diff.conv.cachetextconv": "true",
            "diff.ext.command": str(program),
            "diff.bin.binary": "true",
        }
    )
    names = ("f.conv", "f.ext", "f.bin")
    repo.write({name: text(5, {4: "four"}) for name in names} | {"new.conv": text(2), "new.ext": text(2)})
    files = [*(modified(name, 4, removed=1) for name in names), added("new.conv", 2), added("new.ext", 2)]
    yield repo.check(files=files, never=(marker,))
    repo.add()
    yield repo.check("--staged", files=files, never=(marker,))
    repo.git("commit", "-qm", "change")
    yield repo.check("--commit", "HEAD", files=files, never=(marker,))


@case()
def working_tree_encoding(lab: Lab) -> Iterator[Check]:
    """UTF-16 in the tree, UTF-8 in the repository: git's side has lines."""
    repo = lab.repo({".gitattributes": "*.txt working-tree-encoding=UTF-16\n", "f.txt": text(5).encode("utf-16")})
    repo.write({"f.txt": text(5, {2: "two"}).encode("utf-16"), "new.txt": text(3).encode("utf-16")})
    yield from repo.everywhere([modified("f.txt", 2, removed=1), added("new.txt", 3)], "tree", "staged")


@case()
def ident(lab: Lab) -> Iterator[Check]:
    """The `$Id$` that git fills in at check-out is not a change."""
    repo = lab.repo({".gitattributes": "*.txt ident\n", "f.txt": "$Id$\n" + text(4), "same.txt": "$Id$\n"})
    repo.at("f.txt").unlink()
    repo.at("same.txt").unlink()
    repo.git("checkout", "-q", "--", ".")
    filled = repo.at("f.txt").read_text()
    assert filled.startswith("$Id: ")
    repo.write({"f.txt": filled.replace("line 3 of line", "three")})
    yield from repo.everywhere([modified("f.txt", 4, removed=1)], "tree", "staged")


@case("posix")
def clean_and_smudge(lab: Lab) -> Iterator[Check]:
    """The repository holds what the filter makes of the tree; only the edited line is part of the change."""
    code = "import sys; a, b = sys.argv[1:]; sys.stdout.write(sys.stdin.read().replace(a, b))"
    program = f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}"
    repo = lab.repo().config(
        {"filter.swap.clean": f"{program} tree repo", "filter.swap.smudge": f"{program} repo tree"}
    )
    repo.commit({".gitattributes": "*.txt filter=swap\n", "f.txt": text(6, tag="tree")})
    assert b"tree" not in repo.git("show", "HEAD:f.txt")
    repo.write({"f.txt": text(6, {2: "two"}, tag="tree"), "new.txt": text(3, tag="tree")})
    yield from repo.everywhere([modified("f.txt", 2, removed=1), added("new.txt", 3)], "tree", "staged")


@case("posix")
def filter_that_is_not_installed(lab: Lab) -> Iterator[Check]:
    """As after cloning a repository that uses a large file store one does not have."""
    repo = lab.repo({".gitattributes": "*.txt filter=absent\n", "f.txt": text(6), "pointer.txt": text(3)})
    repo.config(
        {
            "filter.absent.clean": "no-such-program %f",
            "filter.absent.smudge": "no-such-program %f",
            "filter.absent.process": "no-such-program",
        }
    )
    repo.write({"f.txt": text(6, {2: "two"})})
    yield repo.check(files=[modified("f.txt", 2, removed=1)])


@case("posix")
def filter_that_must_work_and_does_not(lab: Lab) -> Iterator[Check]:
    """What git has already can be reviewed; what it cannot take in is an error, or listed with the reason."""
    repo = lab.repo({".gitattributes": "*.dat filter=absent\n", "f.dat": text(6), "g.txt": text(3)})
    repo.write({"f.dat": text(6, {2: "two"})})
    os.utime(repo.at("f.dat"), (10**9, 10**9))  # older than the index, so that git has no reason to read it again
    repo.commit()
    repo.config({"filter.absent.clean": "no-such-program %f", "filter.absent.required": "true"})
    repo.write({"g.txt": text(3, {1: "one"})}).add("g.txt")
    yield repo.check("--commit", "HEAD", files=[modified("f.dat", 2, removed=1)])
    yield repo.check("--staged", files=[modified("g.txt", 1, removed=1)])
    repo.write({"f.dat": text(6, {2: "two", 5: "five"})})
    staged = modified("g.txt", 1, removed=1)
    yield repo.check(
        exits=(0, 4, 5), choices=((staged, modified("f.dat", 5, removed=1)), (staged, modified("f.dat").excluded()))
    )


@case()
def large_file_pointers(lab: Lab) -> Iterator[Check]:
    """A pointer is text of three lines in the repository."""
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 12345\n"
    repo = lab.repo(
        {".gitattributes": "*.psd filter=lfs diff=lfs merge=lfs -text\n", "a.psd": pointer.format("1" * 64)}
    )
    repo.write({"a.psd": pointer.format("2" * 64)})
    yield from repo.everywhere([modified("a.psd", 2, removed=1)])
