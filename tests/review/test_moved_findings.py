"""Findings on moved code: who is asked about the base, and how often."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

import pytest

from selfreview.api import Review
from selfreview.app.request import RunRequest
from selfreview.app.run import review_change
from selfreview.review.context import Workbench
from selfreview.review.moved_findings import mark_moved
from selfreview.review.tasks import Outcome, assign, no_entries
from selfreview.store.cache import Cache
from selfreview.testing.context import MemoryConfig, default_config
from tests.conftest import Workspace
from tests.review.builders import Reviewing, make_bench, make_finding

FUNCTION = "def answer(text):\n    print('the answer to', text)\n    return eval(text)\n"


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Number of entries that each write to the cache has."""
    numbers: list[int] = []
    put = Cache.put_many

    def noting(cache: Cache, entries: Mapping[bytes, bytes]) -> None:
        numbers.append(len(entries))
        put(cache, entries)

    monkeypatch.setattr(Cache, "put_many", noting)
    return numbers


def test_what_was_found_in_the_base_is_cached_for_the_reviewers_concerned(
    workspace: Workspace, written: list[int]
) -> None:
    workspace.git("switch", "--quiet", "main")
    workspace.commit("old sin", **{"app.py": FUNCTION, "lib.py": "LIMIT = 2\n"})
    workspace.git("switch", "--quiet", "work")
    workspace.git("merge", "--quiet", "main")
    workspace.write("app.py", "LIMIT = 1\n")
    workspace.write("lib.py", f"LIMIT = 2\n\n\n{FUNCTION}")
    names = ("ruff", "rules", "secrets", "text")
    for _ in range(2):
        result = review_change(RunRequest(folder=workspace.root, reviewers=names))
        assert [issue.status.value for issue in result.issues if issue.rule == "python-eval"] == ["out_of_scope"]
    # Both files for all, and then the one of the base for the only reviewer that found something on moved lines.
    assert [number for number in written if number] == [2 * len(names), 1]


def test_nobody_is_asked_about_the_base_where_nothing_was_found_on_moved_lines(
    workspace: Workspace, written: list[int]
) -> None:
    workspace.git("switch", "--quiet", "main")
    workspace.commit("no sin", **{"app.py": FUNCTION.replace("eval", "int")})
    workspace.git("switch", "--quiet", "work")
    workspace.git("merge", "--quiet", "main")
    workspace.write("app.py", "class A:\n" + FUNCTION.replace("eval", "int").replace("def", "  def"))
    names = ("ruff", "rules", "secrets", "text")
    review_change(RunRequest(folder=workspace.root, reviewers=names))
    assert [number for number in written if number] == [len(names)]


@pytest.mark.parametrize("which", ["review", "base"])
def test_a_review_that_is_stopped_while_the_base_is_asked_is_no_whole_one(which: str) -> None:
    bench = make_bench(app_py=(FUNCTION, f"class A:\n{textwrap.indent(FUNCTION, '    ')}"))
    bench.config = MemoryConfig(default_config())
    (task,) = assign([Reviewing()], bench)
    stopped: list[str] = []

    def ask(_tasks: object, before: Workbench) -> list[Outcome]:
        before.on_stop(lambda: stopped.append("base"))
        (bench if which == "review" else before).cancel()
        return []

    review = Review(findings=[make_finding(file="app.py", line_start=4)])
    mark_moved([Outcome(task, review, 0, cached=False, entries=no_entries)], bench, ask)
    assert (bench.interrupted, stopped) == (True, ["base"])
