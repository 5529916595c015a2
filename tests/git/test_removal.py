"""A folder of our own goes, or the answer is that it did not; never an error."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from selfreview.git.removal import remove_folder

posix = pytest.mark.skipif(sys.platform == "win32", reason="links, and paths longer than the system takes")


def dig(folder: Path, depth: int) -> None:
    """Make folders in each other, deeper than a path reaches, with a file in the last."""
    at = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("deep" * 5, dir_fd=at)
        below = os.open("deep" * 5, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(os.open("last", os.O_CREAT | os.O_WRONLY, dir_fd=at))
    os.close(at)


def test_what_may_not_be_written_goes_too(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "sealed" / "deep").mkdir(parents=True)
    (folder / "sealed" / "deep" / "file").write_text("x")
    (folder / "sealed" / "deep").chmod(0o500)
    (folder / "sealed").chmod(0o500)
    folder.chmod(0o500)
    assert remove_folder(folder)
    assert not folder.exists()


@pytest.mark.long
@posix
def test_no_depth_is_too_much(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "beside").mkdir(parents=True)
    dig(folder, 3000)
    dig(folder / "beside", 1200)
    assert remove_folder(folder)
    assert list(tmp_path.iterdir()) == []


@posix
def test_links_are_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("x")
    folder = tmp_path / "folder"
    (folder / "deep" / "deeper").mkdir(parents=True)
    for place in (folder, folder / "deep", folder / "deep" / "deeper"):
        (place / "link").symlink_to(precious, target_is_directory=True)
    (tmp_path / "link").symlink_to(precious, target_is_directory=True)
    assert remove_folder(folder)
    assert not remove_folder(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (precious / "file").read_text() == "x"


def test_what_is_not_there_is_gone_and_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert remove_folder(tmp_path / "absent")
    assert not remove_folder(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "x"


def test_what_belongs_to_somebody_else_stays_and_all_else_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rename, rmdir = Path.rename, Path.rmdir

    def refuse(path: Path, *rest: object) -> None:
        if path.name == "theirs":
            raise PermissionError(1, "Operation not permitted", str(path))
        if rest:
            rename(path, rest[0])  # type: ignore[arg-type]
        else:
            rmdir(path)

    theirs = tmp_path / "folder" / "ours" / "theirs"
    theirs.mkdir(parents=True)
    (tmp_path / "folder" / "more").mkdir()
    monkeypatch.setattr(Path, "rename", refuse)
    monkeypatch.setattr(Path, "rmdir", refuse)
    assert not remove_folder(tmp_path / "folder")
    assert not (tmp_path / "folder" / "more").exists()
