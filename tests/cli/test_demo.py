"""The sample shows each of its mistakes once."""

from __future__ import annotations

from collections import Counter

from selfreview.errors import ExitCode
from tests.conftest import Workspace


def test_each_mistake_of_the_sample_is_reported_once(workspace: Workspace) -> None:
    ran = workspace.selfreview("demo", "--keep", "shop")
    assert ran.code == ExitCode.PASSED, ran
    sample = Workspace(workspace.root / "shop")
    opened = [issue for issue in sample.review()["issues"] if issue["status"] == "open"]
    assert Counter(issue["rule"] for issue in opened) == {
        "F821": 1,
        "B006": 1,
        "python-sql-injection": 1,
        "python-subprocess-shell-injection": 1,
        "python-except-exception-pass": 1,
        "removed-assertion": 1,
        "javascript-debugger": 1,
        "javascript-html-from-text": 1,
    }
    places = Counter((issue["file"], issue["lineStart"]) for issue in opened)
    assert set(places.values()) == {1}
