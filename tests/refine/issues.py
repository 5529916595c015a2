"""Issues, as few words as they take."""

from __future__ import annotations

from typing import Any

from selfreview.api import Category, Issue, Severity, Side


def issue(name: str, line: int = 1, **more: Any) -> Issue:
    """Return an open issue; its fingerprint depends on its name."""
    values: dict[str, Any] = {
        "id": name,
        "severity": Severity.HIGH,
        "category": Category.LOGIC,
        "file": "app.py",
        "line_start": line,
        "line_end": line,
        "side": Side.NEW,
        "description": f"{name} is wrong",
        "reviewer": "marks",
        "rule": "wrong",
        "evidence": "x = 1",
        "fingerprint": f"v1:{name}",
    }
    return Issue(**{**values, **more})
