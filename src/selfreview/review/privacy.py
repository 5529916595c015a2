"""Secrets stay out of what is printed and kept, whoever quotes them: issues, excerpts, the cache."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import msgspec

from selfreview.api import ChangedFile, Finding, Issue, ReviewerStatus, Side, SourceText
from selfreview.errors import ToolError
from selfreview.review.anchor import by_path
from selfreview.review.context import RunContext, Workbench
from selfreview.review.work import Outcome
from selfreview.scan.hider import Hider

SECRETS = "secrets"
"""The reviewer whose word is taken for which files hold none."""

Said = TypeVar("Said", Finding, Issue)


class Privacy:
    """Hides secrets where there may be some.

    Text is scanned again only where the ``secrets`` reviewer found one or did not look.

    Args:
        bench: The run's content.
        outcomes: What the reviewers did.
    """

    def __init__(self, bench: Workbench, outcomes: Iterable[Outcome]) -> None:
        files = by_path(bench.change)

        def text_of(path: str, side: Side) -> SourceText | None:
            return bench.text(files[path], side) if path in files else None

        self._hider = Hider(text_of)
        self._clean: set[str] = set()
        for outcome in outcomes:
            if outcome.task.reviewer.name == SECRETS and outcome.review.status is ReviewerStatus.OK:
                seen = {file.path for file in outcome.task.files} - set(outcome.review.unreviewed)
                self._clean = seen - {finding.file for finding in outcome.review.findings}

    def clean(self, said: Said) -> Said:
        """Return a finding or an issue without secrets; without its quotes where that cannot be told."""
        if self._is_clean(said.file, said.side):
            return said
        try:
            return self._hider.clean(said)
        except ToolError:
            return msgspec.structs.replace(said, evidence=None, suggested_fix=None, edits=type(said.edits)())

    def source(self, file: ChangedFile, side: Side, text: SourceText | None) -> SourceText | None:
        """Return a file's text without secrets, or None where that cannot be told."""
        if text is None or self._is_clean(file.path, side):
            return text
        try:
            return self._hider.source(file.path, side)
        except ToolError:
            return None

    def _is_clean(self, path: str, side: Side) -> bool:
        return side is Side.NEW and path in self._clean


class SafeContext(RunContext):
    """The context that reporters are given: its text holds no secrets.

    Args:
        bench: The run's content.
        privacy: Knows where secrets may be.
        timeout: Seconds until its deadline.
    """

    def __init__(self, bench: Workbench, privacy: Privacy, timeout: float) -> None:
        super().__init__(bench, timeout)
        self._privacy = privacy

    def text(self, file: ChangedFile, side: Side = Side.NEW) -> SourceText | None:
        """Return a file's text with every secret hidden."""
        return self._privacy.source(file, side, super().text(file, side))
