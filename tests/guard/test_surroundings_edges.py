"""Just inside and just outside of what the digest of a person's git folder looks at."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from selfreview.guard.surroundings import _digest, surroundings

HEAD = "ref: refs/heads/main\n"
IS_WINDOWS = os.name == "nt"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("HEAD", "modules/lib/HEAD"):
        put(tmp_path, name, HEAD)
    return tmp_path


def put(folder: Path, name: str, text: str = "x\n") -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    "name",
    [
        "config",
        "config.worktree",
        "commondir",
        "objects/info/alternates",
        "info/exclude",
        "hooks/pre-push",
        "worktrees/w/config.worktree",
        "worktrees/w/gitdir",
        "worktrees/w/commondir",
        "modules/objects/config",
    ],
)
def test_a_setting_counts(folder: Path, name: str) -> None:
    before = surroundings(folder)
    put(folder, name)
    after = surroundings(folder)
    assert after.settings != before.settings
    assert after.references == before.references


@pytest.mark.parametrize(
    "name", ["HEAD", "reftable/tables.list", "worktrees/w/HEAD", "modules/lib/HEAD", "refs/heads/a", "refs/stash"]
)
def test_where_a_reference_is_counts(folder: Path, name: str) -> None:
    before = surroundings(folder)
    put(folder, name)
    after = surroundings(folder)
    assert after.settings == before.settings
    assert after.references != before.references


@pytest.mark.parametrize(
    "name",
    [
        "info/refs",
        "index",
        "refs/heads/a.lock",
        "refs/remotes/origin/a",
        "refs/prefetch/remotes/origin/a",
        *(f"modules/lib/{name}/config" for name in ("objects", "refs", "logs", "lfs", "rr-cache")),
        *(f"modules/lib/{name}/HEAD" for name in ("objects", "refs", "logs", "lfs", "rr-cache")),
        "modules/lib/index",
    ],
)
def test_what_git_writes_by_itself_does_not_count(folder: Path, name: str) -> None:
    before = surroundings(folder)
    put(folder, name)
    assert surroundings(folder) == before


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        ("0a refs/heads/a", True),
        ("0a refs/remotes/origin/a", False),
        ("0a refs/prefetch/a", False),
        ("# pack-refs with: peeled", False),
        ("^0a", False),
    ],
)
def test_a_line_of_packed_references(folder: Path, line: str, counts: bool) -> None:
    before = surroundings(folder)
    put(folder, "packed-refs", f"{line}\n")
    assert (surroundings(folder) != before) is counts


def test_a_reference_in_its_own_file_hides_the_packed_one(folder: Path) -> None:
    put(folder, "refs/heads/a", "0b\n")
    before = surroundings(folder)
    put(folder, "packed-refs", "0a refs/heads/a\n")
    assert surroundings(folder) == before


@pytest.mark.parametrize(("top", "deepest"), [("hooks", 8), ("modules", 16), ("refs", 64)])
def test_folders_are_looked_into_down_to_some_depth(folder: Path, top: str, deepest: int) -> None:
    before = surroundings(folder)
    put(folder, f"{top}/{'d/' * (deepest + 1)}config")
    assert surroundings(folder) == before
    put(folder, f"{top}/{'d/' * deepest}config")
    assert surroundings(folder) != before


@pytest.mark.skipif(IS_WINDOWS, reason="links are those of POSIX")
def test_a_link_to_a_folder_counts_by_where_it_leads(folder: Path) -> None:
    for name in ("a", "b"):
        put(folder, f"{name}/pre-push")
    link = folder / "hooks" / "more"
    link.parent.mkdir()
    link.symlink_to(folder / "a")
    before = surroundings(folder)
    link.unlink()
    link.symlink_to(folder / "b")
    assert surroundings(folder) != before


@pytest.mark.skipif(IS_WINDOWS, reason="links are those of POSIX")
def test_a_reference_that_is_gone_before_it_is_read_ends_nothing(folder: Path) -> None:
    put(folder, "refs/heads/z", "0a\n")
    (folder / "refs" / "heads" / "a").symlink_to(folder / "nowhere")
    before = surroundings(folder)
    put(folder, "refs/heads/z", "0b\n")
    assert surroundings(folder) != before


def test_a_byte_belongs_to_a_name_or_to_what_the_file_holds() -> None:
    assert _digest(iter([(b"a", b"bc")])) != _digest(iter([(b"ab", b"c")]))
