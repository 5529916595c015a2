"""Configuration that is read from a commit: what a gate believes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from selfreview.config.committed import commit_reader
from selfreview.config.files import MAX_BYTES, LinkError, RepoReader
from selfreview.errors import ConfigError
from selfreview.git.run import Git, git_environment
from selfreview.testing.workspace import Workspace


@pytest.fixture
def reader(workspace: Workspace) -> RepoReader:
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


def test_the_commit_is_read_and_not_the_working_tree(reader: RepoReader) -> None:
    assert reader("selfreview.toml") == b"jobs = 1\n"
    assert reader("nowhere.toml") is None


def test_it_is_read_from_a_folder_below_as_well(workspace: Workspace, reader: RepoReader) -> None:
    below = workspace.root / "below"
    below.mkdir()
    commit = workspace.git("rev-parse", "HEAD")
    assert commit_reader(Git(below, git_environment(os.environ)), commit)("selfreview.toml") == b"jobs = 1\n"


def test_what_is_too_large_is_not_taken_for_configuration(reader: RepoReader) -> None:
    full = reader("full.toml")
    assert full is not None
    assert len(full) == MAX_BYTES
    with pytest.raises(ConfigError, match=r"^large\.toml of the base is larger than 4 MiB"):
        reader("large.toml")


def test_a_folder_is_no_configuration(reader: RepoReader) -> None:
    with pytest.raises(ConfigError, match=r"^folder of the base is not a regular file"):
        reader("folder")


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_a_link_is_followed_while_it_stays_in_the_commit(reader: RepoReader) -> None:
    assert reader("linked.toml") == b"x"


@pytest.mark.skipif(os.name != "posix", reason="links")
@pytest.mark.parametrize("name", ["dangling.toml", "outside.toml", "loop.toml", "through.toml"])
def test_a_link_that_leads_out_of_it_is_an_error(reader: RepoReader, name: str) -> None:
    with pytest.raises(LinkError, match=rf"^{name} of the base is a symbolic link that leads nowhere in it"):
        reader(name)


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_the_local_plugin_is_never_read_through_a_link(reader: RepoReader) -> None:
    with pytest.raises(LinkError, match="is a symbolic link, which is not followed"):
        reader("selfreview_conf.py")


def test_a_local_plugin_that_is_a_file_is_read(workspace: Workspace, tmp_path: Path) -> None:
    commit = workspace.commit(**{"selfreview_conf.py": "x = 1\n"})
    read = commit_reader(Git(workspace.root, git_environment(os.environ)), commit)
    assert read("selfreview_conf.py") == b"x = 1\n"
