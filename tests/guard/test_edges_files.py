"""Just inside and just outside of what a rule rejects in a whole file: its bytes, its format, what is beside it."""

from __future__ import annotations

import pytest

from selfreview.git.worktree_files import Entry
from tests.guard.edits import Content, Edit, judge

CODE = "def f(n):\n    total = n\n    return total\n"
TEST = "def test_one():\n    assert f(1) == 2\n"
LATIN = "b = 1  # caf\u00e9\n".encode("latin-1")


def link(target: str) -> Entry:
    return Entry("120000", target.encode())


def rules(files: dict[str, tuple[Content, Content]], *issues: tuple[str, int, str]) -> list[tuple[str, str]]:
    return [(found.path, found.rule) for found in judge(Edit(files, issues=issues))]


@pytest.mark.parametrize(
    ("rule", "read_over", "rejected"),
    [
        ("file-deleted", ("a = 1\n", "a = 2\n"), (CODE, None)),
        ("file-deleted", ("", None), (CODE, None)),
        ("binary", ("a = 1\n", "a = 2\n"), ("b = 1\n", "b = 1\0\n")),
        ("encoding", ("a = 1\n", "a = 2\n"), ("b = 1\n", LATIN)),
        ("encoding", (link("c.py"), link("d.py")), ("b = 1\n", "# coding: utf-7\nb = 1\n")),
        ("file-format", (None, "a = 1\n"), ("b = 1\nc = 1\n", b"b = 1\r\nc = 2\r\n")),
        ("commented-out", ("a = 1\n", "a = 2\n"), (CODE, CODE.replace("total = n", "# total = n"))),
    ],
)
def test_what_a_rule_reads_over_does_not_keep_it_from_the_next_file(
    rule: str, read_over: tuple[Content, Content], rejected: tuple[Content, Content]
) -> None:
    assert rules({"a.py": read_over, "b.py": rejected}) == [("b.py", rule)]


def test_every_file_that_declares_another_encoding_is_rejected() -> None:
    files = dict.fromkeys(("a.py", "b.py"), ("x = 1\n", "# coding: utf-7\nx = 1\n"))

    assert rules(files) == [("a.py", "encoding"), ("b.py", "encoding")]


def test_a_test_that_an_issue_is_about_does_not_keep_the_rule_from_the_next() -> None:
    files = {path: (TEST, TEST.replace("2", "3")) for path in ("tests/test_a.py", "tests/test_b.py")}

    assert rules(files, ("tests/test_a.py", 2, "wrong")) == [("tests/test_b.py", "held")]


def test_a_snapshot_counts_behind_other_files() -> None:
    files = {"a.py": ("x = 1\n", "x = 2\n"), "tests/__snapshots__/b.ambr": ("1\n", "2\n")}

    assert rules(files) == [("tests/__snapshots__/b.ambr", "held")]


@pytest.mark.parametrize(
    ("path", "code", "comment"),
    [("a.js", "add(2);", "/* add(2); */"), ("a.php", '<a href="b.php">b</a>', '<!-- <a href="b.php">b</a> -->')],
)
def test_code_in_a_comment_that_ends_was_commented_out(path: str, code: str, comment: str) -> None:
    assert rules({path: (f"f(1);\n{code}\n", f"f(1);\n{comment}\n")}) == [(path, "commented-out")]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (b"a = 1\nb = 2\n", b"a = 1\r\nb = 3\r\n", 1),
        (b"a = 1\nb = 2\nc = 4\n", b"a = 1\nb = 3\nc = 4", 2),
    ],
)
def test_an_issue_elsewhere_does_not_open_the_ends_of_lines(old: bytes, new: bytes, line: int) -> None:
    assert rules({"a.py": (old, new)}, ("a.py", line, "wrong")) == [("a.py", "file-format")]


@pytest.mark.parametrize(
    ("old", "new", "issue"),
    [
        (b"a = 1\r\nb = 2\n", b"a = 1\r\nb = 3\n", (1, "wrong")),
        (b"a = 1\r\nb = 2\nc = 3", b"a = 1\r\nb = 2\nc = 3\n", (3, "no newline at the end of the file")),
        (b"a = 1\nb = 2\nc = 3", b"a = 1\nb = 2\nc = 4\n", (1, "wrong")),
        (b"a = 1\nb = 2\nc = X", b"a = 1\nb = 2\nc = XX\n", (1, "wrong")),
        (b"\xef\xbb\xbfimport os\nimport re\n", b"", (2, "re is imported but unused")),
    ],
)
def test_lines_may_end_as_they_did_and_as_an_issue_wants(old: bytes, new: bytes, issue: tuple[int, str]) -> None:
    assert rules({"a.py": (old, new)}, ("a.py", *issue)) == []


def test_a_rejected_mode_is_called_so() -> None:
    found = judge(Edit({"a.py": ("a = 1\n", Entry("100755", b"a = 2\n"))}))

    assert [one.reason.partition(" as it was")[0] for one in found] == ["Keep the file's mode"]


def test_a_binary_file_may_be_renamed() -> None:
    assert rules({"a.bin": (b"\0\1", None), "b.bin": (None, b"\0\1")}) == []
