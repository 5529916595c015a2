"""Lines that are too long."""

from __future__ import annotations

from collections.abc import Sequence

from selfreview.api import Category, ChangedFile, Depth, FileStatus, Finding, Review, ReviewContext, Severity


class LongLines:
    """Finds lines that are longer than a number of characters."""

    name = "long-lines"
    depth = Depth.TEXT
    default = True

    def __init__(self, longest: int) -> None:
        self._longest = longest

    def selects(self, file: ChangedFile) -> bool:
        """Take text that exists on the new side."""
        return file.status is not FileStatus.DELETED and not file.binary and not file.is_symlink

    def cache_key(self, context: ReviewContext) -> bytes | None:
        """Cover the rule and its limit."""
        return b"1:%d" % self._longest

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        """Measure every line."""
        findings = [
            Finding(
                file=file.path,
                line_start=number,
                line_end=number,
                severity=Severity.MEDIUM,
                category=Category.STYLE,
                rule="too-long",
                description=f"The line has {len(line)} characters, and {self._longest} are allowed.",
            )
            for file in files
            if (text := context.text(file)) is not None
            for number, line in enumerate(text.lines, 1)
            if len(line) > self._longest
        ]
        return Review(findings=findings)
