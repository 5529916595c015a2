"""CRLF: what git converts is not part of the change, what it does not convert is."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from .expect import added, modified
from .registry import case, register
from .repo import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .expect import Check
    from .repo import Lab

CONVERTING = {
    "autocrlf_true": ({"core.autocrlf": "true"}, ""),
    "autocrlf_input": ({"core.autocrlf": "input"}, ""),
    "attribute_eol_crlf": ({}, "*.txt text eol=crlf\n"),
    "attribute_text_auto": ({"core.eol": "crlf"}, "* text=auto\n"),
    "attribute_crlf": ({}, "*.txt crlf\n"),
    "safecrlf": ({"core.autocrlf": "true", "core.safecrlf": "true"}, ""),
    "safecrlf_warn": ({"core.autocrlf": "true", "core.safecrlf": "warn"}, ""),
}


def converted(settings: dict[str, str], attributes: str, lab: Lab) -> Iterator[Check]:
    """LF in the repository, CRLF in the tree: only the edited line is part of the change."""
    start = {"f.txt": text(6), "same.txt": text(6)} | ({".gitattributes": attributes} if attributes else {})
    repo = lab.repo(start).config(settings)
    repo.write(
        {
            "f.txt": text(6, {4: "four"}, end="\r\n"),
            "same.txt": text(6, end="\r\n"),
            "new.txt": text(3, end="\r\n"),
        }
    )
    files = [modified("f.txt", 4, removed=1), added("new.txt", 3)]
    yield repo.check(files=files)
    repo.git("-c", "core.safecrlf=false", "add", "-A")
    yield repo.check("--staged", files=files)


for situation, (config, lines) in CONVERTING.items():
    register(f"line_ends.{situation}", partial(converted, config, lines))


@case()
def lf_where_git_wants_crlf(lab: Lab) -> Iterator[Check]:
    """`core.safecrlf` makes `git add` refuse a file that would not come back the same; a review goes on."""
    repo = lab.repo({"f.txt": text(6)}).config({"core.autocrlf": "true", "core.safecrlf": "true"})
    repo.write({"f.txt": text(6, {4: "four"}), "new.txt": text(3)})
    yield repo.check(files=[modified("f.txt", 4, removed=1), added("new.txt", 3)])


@case()
def nothing_converts(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"crlf.txt": text(6, end="\r\n"), "lf.txt": text(6), "mixed.txt": "a\nb\r\nc\n"})
    repo.config({"core.autocrlf": "false"})
    repo.write(
        {
            "crlf.txt": text(6, {2: "two"}, end="\r\n"),
            "lf.txt": text(6, end="\r\n"),
            "mixed.txt": "a\r\nb\r\nc\n",
            "new.txt": text(3, end="\r\n"),
        }
    )
    files = [
        modified("crlf.txt", 2, removed=1),
        modified("lf.txt", (1, 6), removed=6),
        modified("mixed.txt", 1, removed=1),
        added("new.txt", 3),
    ]
    yield from repo.everywhere(files, "tree", "staged", "commit", "patch")


@case()
def crlf_in_the_repository_with_autocrlf(lab: Lab) -> Iterator[Check]:
    """A file that was committed with CRLF is left alone by autocrlf."""
    repo = lab.repo({"f.txt": text(6, end="\r\n")}).config({"core.autocrlf": "true"})
    repo.write({"f.txt": text(6, {5: "five"}, end="\r\n")})
    yield from repo.everywhere([modified("f.txt", 5, removed=1)], "tree", "staged")


@case()
def only_the_line_ends_differ(lab: Lab) -> Iterator[Check]:
    """Git converts them back, so there is nothing to review."""
    repo = lab.repo({"f.txt": text(6), "g.txt": text(2)}).config({"core.autocrlf": "true"})
    repo.write({"f.txt": text(6, end="\r\n")})
    yield repo.check(files=[])
    repo.add()
    yield repo.check("--staged", files=[])


@case()
def whitespace_settings(lab: Lab) -> Iterator[Check]:
    """White space is content, whatever `core.whitespace` says."""
    repo = lab.repo({"f.txt": text(6)}).config({"core.whitespace": "cr-at-eol,-trailing-space,tabwidth=3"})
    rows = text(6).splitlines()
    repo.write({"f.txt": "\n".join([rows[0] + " ", rows[1], "\t" + rows[2], rows[3] + "\r", rows[4], rows[5]]) + "\n"})
    yield from repo.everywhere([modified("f.txt", 1, (3, 4), removed=3)])
