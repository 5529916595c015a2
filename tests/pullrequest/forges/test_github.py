"""The forge as a plugin."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from selfreview.api import (
    AnswersThreads,
    Comments,
    Connection,
    CreatesRequests,
    Detects,
    Labels,
    Location,
    ReadsFeedback,
    ReadsRequests,
    RequestsReviews,
    TellsLabelChanges,
)
from selfreview.pullrequest.forges.github.plugin import GitHubForge
from tests.conftest import Workspace
from tests.pullrequest.forges.conftest import Octo

CAPABILITIES = [
    ReadsRequests,
    ReadsFeedback,
    Detects,
    Comments,
    AnswersThreads,
    RequestsReviews,
    Labels,
    CreatesRequests,
    TellsLabelChanges,
]


@pytest.mark.parametrize("capability", CAPABILITIES)
def test_it_can_do_all_that_a_forge_can(octo: Octo, capability: type[Connection]) -> None:
    assert isinstance(octo.connection, capability)


def test_it_finds_remotes_by_the_configuration(config: dict[str, Any]) -> None:
    forge = GitHubForge()
    assert forge.locate("git@ghe.example:o/r.git", config) is None
    config["github.hosts"] = ["GHE.example"]
    assert forge.locate("git@ghe.example:o/r.git", config) == Location("ghe.example", "o/r")


def test_importing_the_plugin_imports_nothing_heavy() -> None:
    code = (
        "import sys; import selfreview.api; before = set(sys.modules);"
        "import selfreview.pullrequest.forges.github.plugin;"
        "print(sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    package = "selfreview.pullrequest.forges"
    assert done.stdout.strip() == str(
        ["selfreview.pullrequest", package, f"{package}.github", f"{package}.github.plugin"]
    )


def test_a_repository_cannot_name_hosts(workspace: Workspace) -> None:
    workspace.write("selfreview.toml", '[github]\nhosts = ["evil.example"]\n')
    done = workspace.selfreview("config")
    assert done.code == 4
    assert "github.hosts" in done.err
