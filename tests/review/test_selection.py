"""Selection of rules by the settings: which selector counts, what it takes out, and what it never does."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from selfreview.model.change import Change, FileStatus
from selfreview.model.issue import CHECK_PREFIX, GATE, OWN, IssueStatus, Severity
from selfreview.review.marks import OwnMarks
from selfreview.review.selection import Selection, rank_of, regrade
from selfreview.testing.context import MemoryConfig, default_config, make_change
from tests.review.builders import make_finding, make_issue


def config(**values: Any) -> MemoryConfig:
    return MemoryConfig({**default_config(), **values})


def mark(change: Change | None = None, own: OwnMarks = OwnMarks.COUNT, /, **values: Any) -> str | None:
    issue = make_issue(reviewer="rules", rule="python-eval", file="app/a.py")
    found = Selection(config(**values), change or make_change({}), own).mark(issue)
    assert found is None or (found.status, found.merged) == (IssueStatus.SUPPRESSED, False)
    return found and found.reason


@pytest.mark.parametrize(
    ("selector", "meant"),
    [
        ("*", True),
        ("rules", True),
        ("rules/*", True),
        ("rules/python-eval", True),
        ("rules/python-*", True),
        ("python-eval", True),
        ("python-*", True),
        ("*-eval", True),
        ("p*n-*l", True),
        ("python-", False),
        ("python", False),
        ("Python-eval", False),
        ("ruff", False),
        ("ruff/*", False),
        ("ruff/python-eval", False),
        ("rules/python", False),
        ("r*", False),
    ],
)
def test_what_a_selector_means(selector: str, meant: bool) -> None:
    assert (rank_of(selector, "rules", "python-eval") is not None) is meant


def test_a_rule_may_have_a_slash_and_an_issue_may_have_no_rule() -> None:
    assert rank_of("Security/Eval", "rubocop", "Security/Eval")
    assert rank_of("rubocop/Security/*", "rubocop", "Security/Eval")
    assert rank_of("Security/*", "rubocop", "Security/Eval")
    assert [rank_of(name, "claude", None) is not None for name in ("*", "claude", "claude/*", "c*", "claude/x*")] == [
        True,
        True,
        True,
        False,
        False,
    ]


def test_the_order_from_the_least_specific_to_the_most() -> None:
    order = ["*", "rules", "*-eval", "p*", "rules/p*", "python-*", "rules/python-*", "python-eval", "rules/python-eval"]
    ranks = [rank_of(name, "rules", "python-eval") or (-1, 0, False) for name in order]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) == len(ranks)


@pytest.mark.parametrize(
    ("select", "ignore", "why"),
    [
        (["*"], [], None),
        (["rules"], [], None),
        (["ruff", "python-e*"], [], None),
        (["ruff", "secrets"], [], "not selected by select (command line)"),
        (["*"], ["*"], 'ignored by ignore = ["*"] (command line)'),
        (["*"], ["python-*"], 'ignored by ignore = ["python-*"] (command line)'),
        (["*"], ["rules", "python-*"], 'ignored by ignore = ["python-*"] (command line)'),
        (["*", "python-eval"], ["python-*", "rules"], None),
        (["*", "python-*"], ["python-eval"], 'ignored by ignore = ["python-eval"] (command line)'),
        (["python-eval"], ["python-eval"], 'ignored by ignore = ["python-eval"] (command line)'),
        (["rules"], ["*"], None),
    ],
)
def test_the_more_specific_of_select_and_ignore_counts(select: list[str], ignore: list[str], why: str | None) -> None:
    assert mark(select=select, ignore=ignore) == why


def test_what_is_ignored_in_some_files_stays_in_others() -> None:
    why = "ignored by per_file_ignores.'/app/' = [\"python-*\"] (command line)"
    assert mark(per_file_ignores={"/app/": ["ruff", "python-*"]}) == why
    assert mark(per_file_ignores={"/app/": ["ruff"], "/tests/": ["python-*"]}) is None
    assert mark(per_file_ignores={"*.py": ["python-*"]}, select=["python-eval"]) is not None  # as in ruff


@pytest.mark.parametrize("own", list(OwnMarks))
def test_a_name_that_the_change_gives_a_file_counts_as_its_own_word(own: OwnMarks) -> None:
    change = make_change({"app/a.py": ("x = 1\n", "x = 2\n")})
    (file,) = change.files
    for old, counts in (("app/b.py", True), ("lib/a.py", own is not OwnMarks.IGNORE)):
        renamed = msgspec.structs.replace(file, old_path=old, status=FileStatus.RENAMED)
        moved = msgspec.structs.replace(change, files=(renamed,))
        assert (mark(moved, own, per_file_ignores={"/app/": ["rules"]}) is not None) is counts


@pytest.mark.parametrize(
    "fields",
    [
        {"reviewer": GATE, "rule": "suppression"},
        {"reviewer": f"{CHECK_PREFIX}test", "rule": "test"},
        {"reviewer": "rules", "rule": "python-eval", "unreviewed": True},
    ],
    ids=["gate", "check", "unreviewed"],
)
def test_what_no_setting_takes_out(fields: dict[str, Any]) -> None:
    nothing = config(select=["none"], ignore=["*"], per_file_ignores={"*": ["*"]})
    assert Selection(nothing, make_change({}), OwnMarks.COUNT).mark(make_issue(**fields)) is None


def graded(reviewer: str = "rules", table: dict[str, str] | None = None, **fields: Any) -> Severity:
    finding = make_finding(**{"rule": "python-eval", **fields})
    ((name, after),) = regrade([(reviewer, finding)], config(severity=table or {}))
    assert name == reviewer
    return after.severity


def test_the_most_specific_severity_counts_and_of_equals_the_worst() -> None:
    assert graded() is Severity.MEDIUM
    assert graded(table={"ruff": "low", "python-x": "low"}) is Severity.MEDIUM
    assert graded(table={"*": "low", "rules": "high"}) is Severity.HIGH
    assert graded(table={"rules": "high", "python-eval": "suggestion", "python-*": "low"}) is Severity.SUGGESTION
    assert graded(table={"*-eval": "low", "*eval": "critical", "*l": "low"}) is Severity.CRITICAL
    assert graded(OWN, {"unused-suppression": "high"}, rule="unused-suppression") is Severity.HIGH


def test_each_finding_of_several_has_its_severity() -> None:
    found = [(name, make_finding(rule="python-eval")) for name in (GATE, "rules", "ruff", "rules")]
    severities = [finding.severity.value for _, finding in regrade(found, config(severity={"rules": "low"}))]
    assert severities == ["medium", "low", "medium", "low"]


def test_whose_severity_stays() -> None:
    assert graded(GATE, {"*": "low"}) is Severity.MEDIUM
    assert graded(table={"*": "low"}, unreviewed=True) is Severity.MEDIUM
