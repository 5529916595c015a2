"""Just inside and just outside of what leaves code out of the review."""

from __future__ import annotations

import pytest

from selfreview.guard.extent import is_snapshot_of
from tests.guard.edits import Content, Edit, judge

SNAPSHOT = "tests/__snapshots__/test_a.ambr"


def rejected(files: dict[str, tuple[Content, Content]], changed: tuple[str, ...] | None = None) -> list[str]:
    edit = Edit(files, changed=changed, reasons=dict.fromkeys(files, "needed"))
    return [found.path for found in judge(edit) if found.rule == "hidden-from-review"]


@pytest.mark.parametrize(
    ("path", "test", "is_its"),
    [
        (SNAPSHOT, "tests/test_a.py", True),
        ("__snapshots__/test_a.ambr", "test_a.py", True),
        ("src/__snapshots__/a.test.ts.snap", "src/a.test.ts", True),
        ("tests/__snapshots__/test_a_b.ambr", "tests/test_a.py", True),
        ("tests/test_a/b.snap", "tests/test_a.py", True),
        ("tests/__snapshots__/test_ab.ambr", "tests/test_a.py", False),
        ("other/__snapshots__/test_a.ambr", "tests/test_a.py", False),
        ("test_a/__snapshots__/b.ambr", "test_a/test_a.py", False),
        ("tests/__snapshots__/test_a.py", "tests/test_a.py", False),
        ("tests/test_a.txt", "tests/test_a.py", False),
        ("tests/test_a/__snapshots__/uv.lock", "tests/test_a.py", False),
        ("tests/test_a/vendor/b.snap", "tests/test_a.py", False),
        (SNAPSHOT, "tests/test_a.txt", False),
        ("src/__snapshots__/a.snap", "src/a.py", False),
    ],
)
def test_what_is_named_like_a_snapshot_of_a_test(path: str, test: str, *, is_its: bool) -> None:
    assert is_snapshot_of(path, ["z.py", test]) == is_its


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("a.py", "a = 1\n", "a = 2\n"),
        ("a.py", "import os\n\nprint(os.name)\n", None),
        (SNAPSHOT, "a 1\n", "a 2\n"),
        ("a/.gitignore", "[z\n", "[z\n"),
        ("poetry.lock", "a 1\n", "a 2\n"),
    ],
)
def test_each_file_is_looked_at(path: str, old: Content, new: Content) -> None:
    files: dict[str, tuple[Content, Content]] = {path: (old, new), "z_pb2.py": (None, "a = 1\n")}
    assert rejected(files, changed=("z.py",)) == ["z_pb2.py"]


@pytest.mark.parametrize(
    ("old", "new", "is_hidden"),
    [
        ("b\n", "b\n*.py\n", True),
        ("*.py\n", "*.py\nb\n", False),
        ("b\n", "b\nsrc\n", True),
        ("b\n", "b\nother\n", False),
        ("b\n", "b\n[a-z].py\n", True),
        ("b\n", "b\n[a-z].txt\n", False),
        ("b\n", "b\n[[:alpha:]].txt\n", True),
        ("b\n", "b\nc\\ d\n", True),
        ("b\n", "b\nc]\n", True),
        ("b\n", "b\n[c\n", True),
        ("b\n", "b\n# [c\n", False),
        ("[b\n", "[b\nc\n", False),
        ("b\n", "\ufeff*.py\n", True),
        ("b\n", "b\n\ufeff*.py\n", False),
        (None, "*.py\n", True),
    ],
)
@pytest.mark.parametrize("folder", ["", "a/"])
def test_what_git_is_told_to_ignore(folder: str, old: str | None, new: str, *, is_hidden: bool) -> None:
    path = f"{folder}.gitignore"
    files: dict[str, tuple[Content, Content]] = {path: (old, new)}
    assert rejected(files, changed=(f"{folder}src/c.py", path)) == ([path] if is_hidden else [])


def test_what_is_ignored_is_of_its_folder() -> None:
    files: dict[str, tuple[Content, Content]] = {"a/.gitignore": ("b\n", "b\n*.py\n")}
    assert rejected(files, changed=("src/c.py", "a/.gitignore")) == []
    assert rejected({**files, "a/new.py": (None, "x = 1\n")}, changed=("a/.gitignore",)) == ["a/.gitignore"]
    assert rejected({**files, "a/old.py": ("x = 1\n", None)}, changed=("a/.gitignore",)) == []


def test_each_of_several_lists_is_looked_at() -> None:
    lists: dict[str, tuple[Content, Content]] = {f"{name}/.gitignore": ("b\n", "b\nc\\d\n") for name in "ac"}
    files = {"Z.txt": ("a\n", "b\n"), **lists, "d/.GITIGNORE": ("b\n", "b\n*.py\n")}
    assert rejected(files, changed=("d/e.py", *files)) == ["a/.gitignore", "c/.gitignore", "d/.GITIGNORE"]
