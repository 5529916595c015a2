from __future__ import annotations

from typing import Any

from selfreview.model.issue import Category
from selfreview.review.fingerprint import fingerprint

LINES = ["def f():", "    x = 1", "    return y", "", "z = 2"]


def mark(**changes: Any) -> str:
    fields: dict[str, Any] = {
        "reviewer": "ruff", "rule": "F821", "category": Category.LOGIC, "evidence": "    return y", "path": "a.py",
        "lines": LINES, "line_start": 3, "line_end": 3, "side": "new",
    }  # fmt: skip
    return fingerprint(**{**fields, **changes})


def test_lines_moving_change_nothing() -> None:
    moved = ["# a new comment", "import os", "", *LINES]
    assert mark(lines=moved, line_start=6, line_end=6) == mark()


def test_white_space_changes_nothing() -> None:
    spaced = [line.replace("    ", "\t") + "  " for line in LINES]
    assert mark(lines=spaced) == mark()


def test_each_part_counts() -> None:
    variants = [
        mark(),
        mark(reviewer="rules"),
        mark(rule="F822"),
        mark(path="b.py"),
        mark(side="old"),
        mark(occurrence=1),
        mark(lines=[*LINES[:2], "    return w", *LINES[3:]]),
        mark(line_start=0, line_end=0),
    ]
    assert len(set(variants)) == len(variants)


def test_without_a_rule_category_and_quote_stand_in() -> None:
    assert mark(rule=None) != mark(rule=None, evidence="another line")
    assert mark(rule=None) != mark(rule=None, category=Category.SECURITY)
    assert mark(rule=None) == mark(rule=None, evidence="return  y")
    assert mark() == mark(evidence="another line")


def test_what_a_gate_says_is_said_of_one_state_of_a_file() -> None:
    def of(evidence: str | None) -> str:
        return mark(reviewer="gate", rule="suppression", line_start=0, line_end=0, evidence=evidence)

    assert len({of("100644 a"), of("100644 b"), of(None)}) == 3


def test_what_a_rule_says_of_all_that_a_file_holds_is_said_of_one_state_of_it() -> None:
    def of(evidence: str | None, line: int = 0) -> str:
        return mark(reviewer="secrets", line_start=line, line_end=line, evidence=evidence)

    assert len({of("content a"), of("content b"), of(None)}) == 3
    assert of("content a", 1) == of("content b", 1)
