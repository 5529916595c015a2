"""The forge that comes with selfreview keeps the contract."""

from __future__ import annotations

import pytest

from selfreview.api import Location
from selfreview.pullrequest.forges.github.plugin import GitHubForge
from selfreview.testing.contracts import ForgeContract

APP = Location("github.com", "octo/app")


class TestGitHub(ForgeContract):
    addresses = {
        "https://github.com/octo/app.git": APP,
        "https://github.com/octo/app": APP,
        "git@github.com:octo/app.git": APP,
        "ssh://git@github.com/octo/app.git": APP,
    }
    secret = "ghp_aBcDeFgHiJkLmNoPqRsTuVwX"
    environ = {"GH_TOKEN": secret}

    @pytest.fixture
    def forge(self):
        return GitHubForge()


class TestGitHubEnterprise(TestGitHub):
    addresses = {"https://github.example.com/octo/app.git": Location("github.example.com", "octo/app")}
    environ = {"GH_ENTERPRISE_TOKEN": TestGitHub.secret}
    config = {"github.hosts": ["github.example.com"]}
