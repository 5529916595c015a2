"""Ruff's list of its rules, as ``ruff rule --all`` prints it, with the severities that they have here."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from selfreview.api import Category, RuleExample, RuleInfo, Severity
from selfreview.errors import ToolError
from selfreview.proc import Runner
from selfreview.reviewers.ruff import rules
from selfreview.reviewers.ruff.run import RULE, UNREAD

_SECONDS = 30.0
_DOCS = "https://docs.astral.sh/ruff/rules/"
_SECTION = re.compile(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
_HOLE = re.compile(r"`?\{[^{}`]*\}`?")
"""Stands in a message for what differs from finding to finding."""
_FOLDED = re.compile(r"(?<!\n)\n(?![\n\-*`#>|])")
"""Line break within a paragraph."""
_EXAMPLES = ("Example", "Examples")

_OWN = (
    RuleInfo(
        id=RULE,
        severity=Severity.HIGH,
        category=Category.LOGIC,
        summary="The file is not UTF-8 and declares no other encoding: Python refuses to import it.",
        advice="Save the file as UTF-8, or declare its encoding in the first line.",
        languages=("python",),
    ),
    RuleInfo(
        id=UNREAD,
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        summary="Ruff reads UTF-8 alone, so it has not reviewed this file, which declares another encoding.",
        advice="Save the file as UTF-8, and delete the declaration.",
        languages=("python",),
        unreviewed=True,
    ),
    RuleInfo(
        id=rules.SYNTAX_ERROR,
        severity=rules.severity(rules.SYNTAX_ERROR),
        category=rules.category(rules.SYNTAX_ERROR),
        summary="The file is not valid Python.",
        languages=("python",),
    ),
)
"""What the reviewer says without a rule of ruff's."""


class _Listed(msgspec.Struct, frozen=True):
    """One rule in ruff's list."""

    name: str
    code: str | None = None
    summary: str = ""
    explanation: str = ""
    fix_availability: str = "None"


def listed(program: Path) -> list[RuleInfo]:
    """Return the rules that a program of ruff lists, in its order; none where it cannot list them."""
    try:
        done = Runner().run(
            [str(program), "rule", "--all", "--output-format", "json"], cwd=program.parent, timeout=_SECONDS
        )
        found = msgspec.json.decode(done.stdout, type=list[_Listed])
    except (ToolError, msgspec.DecodeError):
        return []
    return [*_OWN, *map(_info, found)]


def _info(rule: _Listed) -> RuleInfo:
    name = rule.code or rule.name
    sections = dict(_SECTION.findall(rule.explanation))
    code = [part for title in _EXAMPLES for part in _CODE.findall(sections.get(title, ""))]
    return RuleInfo(
        id=name,
        severity=rules.severity(name),
        category=rules.category(name),
        summary=_HOLE.sub("…", rules.description(name, rule.summary)),
        why=_FOLDED.sub(" ", sections.get("Why is this bad?", "").strip()) or None,
        languages=("python",),
        bad=tuple(RuleExample("example.py", text) for text in code[:1]),
        good=tuple(RuleExample("example.py", text) for text in code[1:2]),
        tested=False,  # they are about settings, too
        has_fix=rule.fix_availability != "None",
        url=f"{_DOCS}{rule.name}/",
    )
