"""Findings as the issues that triage makes of them."""

from __future__ import annotations

from selfreview.model.issue import Finding, Issue
from selfreview.review.triage import to_issues
from selfreview.testing.context import MemoryContext

CONTEXT = MemoryContext({"a.py": (None, "one\ntwo\ntwo\nthree\n"), "b.py": (None, "one\n")})


def issues_of(*found: tuple[str, Finding]) -> list[Issue]:
    return to_issues(found, CONTEXT.change, CONTEXT.text)
