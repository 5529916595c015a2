"""The rules that ruff lists, with the severities that they have here."""

from __future__ import annotations

import sys
from pathlib import Path

from selfreview.api import Category, Severity
from selfreview.reviewers.ruff import RuffReviewer
from selfreview.reviewers.ruff.rules import BUGS


def test_every_rule_of_ruff_is_listed_with_what_it_is_here() -> None:
    listed = {rule.id: rule for rule in RuffReviewer().rules()}
    assert len(listed) > 700
    assert set(BUGS) <= set(listed)
    assert {rule: listed[rule].severity for rule in BUGS} == {rule: severity for rule, (severity, _) in BUGS.items()}
    found = listed["S506"]
    assert (found.severity, found.category, found.languages) == (Severity.HIGH, Category.SECURITY, ("python",))
    assert found.summary.endswith("A document can make any object and run code.")
    assert found.url == "https://docs.astral.sh/ruff/rules/unsafe-yaml-load/"
    assert "yaml.load" in (found.bad[0].code or "")
    assert "safe_load" in (found.good[0].code or "")


def test_a_ruff_that_cannot_list_its_rules_lists_none(tmp_path: Path) -> None:
    old = tmp_path / "ruff"
    old.write_text(f"#!{sys.executable}\nraise SystemExit(2)\n")
    old.chmod(0o755)
    assert RuffReviewer(old).rules() == []
