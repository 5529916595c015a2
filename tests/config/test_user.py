"""The person's own file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import platformdirs
import pytest

from selfreview.config.user import user_folder, user_source
from selfreview.errors import ConfigError


def test_it_is_read_from_the_chosen_folder(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("\njobs = 1")
    source = user_source({"SELFREVIEW_CONFIG_DIR": str(tmp_path)})
    assert source is not None
    assert (source.kind, source.values) == ("user", {"jobs": 1})
    assert source.place(("jobs",)) == f"{tmp_path / 'config.toml'}:2"


def test_it_need_not_exist(tmp_path: Path) -> None:
    assert user_source({"SELFREVIEW_CONFIG_DIR": str(tmp_path)}) is None
    assert user_source({"SELFREVIEW_CONFIG_DIR": str(tmp_path / "nowhere")}) is None


def test_a_broken_one_is_an_error_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("\n=")
    with pytest.raises(ConfigError) as error:
        user_source({"SELFREVIEW_CONFIG_DIR": str(tmp_path)})
    assert error.value.message.startswith(f"{tmp_path / 'config.toml'}:2: not valid TOML")


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_it_may_be_a_link_as_dotfile_managers_make_them(tmp_path: Path) -> None:
    (tmp_path / "dotfiles.toml").write_text("jobs = 1")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "config.toml").symlink_to(tmp_path / "dotfiles.toml")
    source = user_source({"SELFREVIEW_CONFIG_DIR": str(tmp_path / "folder")})
    assert source is not None


def test_a_relative_folder_could_be_the_repositorys_own() -> None:
    with pytest.raises(ConfigError, match="SELFREVIEW_CONFIG_DIR must be an absolute path, not 'config'"):
        user_source({"SELFREVIEW_CONFIG_DIR": "config"})


@pytest.mark.parametrize(
    "environ",
    [
        {"HOME": "/home/somebody"},
        {"HOME": "/home/somebody", "XDG_CONFIG_HOME": "/elsewhere/config/"},
        {"HOME": "/home/somebody", "XDG_CONFIG_HOME": "relative"},
        {"HOME": "/home/somebody", "XDG_CONFIG_HOME": ""},
        {"HOME": "relative"},
        {"XDG_CONFIG_HOME": "/elsewhere"},
        {},
    ],
)
def test_by_default_it_is_where_platformdirs_says(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_CONFIG_HOME", "SELFREVIEW_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert user_folder(os.environ) == platformdirs.user_config_path("selfreview", appauthor=False)


def test_without_a_home_there_is_no_such_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless(*_: object, **__: object) -> Path:
        raise RuntimeError("could not determine the home directory")

    monkeypatch.setattr(platformdirs, "user_config_path", homeless)
    assert user_source({}) is None


def test_nothing_of_the_current_folder_passes_for_the_persons_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(platformdirs, "user_config_path", lambda *_, **__: Path("~nobody/.config/selfreview"))
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "~nobody" / ".config" / "selfreview"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text("jobs = 1")
    assert user_source({}) is None


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere platformdirs is asked")
def test_usually_platformdirs_is_not_imported() -> None:
    code = "import sys, selfreview.config.user as u; u.user_source({'HOME': '/'}); print('platformdirs' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_what_is_no_plain_linux_is_asked_of_the_platform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platformdirs, "user_config_path", lambda *_, **__: tmp_path / "elsewhere")
    assert user_folder({"HOME": "/home/x", "ANDROID_DATA": "/data"}) == tmp_path / "elsewhere"
