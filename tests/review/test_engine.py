"""The engine as a whole: the way from reviewers to a result."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from selfreview.app.request import RunRequest
from selfreview.app.run import review_change
from selfreview.store.cache import Cache
from tests.conftest import Workspace


def test_what_all_reviewers_found_is_cached_in_one_write(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[int] = []
    put = Cache.put_many

    def noting(cache: Cache, entries: Mapping[bytes, bytes]) -> None:
        written.append(len(entries))
        put(cache, entries)

    monkeypatch.setattr(Cache, "put_many", noting)
    workspace.write("app.py", "LIMIT = 3\n")
    names = ("ruff", "rules", "secrets", "text")
    first, second = (review_change(RunRequest(folder=workspace.root, reviewers=names)) for _ in range(2))
    assert [number for number in written if number] == [len(names)]
    assert [report.cached for report in first.reviewers] == [False] * len(names)
    assert [report.cached for report in second.reviewers] == [True] * len(names)
