"""Secrets that a commit adds and a later one removes: whoever fetches the branch has them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from selfreview.api import ChangedFile, CommittedLines, Finding, ReviewContext, Severity, Side, SourceText
from selfreview.review.excluded_files import BINARY, GENERATED, GUESSED, LOCKED, VENDORED
from selfreview.reviewers.secrets.findings import find_matches, make_finding, readable
from selfreview.secrets.match import SecretMatch
from selfreview.secrets.scanner import scan

_LINK = "120000"
_GUESSED = tuple(GUESSED - {LOCKED})
"""Beginnings of the reasons for excluding a file where guesses are wrong by the dozen."""
_ROUNDS = 20_000
"""Rounds of key derivation: a few milliseconds for each value."""
REWRITE = (
    "then rewrite the commits so that none holds it: git rebase --interactive, and squash the commit with the one that "
    "takes it out. Where others have the commits already, revoking is what counts: accept the issue after that."
)
"""Advice on commits that hold a secret."""


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
