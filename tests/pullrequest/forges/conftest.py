"""Configuration as it is by default, and connections to the fake forge."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest

from selfreview.api import Location
from selfreview.pullrequest.forges.github import plugin as github
from selfreview.pullrequest.forges.github.connection import GitHubConnection
from selfreview.pullrequest.forges.github.plugin import GitHubForge
from selfreview.pullrequest.forges.http.limits import Pauses
from selfreview.testing.context import default_config
from tests.forge import FakeGitHub, PullRequest, Repository, User
from tests.pullrequest.forges.scripted import TOKEN, ToldClock


@pytest.fixture
def config() -> dict[str, Any]:
    return default_config(github)


@dataclasses.dataclass
class Octo:
    """A repository with one pull request and two people: ``me`` has the token."""

    forge: FakeGitHub
    repository: Repository
    pull: PullRequest
    me: User
    ann: User
    clock: ToldClock
    connection: GitHubConnection
    token: str = TOKEN

    @property
    def said(self) -> list[str]:
        """What was asked since the last look."""
        said = [f"{one.method} {one.path}" for one in self.forge.requests]
        self.forge.requests.clear()
        return said


@pytest.fixture
def octo(config: dict[str, Any]) -> Iterator[Octo]:
    with FakeGitHub() as forge:
        repository = forge.repository("octo/app")
        me, ann = repository.allow(forge.user("me"), "write"), repository.allow(forge.user("ann"), "write")
        forge.token(TOKEN, me)
        pull = repository.pull("feature", author=me)
        clock = ToldClock()
        environ = {"GH_TOKEN": TOKEN, "GITHUB_API_URL": forge.api_url, "GITHUB_GRAPHQL_URL": forge.graphql_url}
        connection = GitHubForge(clock, Pauses()).connect(Location("github.com", "octo/app"), config, environ)
        assert isinstance(connection, GitHubConnection)
        yield Octo(forge, repository, pull, me, ann, clock, connection)
        connection.close()
