"""`--diff`: patches as git writes them under one setting or another, read without any repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .expect import File, added, copied, deleted, modified, renamed, type_changed
from .patch_text import EDIT, HUNK, INDEX, NO_NEWLINE, Patch, edit, git, gone, moved, new, register_all
from .registry import case
from .repo import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .expect import Check
    from .repo import Lab

QUOTED = 'caf\\303\\251\\t\\"x\\".txt'  # café, a tab, and "x" in quotes, as git escapes them
NUMBERS = "@@ -2 +2,2 @@\n-two\n+TWO\n+more\n@@ -5,2 +5,0 @@\n-five\n-six\n@@ -9,0 +9 @@\n+nine\n"
SQL = "@@ -1,4 +1,5 @@\n one\n--- a/x.sql\n-- old\n+++ b/x.sql\n++ new\n+diff --git a/x b/x\n last\n"
ODD_BREAKS = "@@ -1,2 +1,3 @@\n one\n-t\x0bwo\n+T\x0cW\rO\u2028\n+\u0085x\x1c\n"

NAMES: dict[str, tuple[Patch, list[File]]] = {
    "usual": (edit(), [EDIT]),
    "mnemonic_index_to_tree": (git("i/f.txt", "w/f.txt"), [EDIT]),
    "mnemonic_commit_to_index": (git("c/f.txt", "i/f.txt"), [EDIT]),
    "reversed": (git("b/f.txt", "a/f.txt"), [EDIT]),
    "reversed_mnemonic": (git("w/f.txt", "i/f.txt"), [EDIT]),
    "no_prefix": (git("f.txt", "f.txt"), [EDIT]),
    "no_prefix_below_folder": (git("src/f.txt", "src/f.txt"), [modified("src/f.txt", 2, removed=1)]),
    "no_prefix_below_folder_a": (git("a/f.txt", "a/f.txt"), [modified("a/f.txt", 2, removed=1)]),
    "quoted": (git(f'"a/{QUOTED}"', f'"b/{QUOTED}"'), [modified('caf\u00e9\t"x".txt', 2, removed=1)]),
    "quoted_not_utf8": (git('"a/caf\\351.txt"', '"b/caf\\351.txt"'), [modified(b"caf\xe9.txt", 2, removed=1)]),
    "unquoted_not_utf8": (
        edit(name="cafX.txt").encode().replace(b"X", b"\xe9"),
        [modified(b"caf\xe9.txt", 2, removed=1)],
    ),
    "b_slash_inside": (edit(name="x b/y.txt"), [modified("x b/y.txt", 2, removed=1)]),
}

KINDS: dict[str, tuple[Patch, list[File]]] = {
    "new": (new("f.txt", "+one\n+two\n", 2), [added("f.txt", 2)]),
    "gone": (gone("f.txt", "-one\n-two\n", 2), [deleted("f.txt", 2)]),
    "new_and_empty": (
        "diff --git a/f.txt b/f.txt\nnew file mode 100644\nindex 0000000..e69de29\n",
        [added("f.txt", 0)],
    ),
    "gone_and_empty": (
        "diff --git a/f.txt b/f.txt\ndeleted file mode 100644\nindex e69de29..0000000\n",
        [deleted("f.txt", 0)],
    ),
    "mode_only": ("diff --git a/f.sh b/f.sh\nold mode 100644\nnew mode 100755\n", [modified("f.sh")]),
    "mode_only_of_an_odd_name": (
        "diff --git a/x b/x b/x b/x\nold mode 100644\nnew mode 100755\n",
        [modified("x b/x")],
    ),
    "rename_only": (
        "diff --git a/old b/c.txt b/new b/c.txt\n" + moved("rename", "old b/c.txt", "new b/c.txt"),
        [renamed("old b/c.txt", "new b/c.txt")],
    ),
    "rename_quoted": (
        'diff --git "a/o\\tld" "b/n\\303\\251w"\n' + moved("rename", '"o\\tld"', '"n\\303\\251w"'),
        [renamed("o\tld", "n\u00e9w")],
    ),
    "rename_with_edits": (
        git("a/old.txt", "b/new.txt", header=moved("rename", "old.txt", "new.txt", percent=66) + INDEX),
        [renamed("old.txt", "new.txt", 2, removed=1)],
    ),
    "rename_without_prefixes": (
        git("a/old.txt", "a/new.txt", header=moved("rename", "a/old.txt", "a/new.txt", percent=66) + INDEX),
        [renamed("a/old.txt", "a/new.txt", 2, removed=1)],
    ),
    "copy": (
        git("a/old.txt", "b/new.txt", header=moved("copy", "old.txt", "new.txt", percent=66) + INDEX),
        [copied("old.txt", "new.txt", 2, removed=1)],
    ),
    "copy_only": (
        "diff --git a/old.txt b/new.txt\n" + moved("copy", "old.txt", "new.txt"),
        [copied("old.txt", "new.txt")],
    ),
    "binary": (
        f"diff --git a/f.bin b/f.bin\n{INDEX}Binary files a/f.bin and b/f.bin differ\n",
        [modified("f.bin").as_binary()],
    ),
    "binary_new": (
        "diff --git a/f.bin b/f.bin\nnew file mode 100644\nindex 0000000..2222222\n"
        "Binary files /dev/null and b/f.bin differ\n",
        [added("f.bin", 0).as_binary()],
    ),
    "binary_patch": (
        f"diff --git a/f.bin b/f.bin\n{INDEX}GIT binary patch\nliteral 3\nKcmZQzU|?Wi0000\n\n"
        "literal 3\nKcmZQzU|?Wi0000\n\n" + edit(),
        [modified("f.bin").as_binary(), EDIT],
    ),
    "new_link": (new("l", "+target\n" + NO_NEWLINE, 1, mode="120000"), [added("l", 1).excluded()]),
    "type_change": (
        gone("l", "-one\n-two\n", 2) + new("l", "+target\n" + NO_NEWLINE, 1, mode="120000"),
        [type_changed("l", 1, removed=2).excluded()],
    ),
    "submodule": (
        git(
            "a/sub",
            "b/sub",
            f"@@ -1 +1 @@\n-Subproject commit {'1' * 40}\n+Subproject commit {'2' * 40}\n",
            header=INDEX.replace("100644", "160000"),
        ),
        [modified("sub", 1, removed=1).excluded()],
    ),
}

CONTENTS: dict[str, tuple[Patch, list[File]]] = {
    "section_heading": (edit(HUNK.replace(" @@\n", " @@ def two() -> int: @@ -9,9 +9,9 @@\n")), [EDIT]),
    "no_context": (edit(NUMBERS), [modified("f.txt", (2, 3), 9, removed=3)]),
    "no_newline": (edit("@@ -1,2 +1,2 @@\n one\n-two\n" + NO_NEWLINE + "+two\n"), [EDIT]),
    "no_newline_in_german": (
        edit("@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n\\ Kein Zeilenumbruch am Dateiende.\n"),
        [EDIT],
    ),
    "empty_context_lines": (
        edit("@@ -1,4 +1,4 @@\n one\n\n-two\n+TWO\n\n"),
        [modified("f.txt", 3, removed=1)],
    ),
    "last_newline_missing": (edit().removesuffix("\n"), [EDIT]),
    "headers_as_content": (edit(SQL), [modified("f.txt", (2, 4), removed=2)]),
    "crlf_in_the_file": (edit("@@ -1,2 +1,2 @@\n one\r\n-two\r\n+TWO\r\n"), [EDIT]),
    "crlf_everywhere": (edit().replace("\n", "\r\n"), [EDIT]),
    "odd_breaks": (edit(ODD_BREAKS), [modified("f.txt", (2, 3), removed=1)]),
    "not_utf8": (edit().encode().replace(b"+TWO", b"+\xff\xe9"), [EDIT]),
    "no_index_line": (edit(header=""), [EDIT]),
    "full_index": (edit(header=f"index {'1' * 64}..{'2' * 64} 100644\n"), [EDIT]),
    "large_numbers": (edit("@@ -100000,2 +100001,3 @@ x\n a\n+b\n c\n"), [modified("f.txt", 100002)]),
    "byte_order_mark": ("\ufeff" + edit(), [EDIT]),
}

for forms in (NAMES, KINDS, CONTENTS):
    register_all("patches", forms)


@case()
def standard_input(lab: Lab) -> Iterator[Check]:
    folder = lab.folder()
    yield folder.check("--diff", "-", files=[EDIT], stdin=edit().encode())
    yield folder.check("--diff", "-", files=[], stdin=b"")


@case("posix")
def named_pipe(lab: Lab) -> Iterator[Check]:
    """A shell's `<(git diff)` is a path that can be read once and has no size."""
    yield lab.folder().check("--diff", "/dev/stdin", files=[EDIT], stdin=edit().encode())


@case()
def limited_to_paths(lab: Lab) -> Iterator[Check]:
    """Limiting a patch may be refused; it may not be ignored."""
    folder = lab.folder().write({"x.patch": edit(name="src/f.txt") + edit(name="g.txt")})
    yield folder.check("--diff", "x.patch", "src", exits=(0, 4), files=[modified("src/f.txt", 2, removed=1)])


@case()
def in_a_repository(lab: Lab) -> Iterator[Check]:
    """The patch alone counts, not what the repository around it is like."""
    repo = lab.repo({"f.txt": text(3)}).write({"g.txt": text(3)})
    (lab.root / "x.patch").write_text(edit())
    yield repo.check("--diff", str(lab.root / "x.patch"), files=[EDIT])
    lab.folder("broken").write({".git": "garbage\n"})
    yield repo.check("--diff", str(lab.root / "x.patch"), files=[EDIT], sub="../broken")
