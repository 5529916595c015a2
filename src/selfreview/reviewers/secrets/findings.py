"""Secrets of a text as findings: their severities, and where values are made up."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from selfreview.api import Category, ChangedFile, Finding, IssueStatus, ReviewContext, Severity, Side
from selfreview.review.excluded_files import LOCK_FILES

if TYPE_CHECKING:
    from selfreview.secrets.match import SecretMatch

SEVERITIES = {
    "high": (Severity.CRITICAL, Severity.HIGH),
    "medium": (Severity.HIGH, Severity.LOW),
    "low": (Severity.MEDIUM, Severity.LOW),
    "doubtful": (Severity.LOW, Severity.LOW),
}
"""Severity by how sure the rule is: in general, and in tests and documentation, where values are made up."""

RULES = {
    "private-key": (Severity.CRITICAL, Severity.LOW),  # test suites hold keys of their own making
    "curl-auth-header": (Severity.HIGH, Severity.MEDIUM),  # documentation is where curl commands leak
}
"""Rules that are treated apart from the others."""

CONFIDENCES = {"high": 0.95, "medium": 0.75, "low": 0.5, "doubtful": 0.2}

LONGEST_EVIDENCE = 200
"""Characters of the line that are kept."""

ENVIRONMENT = re.compile(r"(?:.*/)?(?:[\w-]*\.env(?:\.(?:local|dev|development|staging|prod|production))?|\.envrc)")
"""Files that hold what a program is given where it really runs."""

HASH = re.compile(r"\bsha\d{1,3}[-:][\w+/=]{40,}|\b(?:h1:)[\w+/=]{40,}|\b[0-9a-f]{40,}\b")
"""Hashes, which lock files are full of."""

_LARGEST_BINARY = 4 * 1024 * 1024
"""Maximum bytes of a file in which text is looked for."""
_WIDE_SHARE = 0.3
"""Minimum share of NUL bytes in UTF-16 and UTF-32."""
_RUN = re.compile(rb"[\t\n\r\x20-\x7e]{20,}")
"""Runs of text; the shortest credentials have 20 characters."""


def _severities(match: SecretMatch, path: str) -> tuple[Severity, Severity]:
    """Return the severity in general and where values are made up; a word is a password where passwords are kept."""
    from selfreview.secrets.scanner import GENERIC

    if match.confidence == "doubtful" and match.rule in GENERIC and ENVIRONMENT.fullmatch(path):
        return SEVERITIES["low"]
    return RULES.get(match.rule, SEVERITIES[match.confidence])


def find_matches(path: str, text: str, context: ReviewContext) -> list[SecretMatch]:
    """Return the secrets in the text of a file.

    Raises:
        ToolTimeout: If no time is left.
    """
    from selfreview.secrets.scanner import GENERIC, scan
    from selfreview.syntax.file_kinds import is_source

    if path.rpartition("/")[2] in LOCK_FILES:
        text = HASH.sub(lambda match: "-" * len(match[0]), text)
    # What is found is kept by content: it must not depend on what this run signs in with.
    matches = scan(text, source=is_source(path), own=False, remaining=context.remaining)
    if path.rpartition("/")[2] in LOCK_FILES:
        matches = [match for match in matches if match.rule not in GENERIC]
    return matches


_STOOD = "the same value stood in the file before"


def findings_in(path: str, text: str, context: ReviewContext, file: ChangedFile | None = None) -> list[Finding]:
    """Return the findings of the secrets in the text of a file, with its lines, masked, as evidence.

    Args:
        path: The file.
        text: Its text.
        context: What is under review.
        file: Where given, what its old side held just so is out of scope, on whatever line it stands now.

    Raises:
        ToolTimeout: If no time is left.
    """
    from selfreview.secrets.scanner import mask

    matches = find_matches(path, text, context)
    if not matches:
        return []
    masked = mask(text, matches).split("\n")
    found = [make_finding(path, match, masked[match.line - 1].strip()[:LONGEST_EVIDENCE]) for match in matches]
    old = context.text(file, Side.OLD) if file is not None and file.path_at_base == path else None
    if old is None:
        return found
    known = {(match.rule, match.value, match.confidence) for match in find_matches(path, old.text, context)}
    return [
        msgspec.structs.replace(finding, status=IssueStatus.OUT_OF_SCOPE, status_reason=_STOOD)
        if (match.rule, match.value, match.confidence) in known
        else finding
        for match, finding in zip(matches, found, strict=True)
    ]


def make_finding(path: str, match: SecretMatch, evidence: str) -> Finding:
    """Return the finding of a secret in a file; it never holds the value.

    Args:
        path: The file.
        match: The secret.
        evidence: Its line, masked, or what else stands for the place.
    """
    from selfreview.syntax.file_kinds import is_docs, is_sample

    made_up = is_sample(path) or is_docs(path)
    return Finding(
        file=path,
        line_start=match.line,
        line_end=match.end_line,
        column=match.column,
        severity=_severities(match, path)[made_up],
        category=Category.SECURITY,
        description=f"{match.title} in the file. Whoever can read the repository can use it, and history keeps it.",
        suggested_fix="Revoke it, load it from the environment or a secret store, and take it out of the commits.",
        rule=match.rule,
        evidence=evidence or None,
        confidence=CONFIDENCES[match.confidence],
    )


def readable(data: bytes) -> str:
    """Return the runs of plain text in a small file, one behind the other; of UTF-16 and UTF-32, too."""
    if len(data) > _LARGEST_BINARY:
        return ""
    if data.count(b"\0") > _WIDE_SHARE * len(data):
        data = data.replace(b"\0", b"")
    return "\n".join(run.decode("ascii") for run in _RUN.findall(data))
