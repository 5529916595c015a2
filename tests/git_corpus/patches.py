"""`--diff`: patches as git and its relatives write them, read without any repository."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from .expect import File, added, copied, deleted, modified, renamed, type_changed
from .registry import case, register
from .repo import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .expect import Check
    from .repo import Lab

# One hunk that changes line 2 of three, and its counts.
HUNK = "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n"
EDIT = modified("f.txt", 2, removed=1)


def git(old: str, new: str, hunk: str = HUNK, *, header: str = "") -> str:
    """One file in git's form."""
    return f"diff --git {old} {new}\n{header or 'index 1111111..2222222 100644' + chr(10)}--- {old}\n+++ {new}\n{hunk}"


FORMS: dict[str, tuple[str | bytes, list[File]]] = {
    "git": (git("a/f.txt", "b/f.txt"), [EDIT]),
    "mnemonic_index_to_tree": (git("i/f.txt", "w/f.txt"), [EDIT]),
    "mnemonic_commit_to_index": (git("c/f.txt", "i/f.txt"), [EDIT]),
    "mnemonic_commit_to_tree": (git("c/f.txt", "w/f.txt"), [EDIT]),
    "mnemonic_objects": (git("o/f.txt", "w/f.txt"), [EDIT]),
    "reversed_prefixes": (git("b/f.txt", "a/f.txt"), [EDIT]),
    "no_prefix": (git("f.txt", "f.txt"), [EDIT]),
    "no_prefix_below_folder": (git("src/f.txt", "src/f.txt"), [modified("src/f.txt", 2, removed=1)]),
    "no_prefix_below_folder_a": (git("a/f.txt", "a/f.txt"), [modified("a/f.txt", 2, removed=1)]),
    "section_heading": (git("a/f.txt", "b/f.txt", HUNK.replace(" @@\n", " @@ def two() -> int: @@ -9,9 +9,9 @@\n")), [EDIT]),
    "plain": ("--- f.txt\t2001-02-03 04:05:06.000000000 +0000\n+++ f.txt\t2001-02-03 04:05:07.000000000 +0000\n" + HUNK, [EDIT]),
    "plain_with_prefixes": ("--- a/f.txt\n+++ b/f.txt\n" + HUNK, [EDIT]),
    "plain_with_orig": ("--- f.txt.orig\t2001-02-03 04:05:06\n+++ f.txt\t2001-02-03 04:05:07\n" + HUNK, [EDIT]),
    "plain_with_command": ("diff -ru old/f.txt new/f.txt\n--- a/f.txt\t2001-02-03\n+++ b/f.txt\t2001-02-03\n" + HUNK, [EDIT]),
    "plain_new": ("--- /dev/null\t2001-02-03 04:05:06\n+++ b/f.txt\t2001-02-03\n@@ -0,0 +1,2 @@\n+one\n+two\n", [added("f.txt", 2)]),
    "plain_gone": ("--- a/f.txt\t2001-02-03\n+++ /dev/null\t2001-02-03\n@@ -1,2 +0,0 @@\n-one\n-two\n", [deleted("f.txt", 2)]),
    "space_in_name": ("--- a/two words.txt\t\n+++ b/two words.txt\t\n" + HUNK, [modified("two words.txt", 2, removed=1)]),
    "tab_and_date_after_spaces": ("--- two words.txt\t2001-02-03\n+++ two words.txt\t2001-02-03\n" + HUNK,
                                  [modified("two words.txt", 2, removed=1)]),
    "subversion": ("Index: f.txt\n" + "=" * 67 + "\n--- f.txt\t(revision 1)\n+++ f.txt\t(working copy)\n" + HUNK
                   + "\nProperty changes on: f.txt\n" + "_" * 67 + "\nAdded: svn:executable\n## -0,0 +1 ##\n+*\n"
                   + "\\ No newline at end of property\n", [EDIT]),
    "mercurial": ("# HG changeset patch\n# User me\ndiff -r 0123456789ab -r ba9876543210 f.txt\n"
                  "--- a/f.txt\tSat Feb 03 04:05:06 2001 +0000\n+++ b/f.txt\tSat Feb 03 04:05:07 2001 +0000\n" + HUNK, [EDIT]),
    "mail": ("From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\nFrom: A <a@example.com>\n"
             "Date: Sat, 3 Feb 2001 04:05:06 +0000\nSubject: [PATCH] two\n\n--- not a header\n+++ neither\n---\n"
             " f.txt | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n" + git("a/f.txt", "b/f.txt")
             + "-- \n2.39.5\n\n", [EDIT]),
    "prose_around": ("Please look at this:\n\n" + git("a/f.txt", "b/f.txt") + "\nThanks!\n", [EDIT]),
    "quoted": (git('"a/caf\\303\\251\\t\\"x\\".txt"', '"b/caf\\303\\251\\t\\"x\\".txt"'),
               [modified('caf\u00e9\t"x".txt', 2, removed=1)]),
    "quoted_not_utf8": (git('"a/caf\\351.txt"', '"b/caf\\351.txt"'), [modified(b"caf\xe9.txt", 2, removed=1)]),
    "unquoted_not_utf8": (git("a/cafX.txt", "b/cafX.txt").encode().replace(b"X", b"\xe9"), [modified(b"caf\xe9.txt", 2, removed=1)]),
    "b_slash_in_name": (git("a/x b/y.txt", "b/x b/y.txt"), [modified("x b/y.txt", 2, removed=1)]),
    "new": (git("a/f.txt", "b/f.txt", "@@ -0,0 +1,2 @@\n+one\n+two\n", header="new file mode 100644\nindex 0000000..1\n")
            .replace("--- a/f.txt", "--- /dev/null"), [added("f.txt", 2)]),
    "deleted": (git("a/f.txt", "b/f.txt", "@@ -1,2 +0,0 @@\n-one\n-two\n", header="deleted file mode 100644\nindex 1..0\n")
                .replace("+++ b/f.txt", "+++ /dev/null"), [deleted("f.txt", 2)]),
    "new_and_empty": ("diff --git a/f.txt b/f.txt\nnew file mode 100644\nindex 0000000..e69de29\n", [added("f.txt", 0)]),
    "gone_and_empty": ("diff --git a/f.txt b/f.txt\ndeleted file mode 100644\nindex e69de29..0000000\n", [deleted("f.txt", 0)]),
    "mode_only": ("diff --git a/f.sh b/f.sh\nold mode 100644\nnew mode 100755\n", [modified("f.sh")]),
    "mode_only_with_spaces": ("diff --git a/x b/x b/x b/x\nold mode 100644\nnew mode 100755\n", [modified("x b/x")]),
    "rename_only": ("diff --git a/old b/c.txt b/new b/c.txt\nsimilarity index 100%\nrename from old b/c.txt\nrename to new b/c.txt\n",
                    [renamed("old b/c.txt", "new b/c.txt")]),
    "rename_quoted": ('diff --git "a/o\\tld" "b/n\\303\\251w"\nsimilarity index 100%\nrename from "o\\tld"\nrename to "n\\303\\251w"\n',
                      [renamed("o\tld", "n\u00e9w")]),
    "rename_with_edits": (git("a/old.txt", "b/new.txt", header="similarity index 66%\nrename from old.txt\nrename to new.txt\nindex 1..2 100644\n"),
                          [renamed("old.txt", "new.txt", 2, removed=1)]),
    "rename_without_prefixes": (git("a/old.txt", "a/new.txt", header="similarity index 66%\nrename from a/old.txt\nrename to a/new.txt\nindex 1..2 100644\n"),
                                [renamed("a/old.txt", "a/new.txt", 2, removed=1)]),
    "copy": (git("a/old.txt", "b/new.txt", header="similarity index 66%\ncopy from old.txt\ncopy to new.txt\nindex 1..2 100644\n"),
             [copied("old.txt", "new.txt", 2, removed=1)]),
    "copy_only": ("diff --git a/old.txt b/new.txt\nsimilarity index 100%\ncopy from old.txt\ncopy to new.txt\n", [copied("old.txt", "new.txt")]),
    "binary": ("diff --git a/f.bin b/f.bin\nindex 1111111..2222222 100644\nBinary files a/f.bin and b/f.bin differ\n",
               [modified("f.bin").as_binary()]),
    "binary_new": ("diff --git a/f.bin b/f.bin\nnew file mode 100644\nindex 0000000..2222222\nBinary files /dev/null and b/f.bin differ\n",
                   [added("f.bin", 0).as_binary()]),
    "binary_patch": ("diff --git a/f.bin b/f.bin\nindex 1111111..2222222 100644\nGIT binary patch\nliteral 3\nKcmZQzU|?Wi0000\n\n"
                     "literal 3\nKcmZQzU|?Wi0000\n\n" + git("a/f.txt", "b/f.txt"), [modified("f.bin").as_binary(), EDIT]),
    "binary_of_plain_diff": ("Binary files a/f.bin and b/f.bin differ\n--- a/f.txt\n+++ b/f.txt\n" + HUNK, [modified("f.bin").as_binary(), EDIT]),
    "link_new": ("diff --git a/l b/l\nnew file mode 120000\nindex 0000000..1de5659\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+target\n"
                 "\\ No newline at end of file\n", [added("l", 1)]),
    "type_change": ("diff --git a/l b/l\ndeleted file mode 100644\nindex 1..0\n--- a/l\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n"
                    "diff --git a/l b/l\nnew file mode 120000\nindex 0..1\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+target\n"
                    "\\ No newline at end of file\n", [type_changed("l", 1, removed=2)]),
    "submodule": ("diff --git a/sub b/sub\nindex 1111111..2222222 160000\n--- a/sub\n+++ b/sub\n@@ -1 +1 @@\n"
                  "-Subproject commit 1111111111111111111111111111111111111111\n"
                  "+Subproject commit 2222222222222222222222222222222222222222\n", [modified("sub", 1, removed=1).excluded()]),
    "no_context": (git("a/f.txt", "b/f.txt", "@@ -2 +2,2 @@\n-two\n+TWO\n+more\n@@ -5,2 +5,0 @@\n-five\n-six\n@@ -9,0 +8 @@\n+nine\n"),
                   [modified("f.txt", (2, 3), 8, removed=3)]),
    "no_newline": (git("a/f.txt", "b/f.txt", "@@ -1,2 +1,2 @@\n one\n-two\n\\ No newline at end of file\n+two\n"),
                   [modified("f.txt", 2, removed=1)]),
    "no_newline_in_german": (git("a/f.txt", "b/f.txt", "@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n\\ Kein Zeilenumbruch am Dateiende.\n"), [EDIT]),
    "empty_context_lines": (git("a/f.txt", "b/f.txt", "@@ -1,4 +1,4 @@\n one\n\n-two\n+TWO\n\n"), [modified("f.txt", 3, removed=1)]),
    "last_newline_missing": (git("a/f.txt", "b/f.txt").removesuffix("\n"), [EDIT]),
    "headers_as_content": (git("a/f.sql", "b/f.sql", "@@ -1,4 +1,5 @@\n one\n--- a/x.sql\n-- old\n+++ b/x.sql\n++ new\n+diff --git a/x b/x\n last\n"),
                           [modified("f.sql", (2, 4), removed=2)]),
    "crlf_content": (git("a/f.txt", "b/f.txt", "@@ -1,2 +1,2 @@\n one\r\n-two\r\n+TWO\r\n"), [EDIT]),
    "crlf_everywhere": (git("a/f.txt", "b/f.txt").replace("\n", "\r\n"), [EDIT]),
    "odd_breaks": (git("a/f.txt", "b/f.txt", "@@ -1,2 +1,3 @@\n one\n-t\x0bwo\n+T\x0cW\rO\u2028\n+\u0085x\x1c\n"), [modified("f.txt", (2, 3), removed=1)]),
    "not_utf8": (git("a/f.txt", "b/f.txt").encode().replace(b"+TWO", b"+\xff\xe9"), [EDIT]),
    "no_index_line": ("diff --git a/f.txt b/f.txt\n--- a/f.txt\n+++ b/f.txt\n" + HUNK, [EDIT]),
    "full_index": (git("a/f.txt", "b/f.txt", header=f"index {'1' * 64}..{'2' * 64} 100644\n"), [EDIT]),
    "far_away_lines": (git("a/f.txt", "b/f.txt", "@@ -100000,2 +100001,3 @@ x\n a\n+b\n c\n"), [modified("f.txt", 100002)]),
    "byte_order_mark": ("\ufeff" + git("a/f.txt", "b/f.txt"), [EDIT]),
    "several_commits": ("From 1 Mon Sep 17 00:00:00 2001\nSubject: [PATCH 1/2] a\n\n---\n" + git("a/f.txt", "b/f.txt") + "-- \n2.39.5\n\n"
                        "From 2 Mon Sep 17 00:00:00 2001\nSubject: [PATCH 2/2] b\n\n---\n" + git("a/g.txt", "b/g.txt") + "-- \n2.39.5\n",
                        [EDIT, modified("g.txt", 2, removed=1)]),
    "log_output": ("commit 0123456789\nAuthor: A\n\n    one\n\n" + git("a/f.txt", "b/f.txt") + "\ncommit 9876543210\nAuthor: A\n\n    two\n    --- x\n\n"
                   + git("a/g.txt", "b/g.txt"), [EDIT, modified("g.txt", 2, removed=1)]),
    "one_file_in_two_commits": ("From 1\n\n---\n" + git("a/f.txt", "b/f.txt") + "-- \n2.39.5\n\nFrom 2\n\n---\n"
                                + git("a/f.txt", "b/f.txt", "@@ -8,2 +8,2 @@\n eight\n-nine\n+NINE\n") + "-- \n2.39.5\n",
                                [modified("f.txt", 2, 9, removed=2)]),
    "empty": ("", []),
    "only_white_space": ("\n \n\n", []),
}


