"""What is said of a file that may not be read or written."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from selfreview import access
from selfreview.access import access_hint
from selfreview.config.sources import user_folder
from selfreview.trust.folder import data_folder
from tests.conftest import Workspace

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="files belong to users")

ROOT, SOMEBODY, ME = 0, 54321, 54322


@pytest.fixture
def store(workspace: Workspace) -> Path:
    folder = workspace.root / ".git" / "selfreview"
    folder.mkdir(exist_ok=True)
    return folder / "store.db"


def hint(monkeypatch: pytest.MonkeyPatch, path: Path, *, owner: int, me: int = ME) -> str:
    """Return the hint for whoever ``me`` is; only root can have files of all these people."""
    stat = Path.lstat
    with monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: me)
        patch.setattr(Path, "lstat", lambda self: os.stat_result([*stat(self)[:4], owner, *stat(self)[5:10]]))
        patch.setattr(access, "_name", {ROOT: "root", SOMEBODY: "bob", ME: "ann"}.get)
        return access_hint(path)


def test_what_sudo_made_is_taken_over(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    said = hint(monkeypatch, store, owner=ROOT)
    assert said == f"it belongs to root, as after sudo: sudo chown -R ann {store.parent}"


def test_what_another_person_made_is_not_called_sudos(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    assert hint(monkeypatch, store, owner=SOMEBODY) == f"it belongs to bob: sudo chown -R ann {store.parent}"


def test_nothing_is_given_to_root(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    said = hint(monkeypatch, store, owner=SOMEBODY, me=ROOT)
    assert said == "it belongs to bob: run selfreview as bob, without sudo"


def test_the_folders_of_data_and_settings_are_selfreviews_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("SELFREVIEW_DATA_DIR", "SELFREVIEW_CONFIG_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name / "selfreview"))
        (tmp_path / name / "selfreview").mkdir(parents=True)
        assert f"chown -R ann {tmp_path}/{name}/selfreview" in hint(
            monkeypatch, tmp_path / name / "selfreview" / "trust", owner=ROOT
        )
        monkeypatch.setenv(name, str(tmp_path))  # whatever else is in there
        assert "chown" not in hint(monkeypatch, tmp_path / name / "trust", owner=ROOT)
    for name in ("SELFREVIEW_DATA_DIR", "SELFREVIEW_CONFIG_DIR"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    for usual in (data_folder({}), user_folder(os.environ)):
        assert usual is not None
        usual.mkdir(parents=True, exist_ok=True)
        assert "chown" in hint(monkeypatch, usual / "config.toml", owner=ROOT)


@pytest.mark.parametrize("inside", ["a folder", "a bare repository"])
def test_a_checkout_of_that_name_is_left_to_its_owner(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, inside: str
) -> None:
    checkout = tmp_path / "selfreview"
    (checkout / ".git").mkdir(parents=True)
    if inside == "a bare repository":
        (tmp_path / "HEAD").write_text("ref: refs/heads/main\n")
    (checkout / "selfreview.toml").touch()
    for path in (checkout / "selfreview.toml", checkout / ".git" / "index"):
        assert "chown" not in hint(monkeypatch, path, owner=ROOT)


def test_a_folder_that_cannot_be_shown_as_it_is_is_in_no_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("red\x1b[31m", "two\nlines", "byte\udcff"):
        (tmp_path / name / ".git" / "selfreview").mkdir(parents=True)
        (tmp_path / name / ".git" / "HEAD").touch()
        said = hint(monkeypatch, tmp_path / name / ".git" / "selfreview", owner=ROOT)
        assert said.startswith("it belongs to root: check that ")
    (tmp_path / "my work" / ".git" / "selfreview").mkdir(parents=True)
    (tmp_path / "my work" / ".git" / "HEAD").touch()
    said = hint(monkeypatch, tmp_path / "my work" / ".git" / "selfreview", owner=ROOT)
    assert said.endswith(f"chown -R ann '{tmp_path}/my work/.git/selfreview'")
