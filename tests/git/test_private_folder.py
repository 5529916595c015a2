"""Private folders are gone when they are done with, and those of a killed process when the next one looks."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from selfreview.git import private_folder
from selfreview.git.private_folder import PrivateFolder, sweep_folders

HOLD = """
import sys
from selfreview.git.private_folder import PrivateFolder
folder = PrivateFolder("objects")
open(f"{folder.name}/x", "w").close()
print(folder.name, flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_it_is_private_and_there_as_long_as_it_is_needed(place: Path) -> None:
    with PrivateFolder() as name:
        assert sys.platform == "win32" or Path(name).stat().st_mode & 0o077 == 0
        assert sweep_folders() == 0
        assert [str(path) for path in place.iterdir()] == [name]
        Path(name, "folder").mkdir(mode=0o500)
    assert list(place.iterdir()) == []


def test_one_that_nobody_removed_goes_with_its_owner(place: Path) -> None:
    folder = PrivateFolder("agent")
    assert Path(folder.name).is_dir()
    del folder
    assert list(place.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be locked")
def test_those_of_a_killed_process_are_swept_up_and_no_others(place: Path) -> None:
    for name in ("selfreview-demo-abcdef12", "selfreview-notes", "selfreview-abcdef12.new", "x-abcdef12.run"):
        (place / name).mkdir()
    (place / "selfreview-11111111.run").symlink_to(place / "selfreview-notes")
    others = set(place.iterdir())
    child = subprocess.Popen([sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with child:
        assert child.stdout is not None
        folder = Path(child.stdout.readline().decode().strip())
        assert sweep_folders() == 0  # in use
        assert folder.is_dir()
        child.kill()
        child.wait()
        assert sweep_folders() == 1
    assert set(place.iterdir()) == others


@pytest.mark.parametrize("step", ["mkdir", "rename"])
@pytest.mark.parametrize("late", [False, True])
def test_an_interrupt_as_it_is_made_leaves_nothing(
    place: Path, monkeypatch: pytest.MonkeyPatch, step: str, *, late: bool
) -> None:
    do = getattr(os, step)

    def interrupted(*args: object) -> None:
        if late:
            do(*args)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, step, interrupted)
        with pytest.raises(KeyboardInterrupt):
            PrivateFolder("objects")
    assert list(place.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be locked")
def test_what_was_left_as_it_was_made_goes_when_it_is_old(place: Path) -> None:
    left = place / "selfreview-abcdef12.new"
    left.mkdir()
    assert sweep_folders() == 0
    os.utime(left, (0, 0))
    assert sweep_folders() == 1
    assert not left.exists()


def test_an_interrupt_as_it_is_removed_leaves_nothing(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, remove, calls = PrivateFolder("objects"), private_folder.remove_folder, []

    def interrupted(path: Path) -> bool:
        calls.append(path)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return remove(path)

    monkeypatch.setattr(private_folder, "remove_folder", interrupted)
    with pytest.raises(KeyboardInterrupt):
        folder.cleanup()
    assert list(place.iterdir()) == []
