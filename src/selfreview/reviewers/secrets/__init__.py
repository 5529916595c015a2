"""Secrets: credentials and private keys in what the change adds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import msgspec

from selfreview.api import (
    ChangedFile,
    Depth,
    FileStatus,
    Finding,
    Registry,
    Review,
    ReviewContext,
    Reviewer,
    RuleInfo,
    Side,
    hookimpl,
)
from selfreview.errors import ToolError
from selfreview.review.excluded_files import BINARY, LOCKED
from selfreview.reviewers.evidence import state_of
from selfreview.reviewers.secrets.findings import findings_in, make_finding

_AT_ONCE = 16
"""Binary files that are held in memory together."""


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
        from selfreview import secrets
        from selfreview.reviewers.tools.program import source_digest
        from selfreview.syntax import file_kinds

        try:
            if any(_lock_findings(context)) or any(_hidden_findings(context)):
                return None
        except ToolError:  # review() says so; nothing to cache
            return None
        own = (Path(__file__).parent, Path(file_kinds.__file__))
        return source_digest(Path(secrets.__path__[0]), *own)

    def rules(self) -> list[RuleInfo]:
        """List the formats of secrets, and the places that give one away."""
        from selfreview.reviewers.secrets.findings import rule_infos

        return rule_infos()

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
                review.findings += findings_in(file.path, source.text, context, file)
        review.findings += _lock_findings(context)
        review.findings += _hidden_findings(context)
        return review

    def review_commits(self, context: ReviewContext) -> list[Finding]:
        """Scan what commits add and later ones take out.

        Raises:
            ToolError: If they cannot be read in full, or no time is left.
        """
        from selfreview.reviewers.secrets.findings import commit_findings

        return commit_findings(context)


def _lock_findings(context: ReviewContext) -> Iterator[Finding]:
    """Yield findings in the added lines of lock files besides hashes: a tool may write a registry's token there."""
    for file in context.change.files:
        source = context.text(file) if file.excluded == LOCKED and file.status is not FileStatus.DELETED else None
        if source is not None:
            added = {number for first, last in file.added for number in range(first, last + 1)}
            lines = (line if number in added else "" for number, line in enumerate(source.lines, 1))
            yield from findings_in(file.path, "\n".join(lines), context)


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
    from selfreview.reviewers.secrets.findings import readable

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
    from selfreview.secrets.scanner import scan

    found = scan(text, own=False, remaining=context.remaining) if text else ()
    matches = [match for match in found if match.confidence in sure]
    if matches:
        known = {match.value for match in scan(before(), own=False, remaining=context.remaining)}
        new = {(match.rule, match.value): match for match in matches if match.value not in known}
        numbers = Counter[str]()
        for match in new.values():
            # Nothing but its number tells one from the next: evidence that held the value would give it away.
            number = f" {numbers[match.rule] + 1}" if numbers[match.rule] else ""
            numbers[match.rule] += 1
            finding = make_finding(file.path, match, state_of(text) + number)
            yield msgspec.structs.replace(finding, line_start=0, line_end=0, column=None)
