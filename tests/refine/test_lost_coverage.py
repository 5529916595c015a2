"""What a refinement takes out of the review is neither addressed nor passed."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfreview.git.worktree_files import Entry
from selfreview.model.result import Coverage, Excluded, ResultStatus
from selfreview.refine.progress import Step, keep_in_sight
from tests.conftest import Workspace as Person
from tests.refine.issues import issue
from tests.refine.lab import workspace_of
from tests.refine.results import result

ONE = issue("one", 2, evidence="b")
TEXT = b"a\nb\n"


@pytest.mark.parametrize(
    ("files", "excluded", "left"),
    [
        ({"app.py": b"# top\n" + TEXT}, ["app.py"], [("app.py", 3)]),
        ({"app.py": None, "app_pb2.py": TEXT}, ["app_pb2.py"], [("app.py", 2)]),
        ({"app.py": b"a\n", "vendor/h.py": b"b\n"}, ["vendor/h.py"], []),  # gone from where it was, and not mended
        ({"conf.txt": b"x\n"}, ["conf.txt"], []),
        ({"app.py": b"a\n", "tests/vendor/h": b"#!/bin/sh\nb\n"}, ["tests/vendor/h"], []),
        ({"app.py": b"a\n", "tests/uv.lock": b"b\n"}, ["tests/uv.lock"], []),
        ({"app.py": b"a\n", "tests/h.ambr": b"b\n"}, ["tests/h.ambr"], []),
    ],
)
def test_hidden(
    workspace: Person,
    tmp_path: Path,
    files: dict[str, bytes | None],
    excluded: list[str],
    left: list[tuple[str, int]],
) -> None:
    workspace.write("app.py", TEXT)
    workspace.write("conf.txt", b"c\n")
    first, after = (
        result(ONE),
        result(coverage=Coverage(excluded=[Excluded(path=p, why="generated") for p in excluded])),
    )
    with workspace_of(workspace, tmp_path) as (_, scratch):
        scratch.write({path: None if data is None else Entry("100644", data) for path, data in files.items()})
        step = Step(scratch, scratch.start, scratch.tree(), {"app.py", "conf.txt"})
        keep_in_sight(first, first, after, step)
        assert after.status is ResultStatus.INCOMPLETE
        assert after.incomplete_reasons == [f"{excluded[0]} is left out of the review since a refinement: generated"]
        assert [(i.file, i.line_start) for i in after.issues] == left
        again = result(coverage=after.coverage)  # another refinement does not bring it back
        keep_in_sight(first, after, again, step._replace(old=step.new))
        assert again.issues == after.issues


@pytest.mark.parametrize(
    ("files", "excluded", "before"),
    [
        ({"vendor/h.py": b"b\n"}, ["vendor/h.py"], ["vendor/h.py"]),
        ({"poetry.lock": b"b\n"}, ["poetry.lock"], []),
        ({"tests/__snapshots__/test_a.ambr": b"b\n"}, ["tests/__snapshots__/test_a.ambr"], []),
        ({"app.py": b"a\n"}, [], []),
        ({"app.py": None}, [], []),
    ],
)
def test_what_was_never_reviewed_is_no_loss(
    workspace: Person, tmp_path: Path, files: dict[str, bytes | None], excluded: list[str], before: list[str]
) -> None:
    workspace.write("app.py", TEXT)
    workspace.write("poetry.lock", b"a\n")
    covers = [Coverage(excluded=[Excluded(path=p, why="a reason") for p in paths]) for paths in (before, excluded)]
    first, after = result(ONE, coverage=covers[0]), result(coverage=covers[1])
    with workspace_of(workspace, tmp_path) as (_, scratch):
        scratch.write({path: None if data is None else Entry("100644", data) for path, data in files.items()})
        step = Step(scratch, scratch.start, scratch.tree(), {"app.py", "tests/test_a.py"})
        keep_in_sight(first, first, after, step)
    assert (after.status, after.issues) == (ResultStatus.COMPLETE, [])
