"""A folder of our own goes, or the answer is that it did not; never an error."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from selfreview.git.removal import remove_folder


def test_what_may_not_be_written_goes_too(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "sealed" / "deep").mkdir(parents=True)
    (folder / "sealed" / "deep" / "file").write_text("x")
    (folder / "sealed").chmod(0o500)
    (folder / "sealed" / "deep").chmod(0o500)
    assert remove_folder(folder)
    assert not folder.exists()


def test_what_belongs_to_somebody_else_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, mode: int) -> None:
        raise PermissionError(1, "Operation not permitted", str(path), mode)

    (tmp_path / "folder" / "theirs").mkdir(parents=True)
    monkeypatch.setattr(shutil, "rmtree", lambda *_, **__: None)
    monkeypatch.setattr(Path, "chmod", refuse)
    assert not remove_folder(tmp_path / "folder")
