"""zizmor: real where it is installed, and by recorded output everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from selfreview.api import Category, ReviewerStatus, Severity
from selfreview.errors import ToolError
from selfreview.model.change import ChangedFile, FileStatus
from selfreview.reviewers.tools.program import find_program
from selfreview.reviewers.tools.reviewer import ToolReviewer
from selfreview.reviewers.zizmor import RECORD
from tests.reviewers.fakes import key, only, printer, program, rules, run, under

ZIZMOR = ToolReviewer(RECORD)
real = pytest.mark.skipif(find_program("zizmor") is None, reason="zizmor is not installed")
PATH = ".github/workflows/a.yml"
GOOD = "on: push\npermissions: {}\njobs:\n  x:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo hi\n"
BAD = (
    "on: pull_request_target\npermissions: {}\njobs:\n  x:\n    runs-on: ubuntu-latest\n    steps:\n"
    "      - uses: actions/checkout@v4\n      - run: echo 'ä😀' ${{ github.event.pull_request.title }}\n"
)
REFUSAL = (
    "fatal: no audit was performed\\nfailed to load file://.github/workflows/a.yml as workflow\\n\\nCaused by:\\n"
    "    0: invalid YAML syntax: no end at line 3 column 1\\n    1: no end\\n\\nStack backtrace:\\n   0: x"
)


def audit(ident: str, severity: str = "High", confidence: str = "High", **extra: Any) -> dict[str, Any]:
    """Make an audit as zizmor prints it."""
    determinations = {"severity": severity, "confidence": confidence, "persona": "Regular"}
    locations = [location("Hidden", 0, 20), location("Primary", 1, 1), location("Related", 0, 30)]
    return {
        "ident": ident,
        "desc": "it is bad",
        "determinations": determinations,
        "locations": locations,
        "ignored": False,
        **extra,
    }


def location(kind: str, first: int, last: int) -> dict[str, Any]:
    """Make a location on lines counted from 0."""
    symbolic = {"key": {"Local": {"verbatim_path": PATH}}, "annotation": f"the {kind}", "kind": kind}
    points = {"start_point": {"row": first, "column": 2}, "end_point": {"row": last, "column": 5}}
    return {"symbolic": symbolic, "concrete": {"location": points}}


@pytest.mark.parametrize(
    ("path", "selected"),
    [
        (PATH, True),
        (".github/workflows/a.yaml", True),
        ("action.yml", True),
        ("x/y/action.yaml", True),
        (".github/workflows/sub/a.yml", False),
        ("x/.github/workflows/a.yml", False),
        ("reaction.yml", False),
        (".github/dependabot.yml", False),
    ],
)
def test_takes_workflows_and_actions(path: str, selected: bool) -> None:
    assert ZIZMOR.selects(ChangedFile(path=path)) is selected
    assert not ZIZMOR.selects(ChangedFile(path=path, status=FileStatus.DELETED))


@pytest.mark.parametrize(
    ("ident", "severity", "confidence", "expected"),
    [
        ("template-injection", "High", "High", "high"),
        ("template-injection", "High", "Medium", "high"),
        ("template-injection", "High", "Low", "low"),
        ("template-injection", "Medium", "High", "medium"),
        ("template-injection", "Informational", "High", "suggestion"),
        ("unpinned-uses", "High", "High", "low"),
        ("unpinned-uses", "Informational", "High", "suggestion"),
        ("template-injection", "unheard-of", "High", "low"),
    ],
)
def test_severities(tmp_path: Path, ident: str, severity: str, confidence: str, expected: str) -> None:
    tool = printer(tmp_path, [audit(ident, severity, confidence)])
    found = only(run(ToolReviewer(RECORD, tool), {PATH: BAD}), ident)
    assert (found.severity, found.category) == (expected, Category.SECURITY)


def test_places_and_words(tmp_path: Path) -> None:
    found = only(run(ToolReviewer(RECORD, printer(tmp_path, [audit("x")])), {PATH: BAD}), "x")
    assert (found.file, found.line_start, found.line_end, found.column) == (PATH, 2, 2, 3)
    assert found.description == "it is bad: the Primary"
    assert [(p.line_start, p.line_end, p.note) for p in found.related] == [(1, 1, "the Related")]  # not a whole job


def test_what_is_ignored_is_no_finding(tmp_path: Path) -> None:
    assert rules(run(ToolReviewer(RECORD, printer(tmp_path, [audit("x", ignored=True)])), {PATH: BAD})) == []


def test_an_audit_without_a_place_is_about_the_tree(tmp_path: Path) -> None:
    review = run(ToolReviewer(RECORD, printer(tmp_path, [audit("x", locations=[])])), {PATH: BAD})
    assert [(f.file, f.line_start) for f in review.findings] == [(".", 0)]


def test_a_file_that_it_refuses_is_a_finding(tmp_path: Path) -> None:
    tool = program(tmp_path, f"sys.stderr.write('{REFUSAL}'); sys.exit(1)")
    found = only(run(ToolReviewer(RECORD, tool), {PATH: "x\ny\nz\n"}), "invalid")
    assert (found.line_start, found.severity, found.category) == (3, Severity.MEDIUM, Category.LOGIC)
    assert found.description == (
        "GitHub Actions will refuse this file: invalid YAML syntax: no end at line 3 column 1 no end"
    )


@pytest.mark.parametrize("said", ["configuration error", "", "thread panicked"])
def test_failing_otherwise_is_a_failure(tmp_path: Path, said: str) -> None:
    tool = program(tmp_path, f"sys.stderr.write({said!r}); sys.exit(1)")
    with pytest.raises(ToolError, match=f"zizmor failed: {said}"):
        run(ToolReviewer(RECORD, tool), {PATH: BAD})


def test_a_name_that_it_cannot_take_was_not_reviewed(tmp_path: Path) -> None:
    path = ".github/workflows/\udcff.yml"
    review = run(ToolReviewer(RECORD, printer(tmp_path, [])), {path: BAD, PATH: BAD})
    assert list(review.unreviewed) == [path]


def test_without_it_the_review_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("selfreview.reviewers.tools.program.find_program", lambda name: None)
    review = run(ZIZMOR, {PATH: BAD})
    assert (review.status, review.hint) == (ReviewerStatus.SKIPPED, "pip install zizmor")


@real
class TestReal:
    def test_findings(self) -> None:
        review = run(ZIZMOR, {PATH: BAD})
        assert {"dangerous-triggers", "template-injection", "unpinned-uses"} <= set(rules(review))
        found = only(review, "template-injection")
        assert found.severity is Severity.HIGH
        assert under(found, BAD).startswith("github.event.pull_request.title")
        assert only(review, "unpinned-uses").severity is Severity.LOW

    def test_a_good_workflow_has_none(self) -> None:
        assert rules(run(ZIZMOR, {PATH: GOOD})) == []

    @pytest.mark.parametrize("broken", ["on: push\njobs: [x\n", "on: push\njobs: 3\n", "x: 1\n", ""])
    def test_a_file_that_it_refuses_does_not_hide_another(self, broken: str) -> None:
        review = run(ZIZMOR, {".github/workflows/z.yml": broken, PATH: BAD})
        assert only(review, "invalid").file == ".github/workflows/z.yml"
        assert "template-injection" in rules(review, PATH)

    def test_an_action_file_that_it_refuses_may_be_something_else(self) -> None:
        review = run(ZIZMOR, {"ansible/action.yml": "- hosts: all\n", PATH: BAD})
        assert review.not_applicable == ["ansible/action.yml"]
        assert "invalid" not in rules(review)
        assert "template-injection" in rules(review, PATH)

    def test_its_configuration_counts(self) -> None:
        others = {".github/zizmor.yml": "rules: {template-injection: {ignore: [a.yml]}}\n"}
        review = run(ZIZMOR, {PATH: BAD}, others=others)
        assert "template-injection" not in rules(review)
        assert "dangerous-triggers" in rules(review)
        assert key(ZIZMOR, {PATH: BAD}) != key(ZIZMOR, {PATH: BAD}, others=others)

    def test_a_broken_one_is_a_failure(self) -> None:
        with pytest.raises(ToolError, match="configuration"):
            run(ZIZMOR, {PATH: BAD}, others={".github/zizmor.yml": "rules: [\n"})

    @pytest.mark.parametrize("name", ["-x", "a b", "ä😀", "a[1]*"])
    def test_any_name_is_reviewed(self, name: str) -> None:
        path = f".github/workflows/{name}.yml"
        assert {f.file for f in run(ZIZMOR, {path: BAD}).findings} == {path}
        assert {f.file for f in run(ZIZMOR, {f"-{name}/action.yml": ACTION}).findings} == {f"-{name}/action.yml"}


ACTION = "name: x\nruns:\n  using: composite\n  steps:\n    - run: echo ${{ inputs.x }}\n      shell: bash\n"
