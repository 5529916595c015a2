"""Validation of ``max_issues`` and ``baseline``."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Any

from selfreview.config.values import Problem
from selfreview.model.issue import Category, Severity

_TOTAL = "total"
_NAMES = (_TOTAL, *(severity.value for severity in Severity), *(category.value for category in Category))


def check_max_issues(value: Mapping[str, Any]) -> Problem | None:
    """Return the error in the ``max_issues`` table, or None."""
    for name, most in value.items():
        if name not in _NAMES:
            from selfreview.plugins.names import did_you_mean

            return Problem(
                f"is no severity and no category; there are {', '.join(_NAMES)}", (name,), did_you_mean(name, _NAMES)
            )
        if isinstance(most, bool) or not isinstance(most, int) or most < 0:
            return Problem("must be a number of issues, 0 or more", (name,))
    return None


def check_baseline(value: str) -> Problem | None:
    """Return the error in the name of a baseline, or None."""
    inside = value.strip() and posixpath.normpath(value) == value and not value.startswith(("/", "..", ".git/"))
    return None if inside and "\\" not in value else Problem("must be a file's path from the repository's top level")
