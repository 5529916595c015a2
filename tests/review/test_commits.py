"""The commits of a change as reviewers are given them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from selfreview.git import commits as reading
from selfreview.review.commits import Commits


def test_what_is_known_of_commits_counts_only_where_they_are_read_the_same_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collected: Any = SimpleNamespace(resolved=SimpleNamespace(commits=("HEAD", "^main")))
    repo: Any = None
    commits = Commits(repo=repo, collected=collected, excluded=lambda _: None)
    before = commits.key
    assert before == commits.key
    other = tmp_path / "commits.py"
    other.write_bytes(Path(reading.__file__).read_bytes() + b"# reads more\n")
    monkeypatch.setattr(reading, "__file__", str(other))
    assert commits.key != before
