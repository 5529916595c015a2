"""Bytes inside files: line ends, encodings, binaries, and lines that look like a diff."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .expect import Why, added, deleted, modified
from .registry import case
from .repo import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .expect import Check
    from .repo import Lab

ODD_BREAKS = {
    "form_feed": b"\x0c",
    "vertical_tab": b"\x0b",
    "lone_cr": b"\r",
    "line_separator": "\u2028".encode(),
    "paragraph_separator": "\u2029".encode(),
    "next_line": "\u0085".encode(),
    "file_separator": b"\x1c",
    "group_separator": b"\x1d",
    "record_separator": b"\x1e",
}


@case()
def only_newline_ends_a_line(lab: Lab) -> Iterator[Check]:
    """What Python calls a line break inside a line must not shift the numbers behind it."""
    repo = lab.repo({f"{name}.txt": b"one\ntwo\nthree\nfour\n" for name in ODD_BREAKS})
    for name, mark in ODD_BREAKS.items():
        repo.write({f"{name}.txt": b"one\nt" + mark + b"wo\nthree\nfo" + mark + b"ur\n"})
        repo.write({f"new_{name}.txt": b"a" + mark + b"b" + mark + b"\nc\n"})
    files = [modified(f"{name}.txt", 2, 4, removed=2) for name in ODD_BREAKS]
    files += [added(f"new_{name}.txt", 2) for name in ODD_BREAKS]
    yield from repo.everywhere(files, "tree", "patch")


@case()
def not_utf8(lab: Lab) -> Iterator[Check]:
    before, after = text(5).encode(), text(5, {2: "caf\u00e9"}).encode("latin-1")
    repo = lab.repo({"latin.txt": before, "sjis.txt": after})
    repo.write({"latin.txt": after, "sjis.txt": "\u65e5\u672c\n".encode("shift-jis")})
    repo.write({"new.txt": b"\xff\xfe\xfd\n\x80\x81\n"})
    files = [modified("latin.txt", 2, removed=1), modified("sjis.txt", 1, removed=5), added("new.txt", 2)]
    yield from repo.everywhere(files, "tree", "patch")


@case()
def utf16_is_binary(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"wide.txt": text(3).encode("utf-16")})
    repo.write({"wide.txt": text(3, {2: "two"}).encode("utf-16"), "new.txt": text(2).encode("utf-16")})
    files = [modified("wide.txt").as_binary(), added("new.txt", 0).as_binary()]
    yield from repo.everywhere(files, "tree", "patch")


@case()
def binary_files(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"old.bin": b"\0\1\2" * 50, "gone.bin": b"\0gone\n" * 9, "text.txt": text(3)})
    repo.at("gone.bin").unlink()
    repo.write({"old.bin": b"\0\1\3" * 50, "new.bin": b"\x89PNG\r\n\x1a\n\0\0", "text.txt": b"line\0\n"})
    files = [
        modified("old.bin").as_binary(),
        deleted("gone.bin", 0).as_binary(),
        added("new.bin", 0).as_binary(),
        modified("text.txt").as_binary(),
    ]
    yield from repo.everywhere(files, "tree", "patch")


@case()
def binary_becomes_text(lab: Lab) -> Iterator[Check]:
    """Git calls a file binary if either side is; a reviewer may rather read the text that is there now."""
    repo = lab.repo({"was.bin": b"\0\n"}).write({"was.bin": text(3)})
    answers = ((modified("was.bin").as_binary(),), (modified("was.bin", (1, 3), removed=1),))
    yield repo.check(choices=answers)
    repo.commit()
    yield repo.check("--commit", "HEAD", choices=answers)


@case()
def nul_late_in_the_file(lab: Lab) -> Iterator[Check]:
    """Git looks at the first 8000 bytes only: this is text, and its lines count."""
    start = text(1000).encode()
    repo = lab.repo({"late.txt": start})
    repo.write({"late.txt": start + b"a\0b\nlast\n"})
    yield from repo.everywhere([modified("late.txt", (1001, 1002))], "tree", "patch")


@case()
def byte_order_mark(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"bom.txt": text(3), "had.txt": b"\xef\xbb\xbf" + text(3).encode()})
    repo.write({"bom.txt": b"\xef\xbb\xbf" + text(3).encode(), "had.txt": text(3)})
    repo.write({"new.txt": b"\xef\xbb\xbfone\ntwo"})
    files = [modified("bom.txt", 1, removed=1), modified("had.txt", 1, removed=1), added("new.txt", 2)]
    yield from repo.everywhere(files, "tree", "staged")


@case()
def lines_that_look_like_a_diff(lab: Lab) -> Iterator[Check]:
    old = ["-- a/x", "- a/x", "++ b/x", "", "diff --git a/x b/x", "@@ -1,2 +3,4 @@", "keep"]
    new = [
        "-- a/y",
        "++ b/y",
        "+++ b/y",
        "--- a/y",
        "diff --git a/y b/y",
        "@@ -9 +9,9 @@",
        "index 1..2",
        "-- ",
        "2.39",
        "\\ No newline at end of file",
        "Binary files a/x and b/x differ",
        "rename from x",
        "keep",
    ]
    repo = lab.repo({"x.txt": "\n".join(old) + "\n", "gone.txt": "-- a/gone.txt\n++ b/gone.txt\n"})
    repo.at("gone.txt").unlink()
    repo.write({"x.txt": "\n".join(new) + "\n", "new.txt": "\n".join(new) + "\n"})
    files = [modified("x.txt", (1, 12), removed=6), added("new.txt", 13), deleted("gone.txt", 2)]
    yield from repo.everywhere(files, "tree", "patch")


@case()
def no_newline_at_the_end(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"old.txt": "a\nb\nc", "new.txt": "a\nb\nc\n", "both.txt": "a\nb\nc", "grown.txt": "a\nb"})
    repo.write({"old.txt": "a\nb\nc\n", "new.txt": "a\nb\nc", "both.txt": "a\nb\nC", "grown.txt": "a\nb\nc"})
    repo.write({"fresh.txt": "a\nb", "one.txt": "x"})
    files = [
        modified("old.txt", 3, removed=1),
        modified("new.txt", 3, removed=1),
        modified("both.txt", 3, removed=1),
        modified("grown.txt", (2, 3), removed=1),
        added("fresh.txt", 2),
        added("one.txt", 1),
    ]
    yield from repo.everywhere(files, "tree", "patch")


@case()
def empty_file_added(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"keep.txt": text(1)}).write({"empty.txt": ""})
    yield from repo.everywhere([added("empty.txt", 0)], "tree", "patch")


@case()
def empty_file_deleted(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"keep.txt": text(1), "empty.txt": ""})
    repo.at("empty.txt").unlink()
    yield from repo.everywhere([deleted("empty.txt", 0)], "tree", "patch")


@case()
def emptied_and_filled(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"emptied.txt": text(4), "filled.txt": ""})
    repo.write({"emptied.txt": "", "filled.txt": text(4, tag="other")})
    yield from repo.everywhere([modified("emptied.txt", removed=4), modified("filled.txt", (1, 4))], "tree", "staged")


@case()
def only_newlines(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"blank.txt": "\n" * 5}).write({"blank.txt": "\n" * 8, "new.txt": "\n" * 6})
    # Which three of eight equal lines are the new ones is git's choice.
    change = [(modified("blank.txt", lines), added("new.txt", 6)) for lines in ((6, 8), (1, 3))]
    yield repo.check(choices=tuple(change))
    repo.add()
    yield repo.check("--staged", choices=tuple(change))


@case()
def one_line_of_three_megabytes(lab: Lab) -> Iterator[Check]:
    """Whether such a file is too large to review is a setting; that it is listed is not."""
    long = b"x" * 3_000_000
    repo = lab.repo({"bundle.txt": b"head\n" + long + b"\ntail\n"})
    repo.write({"bundle.txt": b"head\n" + long + b"y\ntail\n", "new.txt": long})
    files = [modified("bundle.txt", 2, removed=1).excluded(Why.EITHER), added("new.txt", 1).excluded(Why.EITHER)]
    yield from repo.everywhere(files)


@case()
def hunks_that_touch(lab: Lab) -> Iterator[Check]:
    """Ranges merge when they touch, and only then; removals alone leave no range."""
    repo = lab.repo({"f.txt": text(30)})
    rows = text(30).splitlines(keepends=True)
    rows[1:2] = ["two\n"]
    rows[2:3] = ["three\n"]  # touches the line before
    rows[4:5] = ["five\n"]  # one line further
    del rows[9:12]  # lines 10 to 12 are gone
    rows[11:11] = ["in 1\n", "in 2\n"]  # after what was line 14, and now is line 11
    rows[-1] = "last\n"
    repo.write({"f.txt": "".join(rows)})
    yield from repo.everywhere([modified("f.txt", (2, 3), 5, (12, 13), 29, removed=7)], "tree", "patch")


@case()
def first_and_last_line(lab: Lab) -> Iterator[Check]:
    repo = lab.repo({"top.txt": text(4), "end.txt": text(4), "cut.txt": text(4), "one.txt": "one\n"})
    repo.write({"top.txt": "new\n" + text(4), "end.txt": text(4) + "new\n", "one.txt": "uno\n"})
    repo.write({"cut.txt": "".join(text(4).splitlines(keepends=True)[1:3])})
    files = [
        modified("top.txt", 1),
        modified("end.txt", 5),
        modified("cut.txt", removed=2),
        modified("one.txt", 1, removed=1),
    ]
    yield from repo.everywhere(files, "tree", "patch")
