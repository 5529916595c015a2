"""Patches that cannot be read as a whole: never a part of them, never silence."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from .expect import modified
from .patches import EDIT, HUNK, git
from .registry import case, register

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .expect import Check
    from .repo import Lab

WHOLE = git("a/f.txt", "b/f.txt")

BROKEN: dict[str, str] = {
    "prose": "This is not a diff at all.\nReally not.\n",
    "source_code": "def two():\n    return 2\n",
    "html": "<!DOCTYPE html>\n<html><body>404</body></html>\n",
    "hunk_is_cut_off": git("a/f.txt", "b/f.txt", "@@ -1,3 +1,3 @@\n one\n-two\n"),
    "hunk_is_cut_off_before_another_file": git("a/f.txt", "b/f.txt", "@@ -1,3 +1,3 @@\n one\n-two\n") + git("a/g.txt", "b/g.txt"),
    "hunk_is_empty": git("a/f.txt", "b/f.txt", "@@ -1,3 +1,3 @@\n"),
    "hunk_header_is_wrong": git("a/f.txt", "b/f.txt", "@@ -1,x +1,3 @@\n one\n-two\n+TWO\n three\n"),
    "hunk_without_numbers": git("a/f.txt", "b/f.txt", "@@ @@\n one\n-two\n+TWO\n three\n"),
    "hunk_has_more_lines_than_it_says": git("a/f.txt", "b/f.txt", "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n+hidden\n"),
    "hunk_has_a_strange_line": git("a/f.txt", "b/f.txt", "@@ -1,3 +1,3 @@\n one\n*two\n+TWO\n three\n"),
    "hunk_without_file": HUNK,
    "file_names_are_missing": "diff --git a/f.txt b/f.txt\nindex 1..2 100644\n" + HUNK,
    "only_the_old_name": "--- a/f.txt\n" + HUNK,
    "only_the_new_name": "+++ b/f.txt\n" + HUNK,
    "header_alone": "--- a/f.txt\n+++ b/f.txt\n",
    "git_header_alone": "diff --git a/f.txt b/f.txt\nindex 1111111..2222222 100644\n",
    "good_then_garbage_hunk": WHOLE + git("a/g.txt", "b/g.txt", "@@ nonsense\n+x\n"),
    "combined": "diff --cc f.txt\nindex 1,2..3\n--- a/f.txt\n+++ b/f.txt\n@@@ -1,2 -1,2 +1,3 @@@\n  one\n- two\n -2\n++both\n++more\n",
    "combined_after_a_good_file": WHOLE + "diff --combined g.txt\nindex 1,2..3\n--- a/g.txt\n+++ b/g.txt\n@@@ -1 -1 +1 @@@\n- a\n -b\n++c\n",
    "combined_without_hunks": "diff --cc f.bin\nindex 1,2..3\nBinary files differ\n",
    "context_diff": "*** f.txt\t2001-02-03\n--- f.txt\t2001-02-03\n***************\n*** 1,3 ****\n  one\n! two\n  three\n--- 1,3 ----\n  one\n! TWO\n  three\n",
    "normal_diff": "2c2\n< two\n---\n> TWO\n",
    "ed_script": "2c\nTWO\n.\n",
    "stat_only": " f.txt | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n",
    "names_only": "f.txt\ng.txt\n",
    "word_diff": "diff --git a/f.txt b/f.txt\nindex 1..2 100644\n--- a/f.txt\n+++ b/f.txt\n@@ -1,3 +1,3 @@\none\n[-two-]{+TWO+}\nthree\n",
    "html_escaped": WHOLE.replace("+++", "&#43;&#43;&#43;"),
    "new_path_is_outside": git("a/../../etc/passwd", "b/../../etc/passwd"),
    "new_path_is_empty": git("a/", "b/"),
    "quoting_is_broken": git('"a/f.txt', '"b/f.txt'),
}


def broken(content: str, lab: Lab) -> Iterator[Check]:
    """An error."""
    folder = lab.folder().write({"x.patch": content})
    yield folder.refuses("--diff", "x.patch")


for situation, patch in BROKEN.items():
    register(f"patch_errors.{situation}", partial(broken, patch))


def either(content: bytes, lab: Lab) -> Iterator[Check]:
    """Understanding it is welcome; half-understanding it is not."""
    folder = lab.folder().write({"x.patch": content})
    yield folder.check("--diff", "x.patch", exits=(0, 4), files=[EDIT])


COLOURED = "\x1b[1m" + "\x1b[m\n\x1b[1m".join(WHOLE.splitlines()[:4]) + "\x1b[m\n\x1b[36m@@ -1,3 +1,3 @@\x1b[m\n one\x1b[m\n" \
    "\x1b[31m-two\x1b[m\n\x1b[32m+\x1b[m\x1b[32mTWO\x1b[m\n three\x1b[m\n"
EITHER: dict[str, bytes] = {
    "coloured": COLOURED.encode(),
    "utf_16": WHOLE.encode("utf-16"),
    "utf_16_without_mark": WHOLE.encode("utf-16-le"),
    "indented_as_a_quotation": "".join(f"> {line}\n" for line in WHOLE.splitlines()).encode(),
    "lone_returns": WHOLE.replace("\n", "\r").encode(),
}
for situation, data in EITHER.items():
    register(f"patch_errors.either_{situation}", partial(either, data))


@case()
def files_that_are_no_patch(lab: Lab) -> Iterator[Check]:
    folder = lab.folder()
    folder.at("folder").mkdir()
    yield folder.refuses("--diff", "missing.patch")
    yield folder.refuses("--diff", "folder")
    yield folder.refuses("--diff", "")


@case()
def absolute_names(lab: Lab) -> Iterator[Check]:
    """As `diff -u /old/f /new/f` writes them: named somehow, never lost."""
    folder = lab.folder().write({"x.patch": "--- /old/f.txt\t2001-02-03\n+++ /new/f.txt\t2001-02-03\n" + HUNK})
    names = ("/new/f.txt", "new/f.txt", "f.txt")
    yield folder.check("--diff", "x.patch", exits=(0, 4), choices=tuple((modified(n, 2, removed=1),) for n in names))
