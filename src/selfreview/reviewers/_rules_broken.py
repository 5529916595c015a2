"""Code that the grammar of its language does not understand since a change."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from selfreview.api import ChangedFile, Finding, SourceText
from selfreview.model.change import LineRange
from selfreview.reviewers._rules_php import php_only
from selfreview.reviewers._rules_text import Parseable, parseable
from selfreview.rules import Rule
from selfreview.rules.parsing import parse
from selfreview.rules.scripts import language_before

if TYPE_CHECKING:
    from ast_grep_py import SgNode

LONGEST = 500_000
"""Characters of a text above which nobody wrote it."""
_MOST = 500

_SCRIPT = (
    r"(?:^|[<,])\s*(?:const\s+)?(?:in|out)\s|\baccessor\b|\bas\b"
    r"|\b(?:import|export)\s+(?:type|defer|source|default\s+(?:async\s+)?function)\b|\bassert\b|\bimport\("
)
_LATER = {
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "tsx": _SCRIPT,
    "java": r"\bimport\s+module\b|\b(?:this|super)\s*\(",
    "php": r"\(void\)|(?i:\bclone\s*\(|\bclass\s+readonly\b)|\$\w+\{",
    "ruby": r"\$[^\w\s]",
}
"""What of a language its grammar does not know, though compilers do: it may stand on the line of an error."""
_FILLED_IN = r"\{\{-?\s*[\w.$]+[^{}]*\}\}"
_OTHER = re.compile(r"<%[=\s-]|\{%|@(?:no)?flow\b|__halt_compiler", re.IGNORECASE)
"""What makes a text one of another language: a template, or JavaScript with types."""


def may_be_judged(language: str, parsed: Parseable) -> bool:
    """Say whether errors in a text mean something: its grammar is exact, and the parser gets the whole of it."""
    from selfreview.rules.common.limits import EXACT

    short = sum(map(len, parsed.lines)) <= LONGEST
    return short and language in EXACT and not parsed.left_out and not parsed.long


def broken(
    rule: Rule, file: ChangedFile, language: str, root: SgNode, *, new: SourceText, old: SourceText | None
) -> Iterator[Finding]:
    """Yield the first place that a change breaks, unless something was broken before.

    Args:
        rule: What to say.
        file: The file.
        language: Its language.
        root: Root of what it was parsed to.
        new: Its text.
        old: Its text before the change, or None where there was none.
    """
    if root.find(kind="ERROR") is None:
        return
    errors = _errors(language, new)
    place = _first(errors, _changed(file))
    if place is None or not _means_something(language, new, errors):
        return
    if old is not None and ((before := language_before(file, old)) is None or _errors(before, old)):
        return
    yield Finding(
        file=file.path,
        line_start=place,
        line_end=place,
        severity=rule.severity,
        category=rule.category,
        description=rule.message,
        suggested_fix=rule.suggestion,
        rule=rule.id,
    )


def _errors(language: str, source: SourceText) -> list[LineRange]:
    """Return the lines of what the grammar does not understand."""
    text = "\n".join(parseable(source).lines)
    if language == "php":
        text = php_only(text)
    found = (node.range() for node in parse(text, language).find_all(kind="ERROR"))
    return [LineRange(span.start.line + 1, span.end.line + 1) for span in found]


def _means_something(language: str, source: SourceText, errors: Sequence[LineRange]) -> bool:
    """Say whether a text is all of its language, and of no later version than the grammar."""
    if _OTHER.search(source.text) is not None or (language == "php" and "<?" not in source.text):
        return False
    later = re.compile("|".join(filter(None, (_LATER.get(language), _FILLED_IN))))
    return len(errors) <= _MOST and not any(later.search(source.line(error.first)) for error in errors)


def _changed(file: ChangedFile) -> list[LineRange]:
    """Return the lines of the new side that a change touches; of a removal, those around it."""
    return [
        LineRange(span.new_start, span.new_start + max(span.new_count - 1, not span.new_count)) for span in file.spans
    ]


def _first(errors: Sequence[LineRange], changed: Sequence[LineRange]) -> int | None:
    """Return where the smallest error on or next to changed lines begins, or the change in it; None without one."""
    for error in sorted(errors, key=lambda error: (error.size, error.first)):
        for lines in changed:
            if lines.first <= error.last + 1 and error.first - 1 <= lines.last:
                return min(max(error.first, lines.first), error.last)
    return None
