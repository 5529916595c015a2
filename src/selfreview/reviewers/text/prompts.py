"""Text that addresses an automated reviewer instead of the program or its readers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from selfreview.reviewers.text.checks import Hit

_MACHINE = r"(?:AI|LLM|GPT|Claude|Copilot|Gemini|automated|automatic|bot|machine|model|code[- ]review)"
_PATTERNS = (
    re.compile(
        r"\b(?:ignore|disregard|forget|override)\s+(?:all\s+|any\s+|every\s+|of\s+|the\s+|your\s+|these\s+|my\s+){0,5}"
        r"(?:previous|prior|above|earlier|preceding|existing|system)\s+(?:\w+\s+)?"
        r"(?:instructions?|prompts?|rules?|directions?|guidelines?|messages?)\b",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:note|message|instructions?|attention|hint|reminder)\s+(?:to|for)\s+(?:the\s+|any\s+|all\s+)?"
        rf"(?:{_MACHINE}\s+){{1,4}}(?:code\s+)?(?:reviewers?|assistants?|agents?|tools?|models?)\b",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:{_MACHINE}\s+){{1,4}}(?:code\s+)?reviewers?\b.{{0,80}}"
        r"\b(?:approve|do\s+not\s+(?:flag|report|mention|comment)|don't\s+(?:flag|report|mention|comment)|"
        r"ignore|skip|pass(?:es)?\s+the\s+review|mark\s+(?:it|this|as))\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"\byou\s+are\s+(?:now\s+)?(?:the\s+|an?\s+)?(?:\w+\s+){0,2}reviewer\b.{0,120}"
        r"\b(?:approve|lgtm|no\s+issues?|do\s+not\s+(?:flag|report))\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:respond|reply|answer|return|output|say)\s+(?:only\s+)?(?:with\s+)?[\"'`]?"
        r"(?:no\s+issues?(?:\s+found)?|lgtm|approved?|pass)[\"'`]?\s+(?:to|for|on|in)\s+(?:this|the|your|any)\s+"
        r"(?:review|diff|change|pull\s+request|pr|commit|file)\b",
        re.IGNORECASE,
    ),
)
_VERBS = frozenset(
    """
    ignore disregard forget override respond reply answer return output say note message attention hint reminder
    instruction reviewer
    """.split()  # noqa: SIM905 - a table to read
)
_OBJECTS = frozenset(
    """
    review instruction prompt rule direction guideline message assistant agent tool model diff change request commit
    file pr
    """.split()  # noqa: SIM905
)
"""Lower-case words: every pattern needs one of each."""
_LONGEST = 2_000


def instructions(lines: Sequence[str]) -> Iterator[Hit]:
    """Yield lines that tell a reviewer what to conclude; very long lines are data, not sentences."""
    for number, line in enumerate(lines, 1):
        low = line.lower()
        if len(line) > _LONGEST or not any(word in low for word in _VERBS) or not any(word in low for word in _OBJECTS):
            continue
        for pattern in _PATTERNS:
            match = pattern.search(line)
            if match:
                words = " ".join(match[0].split())
                yield Hit("instruction-to-reviewer", number, match.start() + 1, f"“{words[:80]}”")
                break
