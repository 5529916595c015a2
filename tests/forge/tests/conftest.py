"""A forge, with a repository and people in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from tests.forge import FakeGitHub, PullRequest, Repository, User


class Scene:
    """A forge with ``octo/app``: ann may write and holds the token ``t0``, bob may write, eve may read."""

    def __init__(self, forge: FakeGitHub) -> None:
        self.forge = forge
        self.repository: Repository = forge.repository("octo/app")
        self.ann: User = self.repository.allow(forge.user("ann"), "write")
        self.bob: User = self.repository.allow(forge.user("bob"), "write")
        self.eve: User = forge.user("eve")
        forge.token("t0", self.ann)
        forge.token("t1", self.bob)
        forge.token("t2", self.eve)
        self.pull: PullRequest = self.repository.pull("feature", author=self.ann)
        self.http = httpx2.Client(base_url=forge.api_url, headers={"user-agent": "test"}, verify=False)

    def ask(self, method: str, path: str, *, token: str | None = "t0", **more: Any) -> httpx2.Response:
        """Send a request; a path that begins with no slash is below the repository."""
        headers = {"authorization": f"Bearer {token}", **more.pop("headers", {})} if token else more.pop("headers", {})
        where = path if path.startswith(("/", "http")) else f"/repos/octo/app/{path}".rstrip("/")
        return self.http.request(method, where, headers=headers, **more)

    def get(self, path: str, **more: Any) -> Any:
        """Read something that is there."""
        answer = self.ask("GET", path, **more)
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture
def scene() -> Iterator[Scene]:
    with FakeGitHub() as forge:
        made = Scene(forge)
        yield made
        made.http.close()
