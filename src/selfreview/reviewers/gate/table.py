"""List of what a gate says of a change to its own review."""

from __future__ import annotations

from selfreview.api import Category, RuleInfo, Severity

_PERSON = "A person has to look at it."


def _rule(name: str, severity: Severity, summary: str, advice: str = _PERSON) -> RuleInfo:
    return RuleInfo(id=name, severity=severity, category=Category.SECURITY, summary=summary, advice=advice)


RULES = (
    _rule(
        "own-configuration",
        Severity.LOW,
        "The change edits how selfreview reviews: this gate used the base's version, the next will use this.",
    ),
    _rule(
        "tool-configuration",
        Severity.LOW,
        "The change edits what linters, type checkers or tests look at: reviewers used the base's version.",
    ),
    _rule("ci-workflow", Severity.LOW, "The change edits what CI runs, which may be this gate itself."),
    _rule(
        "broken-settings",
        Severity.CRITICAL,
        "The change breaks selfreview's settings, which would stop every later gate.",
        "Fix the file: selfreview config says what is wrong with it.",
    ),
    _rule(
        "outside-settings",
        Severity.CRITICAL,
        "The change has ruff's settings extend what is no file of the repository: no later gate would use them.",
        "Extend a file of the repository.",
    ),
    _rule("suppression", Severity.HIGH, "The change silences a tool in its own review."),
    _rule(
        "too-large",
        Severity.MEDIUM,
        "Nobody reviewed this file: it is too large.",
        "Raise max_file_bytes, or name the file in exclude, on the base.",
    ),
    _rule(
        "unreadable",
        Severity.MEDIUM,
        "Nobody reviewed this file: it is binary or a pointer, though it is text to whoever runs or reads it.",
        "Commit the text itself, or have a person look at it.",
    ),
    _rule(
        "linked-code",
        Severity.MEDIUM,
        "A symbolic link stands for code or settings: under this name, nobody reviewed it.",
        "Put the file itself here, or have a person look at it.",
    ),
    _rule(
        "converted-text",
        Severity.HIGH,
        "The change has git check out another text than was reviewed.",
        "Store files as they are to be used.",
    ),
    _rule("submodule", Severity.LOW, "The change takes another state of a submodule: nobody reviewed what is there."),
)
"""By id; no setting turns one off."""
