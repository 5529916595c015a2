"""Small values to test the engine's parts with."""

from __future__ import annotations

from typing import Any

from selfreview.model.issue import Category, Finding, Issue, Severity, Side


def make_issue(**fields: Any) -> Issue:
    defaults: dict[str, Any] = {
        "id": "sr-00000000",
        "severity": Severity.MEDIUM,
        "category": Category.LOGIC,
        "file": "a.py",
        "line_start": 1,
        "line_end": 1,
        "side": Side.NEW,
        "description": "something is wrong here",
        "reviewer": "one",
        "fingerprint": "v1:" + "0" * 32,
    }
    return Issue(**{**defaults, **fields})


def make_finding(**fields: Any) -> Finding:
    defaults: dict[str, Any] = {
        "file": "a.py",
        "line_start": 1,
        "severity": Severity.MEDIUM,
        "category": Category.LOGIC,
        "description": "something is wrong here",
    }
    return Finding(**{**defaults, **fields})