def one_form(content: str | bytes, files: list[File], lab: Lab) -> Iterator[Check]:
    """The patch as a file, in a folder that is no repository."""
    raw = content.encode() if isinstance(content, str) else content
    folder = lab.folder().write({"x.patch": raw})
    yield folder.check("--diff", "x.patch", files=files)


for situation, (patch, change) in FORMS.items():
    register(f"patches.{situation}", partial(one_form, patch, change))


@case()
def standard_input(lab: Lab) -> Iterator[Check]:
    folder = lab.folder()
    yield folder.check("--diff", "-", files=[EDIT], stdin=git("a/f.txt", "b/f.txt").encode())
    yield folder.check("--diff", "-", files=[], stdin=b"")


@case()
def limited_to_paths(lab: Lab) -> Iterator[Check]:
    folder = lab.folder().write({"x.patch": git("a/src/f.txt", "b/src/f.txt") + git("a/g.txt", "b/g.txt")})
    yield folder.check("--diff", "x.patch", "src", files=[modified("src/f.txt", 2, removed=1)])


@case()
def in_a_repository(lab: Lab) -> Iterator[Check]:
    """The patch alone counts, not what the repository around it is like."""
    repo = lab.repo({"f.txt": text(3)}).write({"g.txt": text(3)})
    (lab.root / "x.patch").write_text(git("a/f.txt", "b/f.txt"))
    yield repo.check("--diff", str(lab.root / "x.patch"), files=[EDIT])
    (lab.root / "broken").mkdir()
    (lab.root / "broken/.git").write_text("garbage\n")
    yield repo.check("--diff", str(lab.root / "x.patch"), files=[EDIT], sub="../broken")
