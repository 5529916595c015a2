"""Where tokens come from, and where they do not go."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from selfreview.api import Location
from selfreview.errors import ForgeError
from selfreview.pullrequest.forges.github.plugin import GitHubForge, find_token

APP = Location("github.com", "octo/app")


def test_the_environment_in_the_order_of_gh() -> None:
    environ = {"GH_TOKEN": " a\n", "GITHUB_TOKEN": "b", "GH_ENTERPRISE_TOKEN": "c", "GITHUB_ENTERPRISE_TOKEN": "d"}
    assert find_token("github.com", environ) == "a"
    assert find_token("github.com", {**environ, "GH_TOKEN": " "}) == "b"
    assert find_token("ghe.example", environ) == "c"
    assert find_token("ghe.example", {**environ, "GH_ENTERPRISE_TOKEN": ""}) == "d"


def test_a_token_of_one_host_is_not_for_another() -> None:
    with pytest.raises(ForgeError) as caught:
        find_token("ghe.example", {"GH_TOKEN": "a", "GITHUB_TOKEN": "b"})
    assert "GH_ENTERPRISE_TOKEN" in (caught.value.hint or "")
    with pytest.raises(ForgeError, match="there is no token"):
        find_token("github.com", {"GH_ENTERPRISE_TOKEN": "c"})


@pytest.mark.parametrize("token", ["a b", "a\r\nX-Evil: 1", "tök", "a\0b"])
def test_what_cannot_be_a_token_is_not_shown(token: str) -> None:
    with pytest.raises(ForgeError, match="GH_TOKEN") as caught:
        find_token("github.com", {"GH_TOKEN": token})
    assert token not in f"{caught.value.message}{caught.value.hint}"


def _gh(folder: Path, script: str) -> dict[str, str]:
    folder.mkdir()
    program = folder / "gh"
    program.write_text(f"#!{sys.executable}\nimport os, sys\n{script}\n")
    program.chmod(0o755)
    return {"PATH": str(folder), "HOME": str(folder), "GH_CONFIG_DIR": "/kept", "ANTHROPIC_API_KEY": "not for gh"}


@pytest.mark.skipif(os.name == "nt", reason="a script with a first line that names its interpreter")
def test_gh_is_asked_for_the_host(tmp_path: Path) -> None:
    script = (
        "assert sys.argv[1:] == ['auth', 'token', '--hostname', 'ghe.example']\n"
        "assert os.environ['GH_CONFIG_DIR'] == '/kept' and 'ANTHROPIC_API_KEY' not in os.environ\n"
        "print('gho_kept')"
    )
    assert find_token("ghe.example", _gh(tmp_path / "bin", script)) == "gho_kept"


@pytest.mark.skipif(os.name == "nt", reason="a script with a first line that names its interpreter")
@pytest.mark.parametrize("script", ["sys.exit('no oauth token')", "print()"])
def test_gh_that_knows_no_token(tmp_path: Path, script: str) -> None:
    with pytest.raises(ForgeError, match="no token") as caught:
        find_token("github.com", _gh(tmp_path / "bin", script))
    assert "gh auth login" in (caught.value.hint or "")


@pytest.mark.skipif(os.name == "nt", reason="a script with a first line that names its interpreter")
def test_a_gh_of_the_repository_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environ = _gh(tmp_path / "bin", "print('stolen')")
    monkeypatch.chdir(tmp_path / "bin")
    for path in ("", ".", "bin"):
        with pytest.raises(ForgeError):
            find_token("github.com", {**environ, "PATH": path})


def test_secrets_are_all_that_are_known(config: dict[str, Any]) -> None:
    forge = GitHubForge()
    forge.connect(APP, config, {"GH_TOKEN": "in-use"}).close()
    assert forge.secrets({"GITHUB_TOKEN": "other", "GH_ENTERPRISE_TOKEN": "third"}, config) == [
        "in-use",
        "other",
        "third",
    ]


def test_connecting_asks_nothing_and_tells_no_token(config: dict[str, Any]) -> None:
    environ = {"GH_TOKEN": "ghp_secret", "GITHUB_API_URL": "http://127.0.0.1:9"}
    connection = GitHubForge().connect(APP, config, environ)
    assert connection.location == APP
    assert "ghp_secret" not in repr(connection)
    connection.close()
