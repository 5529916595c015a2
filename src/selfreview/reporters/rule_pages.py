"""Documentation of rules: the address of a rule's page, and the texts of the embedded pack."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from selfreview.model.issue import Issue
from selfreview.text.layout import fold

if TYPE_CHECKING:
    from selfreview.rules import Rule

_PAGES = (
    ("ruff", r"[A-Z]{1,5}[0-9]{3,4}", "https://docs.astral.sh/ruff/rules/{rule}/"),  # redirects from code to name
    ("shellcheck", r"SC[0-9]{4}", "https://www.shellcheck.net/wiki/{rule}"),
    ("hadolint", r"DL[0-9]{4}", "https://github.com/hadolint/hadolint/wiki/{rule}"),
    ("hadolint", r"SC[0-9]{4}", "https://www.shellcheck.net/wiki/{rule}"),
    ("zizmor", r"(?!invalid$)[a-z]+(?:-[a-z]+)*", "https://docs.zizmor.sh/audits/#{rule}"),
)
PACK = "rules"
"""The reviewer whose rules have texts of their own."""


def rule_id(issue: Issue) -> str:
    """Return ``reviewer/rule``; the category stands in where there is no rule, as from a model."""
    return fold(f"{issue.reviewer}/{issue.rule or issue.category.value}")


def page(issue: Issue) -> str | None:
    """Return the address of the page that documents an issue's rule, or None where there is none that is known."""
    for reviewer, pattern, address in _PAGES:
        if issue.reviewer == reviewer and issue.rule is not None and re.fullmatch(pattern, issue.rule):
            return address.format(rule=issue.rule)
    return None


def pack(issues: Iterable[Issue]) -> Mapping[str, Rule]:
    """Return the embedded pack's rules by id; empty, and nothing is loaded, where none of the issues needs them."""
    if not any(issue.reviewer == PACK for issue in issues):
        return {}
    from selfreview.rules import load_all

    return {rule.id: rule for rule in load_all()}
