"""Secrets: credentials and private keys in what the change adds."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from selfreview.api import (
    Category,
    ChangedFile,
    Depth,
    FileStatus,
    Finding,
    Registry,
    Review,
    ReviewContext,
    Reviewer,
    Severity,
    SourceText,
    hookimpl,
)

SEVERITIES = {"high": Severity.CRITICAL, "medium": Severity.HIGH, "low": Severity.MEDIUM}
"""Severity by how sure the rule is."""

RULE_SEVERITIES = {
    "generic-password": Severity.LOW,
    "curl-auth-header": Severity.HIGH,
    "curl-auth-user": Severity.HIGH,
    "jwt": Severity.HIGH,
}
"""Rules that match more than live credentials."""

CONFIDENCES = {"high": 0.95, "medium": 0.7, "low": 0.4}


@hookimpl
def selfreview_register_reviewers(registry: Registry[Reviewer]) -> None:
    """Register the reviewer."""
    registry.add(SecretsReviewer())


class SecretsReviewer:
    """Scans the whole new side of every text file; findings never hold the secret."""

    name = "secrets"
    depth = Depth.TEXT
    default = True

    def selects(self, file: ChangedFile) -> bool:
        """Take every file that has text on the new side."""
        return not (file.binary or file.is_symlink or file.is_submodule or file.status is FileStatus.DELETED)

    def cache_key(self, context: ReviewContext) -> bytes | None:  # noqa: ARG002 - the same for every change
        """Cover our own rules and tables, and the scanning library."""
        from selfreview.errors import ToolError
        from selfreview.scan import placeholder, secrets

        try:
            stamp = secrets.scanner_stamp()
        except ToolError:  # review() says so; nothing to cache
            return None
        sources = (__file__, secrets.__file__, placeholder.__file__)
        digest = hashlib.sha256(stamp.encode("utf-8", "surrogateescape"))
        for source in sources:
            digest.update(Path(source).read_bytes())
        return digest.digest()

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        """Scan every file.

        Raises:
            ToolError: If the scanning library is missing or fails: the result is incomplete.
        """
        review = Review()
        for file in files:
            source = context.text(file)
            if source is None:
                review.unreviewed[file.path] = "its content cannot be read"
            else:
                review.findings += _findings(file.path, source, context)
        return review


def _findings(path: str, source: SourceText, context: ReviewContext) -> list[Finding]:
    from selfreview.scan.redact import mask
    from selfreview.scan.secrets import scan

    text = source.text
    matches = scan(text, remaining=context.remaining)
    masked = mask(text, matches).split("\n") if matches else []
    return [
        Finding(
            file=path,
            line_start=match.line,
            line_end=match.end_line,
            column=match.column,
            severity=RULE_SEVERITIES.get(match.rule, SEVERITIES[match.confidence]),
            category=Category.SECURITY,
            description=f"{match.title}. Anyone who can read the repository can use it, and history keeps it.",
            suggested_fix="Revoke it, load it from the environment or a secret store, and remove it from the commit.",
            rule=match.rule,
            evidence=masked[match.line - 1].strip()[:200],
            confidence=CONFIDENCES[match.confidence],
        )
        for match in matches
    ]
