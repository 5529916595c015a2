"""Findings of secrets, in files and in commits that a later one undoes: severities, and where values are made up."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import msgspec

from selfreview.api import (
    Category,
    ChangedFile,
    CommittedLines,
    Finding,
    IssueStatus,
    ReviewContext,
    RuleInfo,
    Severity,
    Side,
    SourceText,
)
from selfreview.review.excluded_files import BINARY, GENERATED, GUESSED, LOCK_FILES, LOCKED, VENDORED
from selfreview.secrets.match import REWRITE, SecretMatch
from selfreview.secrets.scanner import kinds, scan

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


_DESCRIPTION = "{title} in the file. Whoever can read the repository can use it, and history keeps it."
_ADVICE = "Revoke it, load it from the environment or a secret store, and take it out of the commits."


def rule_infos() -> list[RuleInfo]:
    """Return what is looked for, with the severity outside of tests and documentation."""
    return [
        RuleInfo(
            id=rule,
            severity=RULES.get(rule, SEVERITIES[confidence])[0],
            category=Category.SECURITY,
            summary=_DESCRIPTION.format(title=title),
            advice=_ADVICE,
        )
        for rule, (title, confidence) in kinds().items()
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
        description=_DESCRIPTION.format(title=match.title),
        suggested_fix=_ADVICE,
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


_LINK = "120000"
_GUESSED = tuple(GUESSED - {LOCKED})
"""Beginnings of the reasons for excluding a file where guesses are wrong by the dozen."""
_ROUNDS = 20_000
"""Rounds of key derivation: a few milliseconds for each value."""


def commit_findings(context: ReviewContext) -> list[Finding]:
    """Return a finding for each value and path, of the first commit that adds it.

    Raises:
        ToolError: If the commits cannot be read in full, or no time is left.
    """
    known = _Known(context)
    reported: set[tuple[str, str]] = set()
    found: list[Finding] = []
    for part in context.committed_lines():
        for match, line in _matches(part, context):
            if (part.path, match.value) in reported or known.has_base(part.path_now, match.value):
                continue
            finding = _finding(part, match, line, still=known.has_head(part.path_now, match.value))
            if not known.reports(part.path_now, match, finding.severity):
                reported.add((part.path, match.value))
                found.append(finding)
    return found


def _matches(part: CommittedLines, context: ReviewContext) -> list[tuple[SecretMatch, int | None]]:
    """Return the secrets in a commit's additions to a file, each with its line there; binary content has no lines."""
    data = b"\n".join(lines for _, lines in part.hunks)  # with an empty line in between: surroundings are a run's own
    if b"\0" in data:
        found = scan(readable(data), own=False, remaining=context.remaining)
        return [(match, None) for match in found if match.confidence == "high"]
    text = SourceText.from_bytes(data).text
    if part.mode == _LINK:
        found = [m for m in scan(text, own=False, remaining=context.remaining) if m.confidence in ("high", "medium")]
    else:
        found = find_matches(part.path, text, context)
        if VENDORED.search(part.path) or GENERATED.search(part.path):  # where guesses are wrong by the dozen
            found = [match for match in found if match.confidence == "high"]
    numbers = [start + offset for start, lines in part.hunks for offset in range(lines.count(b"\n") + 1)]
    return [(match, numbers[match.line - 1]) for match in found]


def _finding(part: CommittedLines, match: SecretMatch, line: int | None, *, still: bool) -> Finding:
    where = f"line {line} of " if line else ""
    now = "The file still holds it, and no issue there is as severe" if still else "It is gone from the file by now"
    return msgspec.structs.replace(
        make_finding(part.path, match, f"value {_digest(part.path, match.value)}"),
        line_start=0,
        line_end=0,
        column=None,
        description=f"{match.title} in {where}commit {part.commit[:8]}. {now}. Whoever fetches the branch has it all "
        "the same, and history keeps it.",
        suggested_fix=f"Revoke it, {REWRITE}",
        commit=part.commit,
        commit_line=line,
    )


def _digest(path: str, value: str) -> str:
    """Return a digest that is cached in place of a value: slow to compute, so that values are costly to guess."""
    data, salt = (text.encode("utf-8", "surrogateescape") for text in (value, path))
    return hashlib.pbkdf2_hmac("sha256", data, salt, _ROUNDS).hex()[:32]


class _Known:
    """Values that files hold at the base, which are not new, and that are reported for them at the head."""

    def __init__(self, context: ReviewContext) -> None:
        self._context = context
        self._files = {file.path: file for file in context.change.files}
        self._texts: dict[tuple[str, Side], str] = {}
        self._reported: dict[str, dict[str, Severity]] = {}

    def has_base(self, path: str, value: str) -> bool:
        """Return whether a file, named as at the head, holds a value at its base."""
        return value in self._text(path, Side.OLD)

    def has_head(self, path: str, value: str) -> bool:
        """Return whether a file holds a value at its head."""
        return value in self._text(path, Side.NEW)

    def reports(self, path: str, match: SecretMatch, severity: Severity) -> bool:
        """Return whether a file's review reports a value as severely; true for guesses in files that exclude them."""
        file = self._files.get(path)
        if file is None or not self.has_head(path, match.value):
            return False
        if file.excluded is not None and file.excluded.startswith(_GUESSED):
            return match.confidence != "high"
        if path not in self._reported:
            reported = self._reported[path] = {}
            for found in _reported_at_head(file, self._text(path, Side.NEW), self._context):
                found_severity = make_finding(path, found, "").severity
                before = reported.get(found.value, found_severity)
                reported[found.value] = found_severity if found_severity.at_least(before) else before
        return match.value in self._reported[path] and self._reported[path][match.value].at_least(severity)

    def _text(self, path: str, side: Side) -> str:
        if (path, side) not in self._texts:
            file = self._files.get(path) or ChangedFile(path=path)
            name = file.path_at_base if side is Side.OLD else file.path
            links = self._context.read_links([name], side)
            data = self._context.read_paths([name], side).get(name, b"")
            texts = [SourceText.from_bytes(data).text, readable(data) if b"\0" in data else "", links.get(name, "")]
            self._texts[path, side] = "\n".join(filter(None, texts))
        return self._texts[path, side]


def _reported_at_head(file: ChangedFile, text: str, context: ReviewContext) -> Sequence[SecretMatch]:
    """Return the secrets that the review of a file reports at the head."""
    if file.is_symlink or file.excluded == BINARY:
        sure = ("high", "medium") if file.is_symlink else ("high",)
        return [match for match in scan(text, own=False, remaining=context.remaining) if match.confidence in sure]
    return find_matches(file.path, text, context) if file.excluded in (None, LOCKED) else ()
