"""The resources that all reviewers of a run share."""

from __future__ import annotations

from collections.abc import Iterable

from selfreview.proc import Runner
from selfreview.review.context import Workbench
from tests.review.builders import make_bench


class Source:
    """Settings of which each look is recorded."""

    def __init__(self, **files: bytes) -> None:
        self.files = files
        self.looks: list[list[str]] = []

    def find(self, paths: Iterable[str]) -> dict[str, bytes]:
        self.looks.append(list(paths))
        return {path: self.files[path] for path in self.looks[-1] if path in self.files}

    def list(self, folder: str) -> list[str]:
        return [path for path in self.files if path.startswith(folder)]


def test_each_file_of_settings_is_looked_for_once() -> None:
    source, bench = Source(here=b"1"), make_bench(a_py="n = 1\n")
    bench = Workbench(bench.change, bench.content, bench.config, Runner(), settings=source)
    assert bench.settings(["here", "gone"]) == {"here": b"1"}
    assert bench.settings(["gone", "here", "other"]) == {"here": b"1"}
    assert bench.settings(["gone"]) == {}
    assert source.looks == [["here", "gone"], ["other"]]
