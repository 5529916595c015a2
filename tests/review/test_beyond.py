"""Reviewers that look beyond a file: what they depend on, what they report elsewhere, and what they take back."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from selfreview.api import (
    Category,
    ChangedFile,
    Depth,
    Finding,
    IssueStatus,
    Place,
    Review,
    ReviewContext,
    Severity,
)
from selfreview.model.issue import Side
from selfreview.review.cache import FindingCache
from selfreview.review.triage import to_issues
from selfreview.testing.context import MemoryContext


class Blobs:
    def __init__(self) -> None:
        self.kept: dict[bytes, bytes] = {}

    def get_many(self, keys: Sequence[bytes]) -> Mapping[bytes, bytes]:
        return {key: self.kept[key] for key in keys if key in self.kept}

    def put_many(self, entries: Mapping[bytes, bytes]) -> None:
        self.kept.update(entries)


class Wide:
    name = "wide"
    depth = Depth.MODEL
    default = False

    def __init__(self, beyond: bytes = b"") -> None:
        self.beyond = beyond

    def selects(self, file: ChangedFile) -> bool:
        return True

    def cache_key(self, context: ReviewContext) -> bytes:
        return b"wide"

    def file_key(self, file: ChangedFile, context: ReviewContext) -> bytes:
        return self.beyond

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        return Review()


def context() -> MemoryContext:
    return MemoryContext({"a.py": ("1\n", "2\n"), "b.py": ("1\n", "2\n")})


def finding(file: str, **more: object) -> Finding:
    return Finding(
        file=file, line_start=1, severity=Severity.HIGH, category=Category.LOGIC, description="wrong", **more
    )  # type: ignore[arg-type]


def test_a_finding_is_known_again_only_while_what_it_depends_on_is_the_same() -> None:
    blobs, here = Blobs(), context()
    cache = FindingCache(blobs, Wide(b"one"), here)
    assert cache.known(here.change.files) == {}
    cache.keep(here.change.files, Review(findings=[finding("a.py")]))
    known = FindingCache(blobs, Wide(b"one"), here).known(here.change.files)
    assert [len(known[path].findings) for path in ("a.py", "b.py")] == [1, 0]
    assert FindingCache(blobs, Wide(b"two"), here).known(here.change.files) == {}


def test_a_finding_is_known_again_only_while_the_code_of_its_reviewer_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Path(__file__).read_bytes()
    path = tmp_path / "mine.py"
    path.write_bytes(source)
    monkeypatch.syspath_prepend(tmp_path)
    made = importlib.import_module("mine").Wide
    blobs, here = Blobs(), context()
    cache = FindingCache(blobs, made(), here)
    cache.known(here.change.files)
    cache.keep(here.change.files, Review())
    assert len(FindingCache(blobs, made(), here).known(here.change.files)) == 2
    path.write_bytes(source + b"\n# another rule\n")
    assert FindingCache(blobs, made(), here).known(here.change.files) == {}


def test_a_finding_elsewhere_is_kept_with_the_file_that_it_names() -> None:
    blobs, here = Blobs(), context()
    a = [file for file in here.change.files if file.path == "a.py"]
    place = Place(file="a.py", line_start=1, line_end=1)
    cache = FindingCache(blobs, Wide(), here)
    cache.known(a)
    cache.keep(a, Review(findings=[finding("b.py", related=(place,))]))
    assert [f.file for f in FindingCache(blobs, Wide(), here).known(a)["a.py"].findings] == ["b.py"]


def test_a_finding_elsewhere_that_names_no_file_keeps_nothing() -> None:
    blobs, here = Blobs(), context()
    a = [file for file in here.change.files if file.path == "a.py"]
    cache = FindingCache(blobs, Wide(), here)
    cache.known(a)
    cache.keep(a, Review(findings=[finding("b.py")]))
    assert not blobs.kept


def test_what_a_reviewer_takes_back_does_not_count() -> None:
    here = context()
    doubted = finding("a.py", status=IssueStatus.UNCONFIRMED, status_reason="the caller may check it")
    whole = finding("b.py", status=IssueStatus.DISMISSED, status_reason="no")
    outside = finding("a.py", line_end=1, side=Side.OLD, status=IssueStatus.DISMISSED)
    issues = to_issues([("wide", f) for f in (doubted, whole, outside)], here.change, here.text)
    assert [(issue.status, issue.status_reason) for issue in issues] == [
        (IssueStatus.UNCONFIRMED, "the caller may check it"),
        (IssueStatus.DISMISSED, None),
        (IssueStatus.DISMISSED, "no"),
    ]
