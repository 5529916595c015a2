"""Patches that cannot be read as a whole: never a part of them, never silence."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from .expect import modified
from .patch_text import EDIT, HUNK, INDEX, edit, plain
from .registry import case, register

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .expect import Check
    from .repo import Lab

NO_PATCH: dict[str, str] = {
    "prose": "This is not a diff at all.\nReally not.\n",
    "html": "<!DOCTYPE html>\n<html><body>404</body></html>\n",
    "context_diff": "*** f.txt\t2001-02-03\n--- f.txt\t2001-02-03\n***************\n"
    "*** 1,3 ****\n  one\n! two\n  three\n--- 1,3 ----\n  one\n! TWO\n  three\n",
    "normal_diff": "2c2\n< two\n---\n> TWO\n",
    "stat": " f.txt | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n",
    "names": "f.txt\ng.txt\n",
}

BROKEN: dict[str, str] = {
    "hunk_cut_off": edit("@@ -1,3 +1,3 @@\n one\n-two\n"),
    "hunk_cut_off_before_a_file": edit("@@ -1,3 +1,3 @@\n one\n-two\n") + edit(name="g.txt"),
    "hunk_empty": edit("@@ -1,3 +1,3 @@\n"),
    "hunk_header_wrong": edit("@@ -1,x +1,3 @@\n one\n-two\n+TWO\n three\n"),
    "hunk_header_of_many_digits": edit(f"@@ -1,{'9' * 5_000} +1,3 @@\n one\n-two\n+TWO\n three\n"),
    "hunk_without_numbers": edit("@@ @@\n one\n-two\n+TWO\n three\n"),
    "hunk_longer_than_it_says": edit(HUNK + "+hidden\n"),
    "hunk_with_a_strange_line": edit("@@ -1,3 +1,3 @@\n one\n*two\n+TWO\n three\n"),
    "hunk_of_nothing": HUNK,
    "hunk_of_words": edit("@@ -1,3 +1,3 @@\none\n[-two-]{+TWO+}\nthree\n"),
    "second_hunk_wrong": edit(HUNK + "@@ nonsense\n+x\n"),
    "old_name_alone": "--- a/f.txt\n" + HUNK,
    "new_name_alone": "+++ b/f.txt\n" + HUNK,
    "names_alone": "--- a/f.txt\n+++ b/f.txt\n",
    "header_alone": "diff --git a/f.txt b/f.txt\n" + INDEX,
    "good_file_then_a_bad_one": edit() + edit("@@ nonsense\n+x\n", name="g.txt"),
    "combined": "diff --cc f.txt\nindex 1,2..3\n--- a/f.txt\n+++ b/f.txt\n"
    "@@@ -1,2 -1,2 +1,3 @@@\n  one\n- two\n -2\n++both\n++more\n",
    "combined_after_a_good_file": edit() + "diff --combined g.txt\nindex 1,2..3\n--- a/g.txt\n+++ b/g.txt\n"
    "@@@ -1 -1 +1 @@@\n- a\n -b\n++c\n",
    "combined_without_hunks": "diff --cc f.bin\nindex 1,2..3\nBinary files differ\n",
    "path_outside": edit(name="../../etc/passwd"),
    "path_empty": edit(name=""),
}


def refused(content: str, lab: Lab) -> Iterator[Check]:
    """An error."""
    folder = lab.folder().write({"x.patch": content})
    yield folder.refuses("--diff", "x.patch")


for situation, patch in (NO_PATCH | BROKEN).items():
    register(f"patch_errors.{situation}", partial(refused, patch))


def either(content: bytes, lab: Lab) -> Iterator[Check]:
    """Understanding it is welcome; half-understanding it is not."""
    folder = lab.folder().write({"x.patch": content})
    yield folder.check("--diff", "x.patch", exits=(0, 4), files=[EDIT])


EITHER: dict[str, bytes] = {
    "html_escaped": edit().replace("+++", "&#43;&#43;&#43;").encode(),
    "names_missing": f"diff --git a/f.txt b/f.txt\n{INDEX}{HUNK}".encode(),
    "coloured": "".join(
        f"\x1b[{31 + number}m{line}\x1b[m\n" for number, line in enumerate(edit().splitlines())
    ).encode(),
    "utf_16": edit().encode("utf-16"),
    "utf_16_without_mark": edit().encode("utf-16-le"),
    "quoted_in_a_mail": "".join(f"> {line}\n" for line in edit().splitlines()).encode(),
    "lone_returns": edit().replace("\n", "\r").encode(),
}
for situation, data in EITHER.items():
    register(f"patch_errors.either_{situation}", partial(either, data))


@case()
def no_file(lab: Lab) -> Iterator[Check]:
    folder = lab.folder()
    folder.at("folder").mkdir()
    yield folder.refuses("--diff", "missing.patch")
    yield folder.refuses("--diff", "folder")


@case()
def absolute_names(lab: Lab) -> Iterator[Check]:
    """As `diff -u /old/f /new/f` writes them: named somehow, never lost."""
    folder = lab.folder().write({"x.patch": plain("/old/f.txt\t2001-02-03", "/new/f.txt\t2001-02-03")})
    names = ("/new/f.txt", "new/f.txt", "f.txt")
    yield folder.check("--diff", "x.patch", exits=(0, 4), choices=tuple((modified(n, 2, removed=1),) for n in names))
