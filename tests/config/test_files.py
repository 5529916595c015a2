"""Configuration files: the repository's, the person's, and those of a commit."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import platformdirs
import pytest

from selfreview.config.sources import (
    MAX_BYTES,
    LinkError,
    RepoReader,
    commit_reader,
    paths_named,
    read_file,
    repository_source,
    user_folder,
    user_source,
    worktree_reader,
)
from selfreview.errors import ConfigError
from selfreview.git.run import Git, git_environment
from selfreview.testing.workspace import Workspace
from selfreview.trust.subject import CONF_NAME

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
def test_a_file_that_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(ConfigError, match=r"^cannot read config\.toml: Too many levels of symbolic links$"):
        read_file(tmp_path / "loop", "config.toml")


@posix_only
@pytest.mark.parametrize(
    "target", ["config/x.toml", "../outside.toml", "../root-2/x.toml", "nowhere", "selfreview.toml", "/dev/zero"]
)
def test_no_link_is_followed(tmp_path: Path, target: str) -> None:
    root = tmp_path / "root"
    for folder in (root / "config", tmp_path / "root-2"):
        folder.mkdir(parents=True)
        (folder / "x.toml").write_text("jobs = 1")
    (tmp_path / "outside.toml").write_text("jobs = 1")
    (root / "selfreview.toml").symlink_to(target)
    with pytest.raises(LinkError, match=r"^selfreview\.toml is a symbolic link, which is not followed") as error:
        read(worktree_reader(root))
    assert error.value.hint == "put the file itself there"


@posix_only
def test_a_repository_reached_through_a_link(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "selfreview.toml").write_text("jobs = 1")
    (tmp_path / "link").symlink_to(root)
    assert read(worktree_reader(tmp_path / "link")) == ({"jobs": 1}, [])


@posix_only
def test_a_pyproject_toml_that_is_a_link_is_told_and_goes_on(tmp_path: Path) -> None:
    (tmp_path / "shared.toml").write_text("[tool.selfreview]\njobs = 1")
    (tmp_path / "pyproject.toml").symlink_to("shared.toml")
    values, notes = read(worktree_reader(tmp_path))
    assert values is None
    assert notes == [
        "pyproject.toml is a symbolic link, which is not followed: it is not searched for settings"
    ]  # fmt: skip


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
    code = (
        "import sys, selfreview.config.sources as u; u.user_source({'HOME': '/'}); print('platformdirs' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_what_is_no_plain_linux_is_asked_of_the_platform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platformdirs, "user_config_path", lambda *_, **__: tmp_path / "elsewhere")
    assert user_folder({"HOME": "/home/x", "ANDROID_DATA": "/data"}) == tmp_path / "elsewhere"


@pytest.fixture
def of_commit(workspace: Workspace) -> RepoReader:
    """A reader of a commit which the working tree has left behind."""
    workspace.write("selfreview.toml", "jobs = 1\n")
    workspace.write("large.toml", b"#" * (MAX_BYTES + 1))
    workspace.write("full.toml", b"#" * MAX_BYTES)
    workspace.write("folder/file", "x")
    if os.name == "posix":
        links = {
            "linked.toml": "folder/file",
            "dangling.toml": "nowhere",
            "outside.toml": "/etc/hostname",
            "loop.toml": "loop.toml",
            "through.toml": "selfreview.toml/x",
            "selfreview_conf.py": "folder/file",
        }
        for name, target in links.items():
            (workspace.root / name).symlink_to(target)
    commit = workspace.commit()
    workspace.write("selfreview.toml", "jobs = 2\n")
    (workspace.root / "folder").joinpath("file").unlink()
    workspace.stage()
    return commit_reader(Git(workspace.root, git_environment(os.environ)), commit)


def test_the_commit_is_read_and_not_the_working_tree(of_commit: RepoReader) -> None:
    assert of_commit("selfreview.toml") == b"jobs = 1\n"
    assert of_commit("nowhere.toml") is None


def test_it_is_read_from_a_folder_below_as_well(workspace: Workspace, of_commit: RepoReader) -> None:
    below = workspace.root / "below"
    below.mkdir()
    commit = workspace.git("rev-parse", "HEAD")
    assert commit_reader(Git(below, git_environment(os.environ)), commit)("selfreview.toml") == b"jobs = 1\n"


def test_what_is_too_large_is_not_taken_for_configuration(of_commit: RepoReader) -> None:
    full = of_commit("full.toml")
    assert full is not None
    assert len(full) == MAX_BYTES
    with pytest.raises(ConfigError, match=r"^large\.toml of the base is larger than 4 MiB"):
        of_commit("large.toml")


def test_a_folder_is_no_configuration(of_commit: RepoReader) -> None:
    with pytest.raises(ConfigError, match=r"^folder of the base is not a regular file"):
        of_commit("folder")


@posix_only
@pytest.mark.parametrize(
    "name", ["linked.toml", "dangling.toml", "outside.toml", "loop.toml", "through.toml", "selfreview_conf.py"]
)
def test_no_link_of_a_commit_is_followed(of_commit: RepoReader, name: str) -> None:
    with pytest.raises(LinkError, match=rf"^{name} is a symbolic link, which is not followed"):
        of_commit(name)


def test_a_local_plugin_that_is_a_file_is_read(workspace: Workspace, tmp_path: Path) -> None:
    commit = workspace.commit(**{"selfreview_conf.py": "x = 1\n"})
    read = commit_reader(Git(workspace.root, git_environment(os.environ)), commit)
    assert read("selfreview_conf.py") == b"x = 1\n"


def test_the_files_below_a_folder_of_a_commit_are_listed(workspace: Workspace) -> None:
    large = b"#" * 100_000
    workspace.write("rules/x", large)
    if os.name == "posix":
        (workspace.root / "rules" / "link.yml").symlink_to("x")
        (workspace.root / "other").symlink_to("rules")
    head = workspace.git("rev-parse", "HEAD")
    workspace.commit(**{"rules/b/c.yml": "1", "rules/a.yml": "2", "rules2/a.yml": "3"})
    workspace.git("update-index", "--add", "--cacheinfo", f"160000,{head},rules/submodule")
    workspace.git("commit", "-qm", "submodule")
    commit = workspace.git("rev-parse", "HEAD")
    workspace.git("rm", "-rqf", "--cached", "rules")
    read = commit_reader(Git(workspace.root, git_environment(os.environ)), commit)
    links = ["rules/link.yml"] if os.name == "posix" else []
    assert paths_named(read, "rules") == ["rules/a.yml", "rules/b/c.yml", *links, "rules/x"]
    for name in links:
        with pytest.raises(LinkError):
            read(name)
    assert [read(name) for name in ("nowhere/", "rules/a.yml/", "other/")] == [None, None, None]
    assert paths_named(read, "rules2/") == ["rules2/a.yml"]
    contents = [read(name) for name in ("rules/a.yml", "rules/b/c.yml", "rules/x", "rules2/a.yml")]
    assert contents == [b"2", b"1", large, b"3"]
    assert paths_named(read, "nowhere") is None


def test_the_files_below_a_folder_of_the_working_tree_are_listed(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    for file in (root / "rules" / "b" / "c.yml", root / "rules" / "a.yml", outside / "d.yml"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    read = worktree_reader(root)
    assert paths_named(read, "rules") == ["rules/a.yml", "rules/b/c.yml"]
    assert [read(name) for name in ("nowhere/", "rules/a.yml/")] == [None, None]
    if os.name == "posix":
        (root / "out").symlink_to(outside)
        (root / "in").symlink_to("rules")
        for name in ("out/d.yml", "in/a.yml"):
            assert read(f"{Path(name).parent}/") is None
            with pytest.raises(LinkError):
                read(name)
