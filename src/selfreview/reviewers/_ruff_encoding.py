"""Python files that are not UTF-8, which ruff cannot read and does not report."""

from __future__ import annotations

import re
from collections.abc import Sequence

from selfreview.api import Category, ChangedFile, Finding, Review, ReviewContext, Severity, Side, SourceText
from selfreview.reviewers._state import state_of

RULE = "invalid-encoding"
UNREAD = "other-encoding"

_DECLARATION = re.compile(r"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_SURROGATE = re.compile(r"[\udc80-\udcff]")


def add_undecodable(review: Review, files: Sequence[ChangedFile], context: ReviewContext) -> None:
    """Add files that are not UTF-8 to a review.

    One that declares another encoding is valid Python and nothing that ruff can review, which is told: it may be the
    change's way around the review. One that declares none cannot be imported.
    """
    for file in files:
        text, old = context.text(file), context.text(file, Side.OLD)
        if text is None:
            continue
        if _declares_another(text):
            review.not_applicable.append(file.path)
            known = old is not None and not old.is_utf8 and _declares_another(old)
            review.findings.append(_unread(file, text, known=known))
            continue
        line = next((number for number, line in enumerate(text.lines, 1) if _SURROGATE.search(line)), 1)
        was_so = old is not None and not old.is_utf8 and not _declares_another(old)
        review.findings.append(
            Finding(
                file=file.path,
                line_start=line,
                line_end=line,
                severity=Severity.LOW if was_so else Severity.HIGH,
                category=Category.LOGIC,
                description="The file is not UTF-8 and declares no other encoding: Python refuses to import it.",
                suggested_fix="Save the file as UTF-8, or declare its encoding in the first line.",
                rule=RULE,
            )
        )


def _unread(file: ChangedFile, text: SourceText, *, known: bool) -> Finding:
    return Finding(
        file=file.path,
        line_start=0,
        severity=Severity.LOW if known else Severity.MEDIUM,
        category=Category.SECURITY,
        description="Ruff reads UTF-8 alone, so it has not reviewed this file, which declares another encoding.",
        suggested_fix="Save the file as UTF-8, and delete the declaration.",
        rule=UNREAD,
        evidence=state_of(text.text),
        unreviewed=not known,
    )


def _declares_another(text: SourceText) -> bool:
    for line in text.lines[:2]:
        declared = _DECLARATION.match(line)
        if declared:
            return declared[1].lower().replace("_", "-") not in ("utf-8", "utf8")
    return False
