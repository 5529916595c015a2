"""The repository's file, from whatever place it is read."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from selfreview.config.files import MAX_BYTES, RepoReader, worktree_reader
from selfreview.config.repository import repository_source
from selfreview.errors import ConfigError
from selfreview.trust import CONF_NAME

Reader = Callable[[Mapping[str, str | bytes]], RepoReader]

posix_only = pytest.mark.skipif(os.name != "posix", reason="links and FIFOs")


def read(reader: RepoReader) -> tuple[dict[str, object] | None, list[str]]:
    notes: list[str] = []
    source = repository_source(reader, notes)
    return (None if source is None else dict(source.values)), notes


# --- which file ----------------------------------------------------------------------------------------------------


def test_nothing_there(reader: Reader) -> None:
    assert read(reader({})) == (None, [])


def test_selfreview_toml(reader: Reader) -> None:
    source = repository_source(reader({"selfreview.toml": "\njobs = 1"}), [])
    assert source is not None
    assert (source.kind, source.values, source.place(("jobs",))) == ("repository", {"jobs": 1}, "selfreview.toml:2")


def test_pyproject_toml(reader: Reader) -> None:
    text = "[project]\nname = 'x'\n[tool.selfreview]\njobs = 1\n[tool.selfreview.command.x]\nrun = ['x']\n"
    source = repository_source(reader({"pyproject.toml": text}), [])
    assert source is not None
    assert source.values == {"jobs": 1, "command": {"x": {"run": ["x"]}}}
    assert source.place(("jobs",)) == "pyproject.toml:4"
    assert source.place(("command", "x", "run", 0)) == "pyproject.toml:6"


@pytest.mark.parametrize(
    "text",
    [
        "tool.selfreview.jobs = 1",
        "tool = { selfreview = { jobs = 1 } }",
        '["tool"."self\\u0072eview"]\njobs = 1',
        "\ufeff[tool.selfreview]\r\njobs = 1\r\n",
    ],
)
def test_pyproject_toml_in_other_spellings(reader: Reader, text: str) -> None:
    assert read(reader({"pyproject.toml": text})) == ({"jobs": 1}, [])


@pytest.mark.parametrize(
    "text",
    ["[project]\nname = 'selfreview'", "[tool.other]\nselfreview = 1", "tool = 'selfreview'", "[tool.selfreview]", ""],
)
def test_a_pyproject_toml_without_settings(reader: Reader, text: str) -> None:
    assert read(reader({"pyproject.toml": text})) == (None, [])


def test_settings_in_both_files_are_an_error_that_names_both(reader: Reader) -> None:
    files = {"selfreview.toml": "jobs = 1", "pyproject.toml": "\n[tool.selfreview]\njobs = 1"}
    with pytest.raises(ConfigError) as error:
        read(reader(files))
    assert error.value.message == "settings stand in pyproject.toml:2 and in selfreview.toml"
    assert error.value.hint == "keep them in one of the two"


@pytest.mark.parametrize(
    "files",
    [
        {"selfreview.toml": "jobs = 1", "pyproject.toml": "[tool.selfreview]"},
        {"selfreview.toml": "# nothing yet", "pyproject.toml": "[tool.selfreview]\njobs = 1"},
    ],
)
def test_an_empty_one_does_not_count(reader: Reader, files: dict[str, str]) -> None:
    assert read(reader(files))[0] == {"jobs": 1}


def test_a_table_that_is_none(reader: Reader) -> None:
    with pytest.raises(ConfigError, match=r"^pyproject\.toml:2: tool\.selfreview must be a table$"):
        read(reader({"pyproject.toml": "[tool]\nselfreview = 1"}))


# --- broken files --------------------------------------------------------------------------------------------------


def test_a_broken_selfreview_toml_stops(reader: Reader) -> None:
    with pytest.raises(ConfigError, match=r"^selfreview\.toml:2: not valid TOML"):
        read(reader({"selfreview.toml": "a = 1\n="}))


def test_a_broken_pyproject_toml_that_could_hold_settings_stops(reader: Reader) -> None:
    with pytest.raises(ConfigError, match=r"^pyproject\.toml:3: not valid TOML"):
        read(reader({"pyproject.toml": "[tool.selfreview]\njobs = 1\n="}))


@pytest.mark.parametrize("text", ["[project\nname = '\\d'", "x = '\\d'\n<<<<<<< HEAD\n"])
def test_a_broken_pyproject_toml_that_does_not_name_us_is_told_and_goes_on(reader: Reader, text: str) -> None:
    values, notes = read(reader({"pyproject.toml": text, "selfreview.toml": "jobs = 1"}))
    assert values == {"jobs": 1}
    assert len(notes) == 1
    assert notes[0].startswith("pyproject.toml:")
    assert notes[0].endswith("it is not searched for settings")


# --- the working tree ----------------------------------------------------------------------------------------------


def test_the_working_tree_is_read_at_the_top_level(tmp_path: Path) -> None:
    (tmp_path / "selfreview.toml").write_bytes(b"jobs = 1\r\n")
    reader = worktree_reader(tmp_path)
    assert reader("selfreview.toml") == b"jobs = 1\r\n"
    assert reader("pyproject.toml") is None
    assert worktree_reader(tmp_path / "nowhere")("selfreview.toml") is None
    assert worktree_reader(tmp_path / "selfreview.toml")("selfreview.toml") is None


def test_a_folder_of_that_name(tmp_path: Path) -> None:
    (tmp_path / "selfreview.toml").mkdir()
    with pytest.raises(ConfigError, match=r"^selfreview\.toml is not a regular file$"):
        read(worktree_reader(tmp_path))


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    with (tmp_path / "selfreview.toml").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(ConfigError, match=r"^selfreview\.toml is larger than 4 MiB$"):
        read(worktree_reader(tmp_path))


def test_a_file_that_is_just_small_enough(tmp_path: Path) -> None:
    with (tmp_path / "selfreview.toml").open("wb") as file:
        file.truncate(MAX_BYTES)
    assert worktree_reader(tmp_path)("selfreview.toml") == bytes(MAX_BYTES)


@posix_only
def test_a_folder_that_cannot_be_looked_into(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(ConfigError, match=r"^cannot read selfreview\.toml: Too many levels of symbolic links$"):
        read(worktree_reader(tmp_path / "loop"))


@posix_only
@pytest.mark.parametrize("name", ["selfreview.toml", "pyproject.toml", CONF_NAME])
def test_a_fifo_is_not_waited_for(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(ConfigError, match="is not a regular file"):
        worktree_reader(tmp_path)(name)


@posix_only
def test_a_file_that_is_exchanged_for_a_fifo_meanwhile_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "selfreview.toml").write_text("jobs = 1")
    opened = os.open

    def exchange(path: Path, flags: int) -> int:
        (tmp_path / "fifo").replace(path)
        return opened(path, flags)

    monkeypatch.setattr(os, "open", exchange)
    with pytest.raises(ConfigError, match="is not a regular file"):
        worktree_reader(tmp_path)("selfreview.toml")


@posix_only
def test_a_device_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "selfreview.toml").symlink_to("/dev/zero")
    with pytest.raises(ConfigError, match="symbolic link out of the repository"):
        read(worktree_reader(tmp_path))


@posix_only
def test_a_link_within_the_repository_is_followed(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "x.toml").write_text("jobs = 1")
    (tmp_path / "selfreview.toml").symlink_to("config/x.toml")
    assert read(worktree_reader(tmp_path)) == ({"jobs": 1}, [])


@posix_only
def test_a_repository_reached_through_a_link(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "x.toml").write_text("jobs = 1")
    (root / "selfreview.toml").symlink_to(root / "x.toml")
    (tmp_path / "link").symlink_to(root)
    assert read(worktree_reader(tmp_path / "link")) == ({"jobs": 1}, [])


@posix_only
@pytest.mark.parametrize("target", ["../outside.toml", "../root-2/x.toml", "nowhere", "selfreview.toml"])
def test_a_link_that_leads_elsewhere_is_an_error(tmp_path: Path, target: str) -> None:
    root = tmp_path / "root"
    for folder in (root, tmp_path / "root-2"):
        folder.mkdir()
        (folder / "x.toml").write_text("jobs = 1")
    (tmp_path / "outside.toml").write_text("jobs = 1")
    (root / "selfreview.toml").symlink_to(target)
    with pytest.raises(ConfigError, match=r"selfreview\.toml"):
        read(worktree_reader(root))


@posix_only
def test_a_pyproject_toml_that_is_a_link_elsewhere_is_told_and_goes_on(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "shared.toml").write_text("[tool.selfreview]\njobs = 1")
    (root / "pyproject.toml").symlink_to("../shared.toml")
    values, notes = read(worktree_reader(root))
    assert values is None
    (note,) = notes
    assert note.startswith("pyproject.toml is a symbolic link out of the repository, which is not followed: it is not")


@posix_only
def test_the_local_plugin_is_never_a_link(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("")
    (tmp_path / CONF_NAME).symlink_to("x.py")
    with pytest.raises(ConfigError, match=r"selfreview_conf\.py is a symbolic link, which is not followed") as error:
        worktree_reader(tmp_path)(CONF_NAME)
    assert error.value.hint


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "selfreview.toml").write_text("jobs = 1")
    (tmp_path / "selfreview.toml").chmod(0)
    with pytest.raises(ConfigError, match=r"^cannot read selfreview\.toml: Permission denied$"):
        read(worktree_reader(tmp_path))
