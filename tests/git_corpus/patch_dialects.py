"""`--diff`: what other tools than `git diff` write, and what people send around."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .expect import File, added, deleted, modified
from .patch_text import EDIT, HUNK, INDEX, SIGNATURE, Patch, edit, plain, register_all
from .registry import case

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .expect import Check
    from .repo import Lab

THEN, NOW = "2001-02-03 04:05:06.000000000 +0000", "2001-02-03 04:05:07.000000000 +0000"
RULE = "=" * 67 + "\n"
MAIL = (
    "From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\nFrom: A <a@example.com>\n"
    "Date: Sat, 3 Feb 2001 04:05:06 +0000\nSubject: [PATCH] two\n\n--- not a header\n+++ neither\n---\n"
    " f.txt | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n"
)
WORDS = modified("two words.txt", 2, removed=1)
OTHER = modified("g.txt", 2, removed=1)

PLAIN: dict[str, tuple[Patch, list[File]]] = {
    "with_dates": (plain(f"f.txt\t{THEN}", f"f.txt\t{NOW}"), [EDIT]),
    "with_prefixes": (plain("a/f.txt", "b/f.txt"), [EDIT]),
    "with_orig": (plain(f"f.txt.orig\t{THEN}", f"f.txt\t{NOW}"), [EDIT]),
    "with_command": ("diff -ru old/f.txt new/f.txt\n" + plain(f"a/f.txt\t{THEN}", f"b/f.txt\t{NOW}"), [EDIT]),
    "new": (plain("/dev/null\t" + THEN, "b/f.txt\t" + NOW, "@@ -0,0 +1,2 @@\n+one\n+two\n"), [added("f.txt", 2)]),
    "gone": (plain("a/f.txt\t" + THEN, "/dev/null\t" + NOW, "@@ -1,2 +0,0 @@\n-one\n-two\n"), [deleted("f.txt", 2)]),
    "space_in_name": (plain("a/two words.txt\t", "b/two words.txt\t"), [WORDS]),
    "space_in_name_and_date": (plain(f"two words.txt\t{THEN}", f"two words.txt\t{NOW}"), [WORDS]),
    "binary": (
        "Binary files a/f.bin and b/f.bin differ\n" + plain("a/f.txt", "b/f.txt"),
        [modified("f.bin").as_binary(), EDIT],
    ),
}

TOOLS: dict[str, tuple[Patch, list[File]]] = {
    "subversion": (
        f"Index: f.txt\n{RULE}--- f.txt\t(revision 1)\n+++ f.txt\t(working copy)\n{HUNK}\n"
        f"Property changes on: f.txt\n{'_' * 67}\nAdded: svn:executable\n## -0,0 +1 ##\n+*\n"
        "\\ No newline at end of property\n",
        [EDIT],
    ),
    "subversion_in_git_form": (
        f"Index: f.txt\n{RULE}diff --git a/trunk/f.txt b/trunk/f.txt\n--- a/trunk/f.txt\t(revision 1)\n"
        f"+++ b/trunk/f.txt\t(working copy)\n{HUNK}",
        [modified("trunk/f.txt", 2, removed=1)],
    ),
    "mercurial": (
        "# HG changeset patch\n# User me\ndiff -r 0123456789ab -r ba9876543210 f.txt\n"
        + plain("a/f.txt\tSat Feb 03 04:05:06 2001 +0000", "b/f.txt\tSat Feb 03 04:05:07 2001 +0000"),
        [EDIT],
    ),
}

ENVELOPES: dict[str, tuple[Patch, list[File]]] = {
    "mail": (MAIL + edit() + SIGNATURE, [EDIT]),
    "mail_with_crlf": ((MAIL + edit() + SIGNATURE).replace("\n", "\r\n"), [EDIT]),
    "prose_around": ("Please look at this:\n\n" + edit() + "\nThanks!\n", [EDIT]),
    "several_mails": (
        MAIL + edit() + SIGNATURE + MAIL.replace("f.txt", "g.txt") + edit(name="g.txt") + SIGNATURE,
        [EDIT, OTHER],
    ),
    "log": (
        f"commit {'1' * 40}\nAuthor: A\n\n    one\n\n{edit()}\n"
        f"commit {'2' * 40}\nAuthor: A\n\n    two\n    --- x\n\n{edit(name='g.txt')}",
        [EDIT, OTHER],
    ),
    "raw_lines_before": (f":100644 100644 1111111 2222222 M\tf.txt\n\n{edit()}", [EDIT]),
    "empty": ("", []),
    "only_white_space": ("\n \n\n", []),
    "two_files_and_a_blank_line": (edit(header=INDEX) + "\n" + edit(name="g.txt"), [EDIT, OTHER]),
}

for forms in (PLAIN, TOOLS, ENVELOPES):
    register_all("patch_dialects", forms)


@case()
def one_file_in_two_commits(lab: Lab) -> Iterator[Check]:
    """The second patch's numbers are those of the result; putting both together is welcome, a refusal is fair."""
    folder = lab.folder().write(
        {
            "x.patch": MAIL + edit() + SIGNATURE + MAIL + edit("@@ -8,2 +8,2 @@\n eight\n-nine\n+NINE\n") + SIGNATURE,
        }
    )
    yield folder.check("--diff", "x.patch", exits=(0, 4), files=[modified("f.txt", 2, 9, removed=2)])
