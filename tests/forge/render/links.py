"""URLs of repositories and pull requests."""

from __future__ import annotations

import dataclasses

from tests.forge.pulls import PullRequest
from tests.forge.repository import Repository


@dataclasses.dataclass(frozen=True)
class Links:
    """Addresses, as a client sees them that came in by ``api``.

    Attributes:
        api: Where the API is, without a slash at its end.
        web: Where people look.
    """

    api: str
    web: str

    def repository(self, repository: Repository) -> str:
        """Return the API URL of a repository."""
        return f"{self.api}/repos/{repository.full_name}"

    def pull(self, pull: PullRequest) -> str:
        """Return the API URL of a pull request."""
        return f"{self.repository(pull.repository)}/pulls/{pull.number}"

    def issue(self, pull: PullRequest) -> str:
        """Return the API URL of a pull request as an issue."""
        return f"{self.repository(pull.repository)}/issues/{pull.number}"

    def page(self, pull: PullRequest) -> str:
        """Return the URL of a pull request for people."""
        return f"{self.web}/{pull.repository.full_name}/pull/{pull.number}"
