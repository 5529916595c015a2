"""Secrets: credentials and private keys in what the change adds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

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
    Side,
    hookimpl,
)
from selfreview.errors import ToolError
from selfreview.review.ignore import BINARY, LOCK_FILES, LOCKED
from selfreview.reviewers._state import state_of

if TYPE_CHECKING:
    from selfreview.scan.secrets import SecretMatch

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


_AT_ONCE = 16
"""Binary files that are held in memory together."""

ENVIRONMENT = re.compile(r"(?:.*/)?(?:[\w-]*\.env(?:\.(?:local|dev|development|staging|prod|production))?|\.envrc)")
"""Files that hold what a program is given where it really runs."""

HASH = re.compile(r"\bsha\d{1,3}[-:][\w+/=]{40,}|\b(?:h1:)[\w+/=]{40,}|\b[0-9a-f]{40,}\b")
"""Hashes, which lock files are full of."""


@hookimpl
def selfreview_register_reviewers(registry: Registry[Reviewer]) -> None:
    """Register the reviewer."""
    registry.add(SecretsReviewer())


class SecretsReviewer:
    """Scans the whole new side of every text file, lock files included; findings never hold the secret.

    Binary files and the targets of links are looked through for what only credentials look like.
    """

    name = "secrets"
    depth = Depth.TEXT
    default = True
    sees_excluded = True

    def selects(self, file: ChangedFile) -> bool:
        """Take every file that has text on the new side."""
        return not (file.binary or file.is_symlink or file.is_submodule or file.status is FileStatus.DELETED)

    def cache_key(self, context: ReviewContext) -> bytes | None:
        """Cover our rules; findings in lock files and binaries are reported anew each time."""
        import hashlib

        from selfreview import scan
        from selfreview.reviewers import _kinds, _secrets_commits

        try:
            if any(_lock_findings(context)) or any(_hidden_findings(context)):
                return None
        except ToolError:  # review() says so; nothing to cache
            return None
        digest = hashlib.sha256()
        own = (_kinds.__file__, _secrets_commits.__file__, __file__)
        for source in [*sorted(Path(scan.__path__[0]).glob("*.py")), *map(Path, own)]:
            digest.update(source.read_bytes())
        return digest.digest()

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        """Scan every file.

        Raises:
            ToolTimeout: If no time is left: the result is incomplete.
        """
        review = Review()
        for file in files:
            source = context.text(file)
            if source is None:
                review.unreviewed[file.path] = "its content cannot be read"
            else:
                review.findings += _findings(file.path, source.text, context)
        review.findings += _lock_findings(context)
        review.findings += _hidden_findings(context)
        return review

    def review_commits(self, context: ReviewContext) -> list[Finding]:
        """Scan what commits add and later ones take out.

        Raises:
            ToolError: If they cannot be read in full, or no time is left.
        """
        from selfreview.reviewers._secrets_commits import commit_findings

        return commit_findings(context)


def _lock_findings(context: ReviewContext) -> Iterator[Finding]:
    """Yield findings in the added lines of lock files besides hashes: a tool may write a registry's token there."""
    for file in context.change.files:
        source = context.text(file) if file.excluded == LOCKED and file.status is not FileStatus.DELETED else None
        if source is not None:
            added = {number for first, last in file.added for number in range(first, last + 1)}
            lines = (line if number in added else "" for number, line in enumerate(source.lines, 1))
            yield from _findings(file.path, "\n".join(lines), context)


def _hidden_findings(context: ReviewContext) -> Iterator[Finding]:
    """Yield findings in binary files and links of what only credentials look like: a NUL byte must not hide a key."""
    files = [file for file in context.change.files if file.status is not FileStatus.DELETED]
    binaries = [file for file in files if file.excluded == BINARY]
    for start in range(0, len(binaries), _AT_ONCE):
        yield from _binary_findings(binaries[start : start + _AT_ONCE], context)
    links = [file for file in files if file.is_symlink]
    new = context.read_links([file.path for file in links]) if links else {}
    old = context.read_links([file.path_at_base for file in links], Side.OLD) if links else {}
    for file in links:
        before = partial(str, old.get(file.path_at_base, ""))
        yield from _sure_findings(file, new.get(file.path, ""), before, context, ("high", "medium"))


def _binary_findings(files: Sequence[ChangedFile], context: ReviewContext) -> Iterator[Finding]:
    from selfreview.scan.binary import readable

    new = context.read_paths([file.path for file in files])
    for file in files:

        def before(path: str = file.path_at_base) -> str:
            return readable(context.read_paths([path], Side.OLD).get(path, b""))

        yield from _sure_findings(file, readable(new.get(file.path, b"")), before, context)


def _sure_findings(
    file: ChangedFile,
    text: str,
    before: Callable[[], str],
    context: ReviewContext,
    sure: tuple[str, ...] = ("high",),
) -> Iterator[Finding]:
    """Yield the credentials of a file without lines that are certain enough, and were not there before."""
    from selfreview.scan.secrets import scan

    found = scan(text, own=False, remaining=context.remaining) if text else ()
    matches = [match for match in found if match.confidence in sure]
    if matches:
        known = {match.value for match in scan(before(), own=False, remaining=context.remaining)}
        new = {(match.rule, match.value): match for match in matches if match.value not in known}
        told = Counter[str]()
        for match in new.values():
            # Nothing but its number tells one from the next: evidence that held the value would give it away.
            number = f" {told[match.rule] + 1}" if told[match.rule] else ""
            told[match.rule] += 1
            said = make_finding(file.path, match, state_of(text) + number)
            yield msgspec.structs.replace(said, line_start=0, line_end=0, column=None)


def _severities(match: SecretMatch, path: str) -> tuple[Severity, Severity]:
    """Return the severity in general and where values are made up; a word is a password where passwords are kept."""
    from selfreview.scan.grade import GENERIC

    if match.confidence == "doubtful" and match.rule in GENERIC and ENVIRONMENT.fullmatch(path):
        return SEVERITIES["low"]
    return RULES.get(match.rule, SEVERITIES[match.confidence])


def find_matches(path: str, text: str, context: ReviewContext) -> list[SecretMatch]:
    """Return the secrets in the text of a file.

    Raises:
        ToolTimeout: If no time is left.
    """
    from selfreview.reviewers._kinds import is_source
    from selfreview.scan.grade import GENERIC
    from selfreview.scan.secrets import scan

    if path.rpartition("/")[2] in LOCK_FILES:
        text = HASH.sub(lambda match: "-" * len(match[0]), text)
    # What is found is kept by content: it must not depend on what this run signs in with.
    matches = scan(text, source=is_source(path), own=False, remaining=context.remaining)
    if path.rpartition("/")[2] in LOCK_FILES:
        matches = [match for match in matches if match.rule not in GENERIC]
    return matches


def _findings(path: str, text: str, context: ReviewContext) -> list[Finding]:
    from selfreview.scan.redact import mask

    matches = find_matches(path, text, context)
    if not matches:
        return []
    masked = mask(text, matches).split("\n")
    return [make_finding(path, match, masked[match.line - 1].strip()[:LONGEST_EVIDENCE]) for match in matches]


def make_finding(path: str, match: SecretMatch, evidence: str) -> Finding:
    """Return the finding of a secret in a file; it never holds the value.

    Args:
        path: The file.
        match: The secret.
        evidence: Its line, masked, or what else stands for the place.
    """
    from selfreview.reviewers._kinds import is_docs
    from selfreview.syntax.testfiles import is_sample

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
