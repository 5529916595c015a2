"""A change, and what a model may answer about it."""

from __future__ import annotations

import json
from typing import Any

OLD = "def mean(values):\n    if not values:\n        return 0\n    return sum(values) / len(values)\n"
NEW = "def mean(values):\n    return sum(values) / len(values)\n"
CLEAN = json.dumps({"issues": [], "summary": "Nothing.", "verdict": "pass"})


def issue(**more: Any) -> dict[str, Any]:
    return {
        "file": "app.py",
        "lineStart": 2,
        "lineEnd": 2,
        "evidence": "        return 0",
        "failure": "mean([]) -> ZeroDivisionError -> should be 0",
        "description": "The guard against an empty list is gone.",
        "severity": "high",
        "category": "logic",
        "suggestedFix": "Keep the guard.",
        "confidence": 0.9,
    } | more


def found(*issues: dict[str, Any], verdict: str = "needs_work") -> str:
    return json.dumps({"issues": list(issues), "summary": "One.", "verdict": verdict})


def judged(answer: str, evidence: str = "return sum(values) / len(values)") -> str:
    return json.dumps({"judgements": [{"index": 1, "reason": "traced", "evidence": evidence, "answer": answer}]})
