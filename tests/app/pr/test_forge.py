"""Which addresses mean the repository of a pull request."""

from __future__ import annotations

from typing import Any, cast

import pytest

from selfreview.api import Location
from selfreview.app.pr.forge import Place, is_of
from selfreview.pullrequest.forges.github.plugin import GitHubForge

PLACE = Place(GitHubForge(), Location("github.com", "octo/app"), "origin", cast("Any", None))


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://github.com/octo/app", True),
        ("https://token@github.com/Octo/App.git", True),
        ("git@github.com:octo/app.git", True),
        ("ssh://git@ssh.github.com:443/octo/app.git", True),
        ("git@github-own:octo/app.git", True),
        ("git@github-own:Octo/App.git", True),
        ("ssh://hub/octo/app/", True),
        ("https://github.com/guest/app", False),
        ("git@github-own:guest/app.git", False),
        ("git@gitlab.com:octo/app.git", False),
        ("https://example.com/octo/app.git", False),
        ("/srv/octo/app.git", False),
        ("octo/app", False),
        ("hub/octo/app", False),
        ("no_push", False),
        ("", False),
    ],
)
def test_a_repository_is_known_by_its_addresses(url: str, expected: bool) -> None:
    assert is_of(PLACE, url, cast("Any", {"github.hosts": []})) is expected
