"""Small private files in a folder of the person's own."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from selfreview.errors import TrustError
from selfreview.trust.folder import Folder, file_name

posix_only = pytest.mark.skipif(os.name != "posix", reason="POSIX permissions")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "data" / "trust", "trust")


def test_what_was_written_is_read_until_it_is_removed(folder: Folder) -> None:
    assert folder.read("a.json") is None
    assert list(folder.items()) == []
    assert folder.remove("a.json") is False
    folder.write("a.json", b"1")
    folder.write("a.json", b"2")
    assert folder.read("a.json") == b"2"
    assert folder.remove("a.json") is True
    assert folder.read("a.json") is None


def test_only_whole_records_are_listed_in_order(folder: Folder) -> None:
    folder.write("b.json", b"2")
    folder.write("a.json", b"1")
    folder.write(".new-x", b"half")
    assert list(folder.items()) == [(folder.path / "a.json", b"1"), (folder.path / "b.json", b"2")]


@posix_only
def test_nobody_else_can_look(folder: Folder) -> None:
    folder.write("a.json", b"1")
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder.path / "a.json").stat().st_mode) == 0o600
    assert [path.name for path in folder.path.iterdir()] == ["a.json"]


@posix_only
@pytest.mark.parametrize("mode", [0o720, 0o702])
def test_what_others_could_write_to_is_neither_read_nor_written(folder: Folder, mode: int) -> None:
    folder.write("a.json", b"1")
    folder.path.chmod(mode)
    for act in (lambda: folder.read("a.json"), lambda: folder.write("b.json", b"2")):
        with pytest.raises(TrustError, match=r"^others can write to the trust folder") as error:
            act()
        assert error.value.hint == f"run: chmod 700 {folder.path}"
    folder.path.chmod(0o755)
    assert folder.read("a.json") == b"1"


def test_a_file_in_the_place_of_the_folder(folder: Folder) -> None:
    folder.path.parent.mkdir()
    folder.path.write_text("")
    assert folder.read("a.json") is None
    assert list(folder.items()) == []
    assert folder.remove("a.json") is False
    with pytest.raises(TrustError, match=rf"^cannot record trust in {folder.path}: File exists$"):
        folder.write("a.json", b"1")


def test_a_folder_in_the_place_of_a_file(folder: Folder) -> None:
    (folder.path / "a.json").mkdir(parents=True, mode=0o700)
    folder.path.chmod(0o700)
    with pytest.raises(TrustError, match=r"^cannot read .*a\.json: Is a directory$"):
        folder.read("a.json")
    with pytest.raises(TrustError, match=r"^cannot read .*a\.json: Is a directory$"):
        list(folder.items())
    with pytest.raises(TrustError, match=rf"^cannot remove trust from {folder.path}: "):
        folder.remove("a.json")
    with pytest.raises(TrustError, match=rf"^cannot record trust in {folder.path}: "):
        folder.write("a.json", b"1")
    assert [path.name for path in folder.path.iterdir()] == ["a.json"]


@posix_only
def test_a_folder_that_leads_to_itself(folder: Folder) -> None:
    folder.path.parent.mkdir()
    folder.path.symlink_to(folder.path)
    for act in (lambda: folder.read("a.json"), lambda: list(folder.items())):
        with pytest.raises(TrustError, match=r"^cannot read .*: Too many levels of symbolic links$"):
            act()


def test_every_question_has_a_name_of_its_own() -> None:
    names = {file_name("/a", "b"), file_name("/a/b"), file_name("/a", "b", ""), file_name("/ab"), file_name("/a", "c")}
    assert len(names) == 5
    assert all(len(name) == 64 + len(".json") and name.endswith(".json") for name in names)
    assert file_name("/\udcff", "b") == file_name("/\udcff", "b")
