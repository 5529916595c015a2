"""The rules that a log's results are of, as GitHub reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from selfreview.model.issue import Category, Issue, Severity
from selfreview.reporters.rule_pages import PACK, pack, page
from selfreview.reporters.sarif.results import LEVELS, SECURITY
from selfreview.text.layout import fold
from selfreview.text.markdown import code, plain

if TYPE_CHECKING:
    from selfreview.rules import Rule

_PROBLEM = {"error": "error", "warning": "warning", "note": "recommendation"}
"""GitHub's word for a level, for rules that are not about security."""


def rules(names: Iterable[str], issues: Iterable[Issue]) -> list[dict[str, Any]]:
    """Return each rule once, in the order of the issues.

    Args:
        names: The rule's id in the log for each issue.
        issues: The issues.
    """
    by_rule: dict[str, list[Issue]] = {}
    for name, issue in zip(names, issues, strict=True):
        by_rule.setdefault(name, []).append(issue)
    texts = pack(group[0] for group in by_rule.values())
    return [_rule(name, group, texts) for name, group in by_rule.items()]


def _rule(name: str, issues: list[Issue], texts: Mapping[str, Rule]) -> dict[str, Any]:
    first = issues[0]
    worst = max((issue.severity for issue in issues), key=lambda severity: severity.rank)
    known = texts.get(first.rule or "") if first.reviewer == PACK else None
    level = LEVELS[worst]
    described: dict[str, Any] = {
        "id": name,
        "name": _pascal(fold(first.rule or f"{first.reviewer}-{first.category.value}")),
        "shortDescription": {"text": _short(first, known)},
        "help": _help(name, first, known),
        "defaultConfiguration": {"level": level},
        "properties": _properties(issues, level),
    }
    address = page(first)
    if address is not None:
        described["helpUri"] = address
    return described


def _short(first: Issue, known: Rule | None) -> str:
    if known is not None:
        return _general(known.message)
    if first.rule is None:
        return f"{first.category.value.capitalize()}, as the reviewer {fold(first.reviewer)} sees it."
    return f"{fold(first.rule)}, reported by {fold(first.reviewer)}."


def _help(name: str, first: Issue, known: Rule | None) -> dict[str, str]:
    if known is not None:
        parts = (_general(known.message), known.suggestion)
        text, markdown = "\n\n".join(parts), "\n\n".join(map(plain, parts))
        example = next((bad for bad in known.bad if isinstance(bad, str)), None)
        if example is not None and "```" not in example:
            markdown += f"\n\nReported, for example:\n\n```\n{_dedented(example)}\n```"
        return {"text": text, "markdown": markdown}
    address = page(first)
    if address is not None:
        return {"text": f"{name}: see {address}", "markdown": f"{code(name)}: see <{address}>"}
    said = "The message of each result says what is wrong and what to do."
    return {"text": f"{name}: {said}", "markdown": f"{code(name)}: {said}"}


def _general(message: str) -> str:
    """Return the message of a rule without the name that an issue of it puts in."""
    return message.replace("The test {name}", "The test").replace("{name}", "The function")


def _dedented(example: str) -> str:
    from textwrap import dedent

    return dedent(example).replace("  <--", "").strip("\n")


def _properties(issues: list[Issue], level: str) -> dict[str, Any]:
    categories = sorted({issue.category.value for issue in issues})
    dangerous = [issue.severity for issue in issues if issue.category is Category.SECURITY]
    properties: dict[str, Any] = {"tags": categories, "problem.severity": _PROBLEM[level]}
    if dangerous:
        properties["security-severity"] = SECURITY[max(dangerous, key=_rank)]
    return properties


def _rank(severity: Severity) -> int:
    return severity.rank


def _pascal(name: str) -> str:
    """Return ``PythonEval`` for ``python-eval``; codes such as ``F821`` stay."""
    return "".join(part[:1].upper() + part[1:] for part in name.replace("_", "-").split("-"))
