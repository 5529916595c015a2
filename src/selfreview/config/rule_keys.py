"""Keys about single rules of reviewers."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import Any

from selfreview.api import Key
from selfreview.config.tables import wrong_with
from selfreview.config.values import Problem, describe_type
from selfreview.model.issue import Severity

_SELECTOR = re.compile(r"[^\s,?\[\]]+")
_NO_SELECTOR = "must be a rule, a reviewer, or reviewer/rule, with * for any characters of the rule"


def _check_selectors(values: Sequence[str]) -> Problem | None:
    wrong = (index for index, value in enumerate(values) if not _SELECTOR.fullmatch(value))
    return next((Problem(_NO_SELECTOR, (index,)) for index in wrong), None)


def _check_select(values: Sequence[str]) -> Problem | None:
    return _check_selectors(values) or (None if values else Problem('must name something; "*" stands for all rules'))


def _check_per_file(table: Mapping[str, Any]) -> Problem | None:
    for pattern, values in table.items():
        reason = wrong_with(pattern) if pattern.strip() else "must stand below a pattern, not an empty string"
        if reason is None and pattern.startswith("!"):
            reason = "must stand below a pattern of files, not of others"
        if reason is None and not (isinstance(values, list) and all(isinstance(value, str) for value in values)):
            reason = f"must be a list of strings, not {describe_type(values)}"
        found = Problem(reason) if reason is not None else _check_selectors(values)
        if found is not None:
            return Problem(found, (pattern, *found.path))
    return None


def _check_severity(table: Mapping[str, Any]) -> Problem | None:
    for name, value in table.items():
        if not _SELECTOR.fullmatch(name):
            return Problem(_NO_SELECTOR, (name,))
        if value not in tuple(Severity):
            return Problem(f"must be one of {', '.join(Severity)}", (name,))
    return None


def _check_paths(values: Sequence[str]) -> str | None:
    for value in values:
        plain = value.strip("/")
        parts = plain.lower().split("/")
        outside = ".." in parts or ".git" in parts
        if value.startswith("/") or "\\" in value or outside or posixpath.normpath(plain) in ("", "."):
            return f"must be paths of folders or files within the repository, not {value!r}"
    return None


RULE_KEYS: tuple[Key, ...] = (
    Key(
        name="select",
        kind="list",
        default=["*"],
        check=_check_select,
        help="What is reported: rules, reviewers, or both as `reviewer/rule`, with `*` for any characters of the rule.",
    ),
    Key(
        name="ignore",
        kind="list",
        default=[],
        check=_check_selectors,
        help="What is not reported, as in `select`; of the two, what is more specific counts.",
    ),
    Key(
        name="per_file_ignores",
        kind="table",
        default={},
        check=_check_per_file,
        help="What is not reported in some files, as in `ignore`, by patterns as in `exclude`.",
    ),
    Key(
        name="severity",
        kind="table",
        default={},
        check=_check_severity,
        help="Severities of rules and reviewers, as in `select`, in place of those that reviewers give.",
    ),
    Key(
        name="rules_path",
        kind="list",
        default=[],
        check=_check_paths,
        help="Folders and files of the repository with ast-grep rules in YAML, which the reviewer `rules` applies too.",
    ),
)
"""Keys that decide what reviewers look for."""
